import { proposeAllowlistChange } from "../../operations/kinds/allowlist.ts";
import { messageView } from "../../resources/operation.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { run } from "../run.ts";
import { collectionParam } from "../schemas/parameters.ts";
import { accountsBody } from "./account-schemas.ts";

const changeBy = (verb: "add" | "remove", operationId: string, summary: string) =>
  endpoint(
    {
      method: "put",
      path: `/collection/{collection_uuid}/allowlist-${verb}`,
      operationId,
      tag: "Allowlist",
      summary,
      request: {
        params: collectionParam,
        body: jsonBody(accountsBody, { accounts: ["alice.near", "bob.near"] }),
      },
      success: { 200: json("The transaction.", messageView) },
      operation: true,
    },
    async (c, { params: { collection_uuid: id }, body: { accounts } }) => {
      const change = { change: `allowlist_${verb}`, accounts } as const;
      return run(c, await proposeAllowlistChange(c.get("context"), c.get("caller"), id, change));
    },
  );

export const allowlistAddAccounts = changeBy("add", "allowlistAdd", "Add accounts to the allowlist");
export const allowlistRemoveAccounts = changeBy(
  "remove",
  "allowlistRemove",
  "Remove accounts from the allowlist",
);
