import { z } from "@hono/zod-openapi";
import { locksView } from "./collection.ts";
import { ACCOUNT, type Shown } from "./samples.ts";

/** Whether an account may mint from its own wallet now, and if not, why. */
export const eligibilityView = z
  .object({
    account_id: z.string().openapi({ example: ACCOUNT }),
    allowed: z.boolean(),
    via: z.enum(["bypass", "public", "private"]).nullable().openapi({ example: "public" }),
    mint_fee: z.string().nullable().openapi({
      description: "yoctoNEAR to attach to nft_mint.",
      example: "1000000000000000000000000",
    }),
    code: z.string().nullable().openapi({ description: "Why not: the contract's failure code." }),
    message: z.string().nullable(),
    opens_at: z.iso.datetime().nullable(),
    remaining_for_account: z.int().nullable().openapi({ description: "null: no limit.", example: 4 }),
    locks: locksView("What the collection's holders were promised for good, on the chain."),
  })
  .openapi("Eligibility");

export type Eligibility = Shown<typeof eligibilityView>;
