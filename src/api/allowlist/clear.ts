import { proposeAllowlistChange } from "../../operations/kinds/allowlist.ts";
import { messageView } from "../../resources/operation.ts";
import { endpoint, json } from "../endpoint.ts";
import { run } from "../run.ts";
import { collectionParam } from "../schemas/parameters.ts";

export const allowlistClearAccounts = endpoint(
  {
    method: "put",
    path: "/collection/{collection_uuid}/allowlist-clear",
    operationId: "allowlistClear",
    tag: "Allowlist",
    summary: "Remove every account from the allowlist",
    request: { params: collectionParam },
    success: { 200: json("The transaction.", messageView) },
    operation: true,
  },
  async (c, { params }) => {
    const id = params.collection_uuid;
    return run(
      c,
      await proposeAllowlistChange(c.get("context"), c.get("caller"), id, { change: "allowlist_clear" }),
    );
  },
);
