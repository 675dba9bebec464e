import { refuseBody } from "../../http/json-body.ts";
import { allowlistClear } from "../../operations/requests/allowlist.ts";
import { endpoint, json, reply } from "../endpoint.ts";
import { messageView } from "../schemas/chain.ts";
import { collectionParam } from "../schemas/parameters.ts";

/** PUT /collection/{collection_uuid}/allowlist-clear */
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
    await refuseBody(c);
    return reply(c, await allowlistClear(c.get("context"), c.get("caller"), params.collection_uuid));
  },
);
