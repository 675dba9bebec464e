import { proposeAllowlistChange } from "../../operations/kinds/allowlist.ts";
import { messageView } from "../../resources/operation.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { run } from "../run.ts";
import { collectionParam } from "../schemas/parameters.ts";
import { accountsBody } from "./account-schemas.ts";

export const allowlistRemoveAccounts = endpoint(
  {
    method: "put",
    path: "/collection/{collection_uuid}/allowlist-remove",
    operationId: "allowlistRemove",
    tag: "Allowlist",
    summary: "Remove accounts from the allowlist",
    request: {
      params: collectionParam,
      body: jsonBody(accountsBody, { accounts: ["alice.near", "bob.near"] }),
    },
    success: { 200: json("The transaction.", messageView) },
    operation: true,
  },
  async (c, { params, body }) => {
    const change = { change: "allowlist_remove", accounts: body.accounts } as const;
    const { collection_uuid: id } = params;
    return run(c, await proposeAllowlistChange(c.get("context"), c.get("caller"), id, change));
  },
);
