import { z } from "@hono/zod-openapi";
import { readableOf } from "../../collections/collection-target.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { accountIdField, listedPhaseField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";

const accountBody = z
  .strictObject({ account: accountIdField, phase: listedPhaseField })
  .openapi("AccountInput");
const checkedView = z.object({ is_allowlisted: z.boolean() }).openapi("AllowlistAnswer");

export const allowlistCheck = endpoint(
  {
    method: "put",
    path: "/collection/{collection_uuid}/allowlist-checkaccount",
    operationId: "allowlistCheckAccount",
    scope: "read",
    tag: "Allowlist",
    summary: "Whether an account is on the allowlist",
    description: "Reads the chain and changes nothing; a key of role `read` may use it.",
    request: { params: collectionParam, body: jsonBody(accountBody, { account: "alice.near" }) },
    success: { 200: json("Whether the account is on the allowlist.", checkedView) },
    errors: ["chain_unavailable"],
    write: false,
  },
  async ({ context, caller, params, body: { account, phase } }) => {
    const { collectionId, views } = await readableOf(context, caller, params.collection_uuid);
    return { is_allowlisted: await views.isAllowlisted(collectionId, account, phase ?? undefined) };
  },
);
