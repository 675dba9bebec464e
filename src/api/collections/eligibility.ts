import { eligibility } from "../../collections/eligibility.ts";
import { endpoint, json } from "../endpoint.ts";
import { eligibilityView } from "../resources/collection.ts";
import { currencyQuery, eligibilityParam } from "../schemas/parameters.ts";

export const eligibilityRead = endpoint(
  {
    method: "get",
    path: "/collection/{collection_uuid}/eligibility/{account_id}",
    operationId: "getEligibility",
    scope: "read",
    tag: "Collections",
    summary: "Whether an account may mint from its wallet now, and its price",
    description:
      "The contract's answer is up to five seconds old, and shows all that writes of this API have changed. `currency` is the account of the token that the mint is to be paid in; without it, it is NEAR.",
    request: { params: eligibilityParam, query: currencyQuery },
    success: { 200: json("What the contract says.", eligibilityView) },
    errors: ["chain_unavailable"],
  },
  ({ context, caller, params: { collection_uuid: id, account_id }, query }) =>
    eligibility(context, caller, id, { account_id, ...query }),
);
