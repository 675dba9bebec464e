import { allowlistAdd } from "../../operations/requests/allowlist.ts";
import { endpoint, json, jsonBody, reply } from "../endpoint.ts";
import { messageView } from "../schemas/chain.ts";
import { collectionParam } from "../schemas/parameters.ts";
import { accountsBody } from "./account-schemas.ts";

/** PUT /collection/{collection_uuid}/allowlist-add */
export const allowlistAddAccounts = endpoint(
  {
    method: "put",
    path: "/collection/{collection_uuid}/allowlist-add",
    operationId: "allowlistAdd",
    tag: "Allowlist",
    summary: "Add accounts to the allowlist",
    request: {
      params: collectionParam,
      body: jsonBody(accountsBody, { accounts: ["alice.near", "bob.near"] }),
    },
    success: { 200: json("The transaction.", messageView) },
    operation: true,
  },
  async (c, { params, body }) =>
    reply(c, await allowlistAdd(c.get("context"), c.get("caller"), params.collection_uuid, body.accounts)),
);
