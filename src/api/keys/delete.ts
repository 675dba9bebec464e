import { noKey, revokeKey } from "../../operator/api-keys.ts";
import { endpoint } from "../endpoint.ts";
import { ownKeyParam } from "../schemas/parameters.ts";
import { requireWithinOwn } from "./rotate.ts";

export const keysDelete = endpoint(
  {
    method: "delete",
    path: "/key/{key_uuid}",
    operationId: "deleteKey",
    scope: "full",
    limitsCollections: true,
    tag: "Keys",
    summary: "Delete a key",
    description:
      "It is refused everywhere within five seconds. Writes that it sent are carried out. Keys that it made stay: delete them as well.",
    request: { params: ownKeyParam },
    success: { 204: { description: "The key was deleted." } },
    errors: ["key_rights_exceeded"],
  },
  async ({ context, caller, params }) => {
    const row = await requireWithinOwn(context, caller, params.key_uuid);
    if (!(await revokeKey(context, row, caller.requestKey))) throw noKey();
  },
);
