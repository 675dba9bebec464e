import { z } from "@hono/zod-openapi";
import { readableOf } from "../../collections/collection-target.ts";
import { proposeAllowlistChange } from "../../operations/kinds/allowlist.ts";
import { chainWrite } from "../chain-write.ts";
import { endpoint, json, jsonBody, optionalBody } from "../endpoint.ts";
import { messageView } from "../resources/operation.ts";
import { accountIdField, referenceBody, referenceField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";

const MAX_ALLOWLIST_ACCOUNTS = 500;

const accountsBody = z
  .strictObject({
    accounts: z.array(accountIdField).min(1).max(MAX_ALLOWLIST_ACCOUNTS),
    reference: referenceField,
  })
  .openapi("AccountsInput");

const accountBody = z.strictObject({ account: accountIdField }).openapi("AccountInput");
const checkedView = z.object({ is_allowlisted: z.boolean() }).openapi("AllowlistAnswer");
const TAG = "Allowlist";

const changeBy = (verb: "add" | "remove", operationId: string, summary: string) =>
  chainWrite(
    {
      method: "put",
      path: `/collection/{collection_uuid}/allowlist-${verb}`,
      operationId,
      tag: TAG,
      summary,
      request: {
        params: collectionParam,
        body: jsonBody(accountsBody, { accounts: ["alice.near", "bob.near"] }),
      },
      success: { 200: json("The transaction.", messageView) },
    },
    (context, caller, { params, body: { accounts } }) => {
      const change = { change: `allowlist_${verb}`, accounts } as const;
      return proposeAllowlistChange(context, caller, params.collection_uuid, change);
    },
  );

export const allowlistEndpoints = [
  changeBy("add", "allowlistAdd", "Add accounts to the allowlist"),
  changeBy("remove", "allowlistRemove", "Remove accounts from the allowlist"),
  chainWrite(
    {
      method: "put",
      path: "/collection/{collection_uuid}/allowlist-clear",
      operationId: "allowlistClear",
      tag: TAG,
      summary: "Remove every account from the allowlist",
      request: { params: collectionParam, body: optionalBody(referenceBody, { reference: "order-1042" }) },
      success: { 200: json("The transaction.", messageView) },
    },
    (context, caller, { params }) =>
      proposeAllowlistChange(context, caller, params.collection_uuid, { change: "allowlist_clear" }),
  ),
  endpoint(
    {
      method: "put",
      path: "/collection/{collection_uuid}/allowlist-checkaccount",
      operationId: "allowlistCheckAccount",
      tag: TAG,
      summary: "Whether an account is on the allowlist",
      description: "Reads the chain and changes nothing; a key of role `read` may use it.",
      request: { params: collectionParam, body: jsonBody(accountBody, { account: "alice.near" }) },
      success: { 200: json("Whether the account is on the allowlist.", checkedView) },
      errors: ["chain_unavailable"],
      write: false,
    },
    async ({ context, caller, params, body: { account } }) => {
      const { collectionId, views } = await readableOf(context, caller, params.collection_uuid);
      return { is_allowlisted: await views.isAllowlisted(collectionId, account) };
    },
  ),
];
