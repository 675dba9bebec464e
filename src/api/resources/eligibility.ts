import { z } from "@hono/zod-openapi";
import { locksView } from "./collection.ts";
import { ACCOUNT, type Shown, text, whole } from "./samples.ts";

export const eligibilityView = z
  .object({
    account_id: z.string().openapi({ example: ACCOUNT }),
    allowed: z.boolean(),
    via: z.enum(["bypass", "public", "private"]).nullable().openapi({ example: "public" }),
    mint_fee: text("yoctoNEAR to attach to nft_mint.", "1000000000000000000000000").nullable(),
    code: text("Why not: the contract's failure code.").nullable(),
    message: z.string().nullable(),
    opens_at: z.iso.datetime().nullable(),
    remaining_for_account: whole("null: no limit.", 4).nullable(),
    locks: locksView("What the collection's holders were promised for good, on the chain."),
  })
  .openapi("Eligibility");
export type Eligibility = Shown<typeof eligibilityView>;
