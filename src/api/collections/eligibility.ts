import { z } from "@hono/zod-openapi";
import { eligibility } from "../../collections/eligibility.ts";
import { endpoint, json } from "../endpoint.ts";
import { eligibilityParam } from "../schemas/parameters.ts";
import { ACCOUNT } from "../schemas/samples.ts";

const eligibilityView = z
  .object({
    account_id: z.string().openapi({ example: ACCOUNT }),
    allowed: z.boolean(),
    via: z.enum(["bypass", "public", "private"]).nullable().openapi({ example: "public" }),
    mint_fee: z.string().nullable().openapi({
      description: "yoctoNEAR to attach to nft_mint.",
      example: "1000000000000000000000000",
    }),
    code: z.string().nullable().openapi({ description: "Why not, as the contract's failure code." }),
    message: z.string().nullable(),
    opens_at: z.iso.datetime().nullable(),
    remaining_for_account: z.int().nullable().openapi({ description: "null: no limit.", example: 4 }),
  })
  .openapi("Eligibility");

/** GET /collection/{collection_uuid}/eligibility/{account_id} */
export const eligibilityRead = endpoint(
  {
    method: "get",
    path: "/collection/{collection_uuid}/eligibility/{account_id}",
    operationId: "getEligibility",
    tag: "Collections",
    summary: "Whether an account may mint from its wallet now, and at which price",
    request: { params: eligibilityParam },
    success: { 200: json("What the contract says.", eligibilityView) },
    errors: ["chain_unavailable"],
  },
  async (c, { params }) =>
    c.json(await eligibility(c.get("context"), c.get("caller"), params.collection_uuid, params.account_id)),
);
