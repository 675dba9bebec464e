import type { Caller, ServiceContext } from "../../context.ts";
import { type ApiKeyRow, rightsOf } from "../../db/queries/api-keys.ts";
import type { Uuid } from "../../domain/ids.ts";
import { rightsBeyond } from "../../domain/key-rights.ts";
import { requireKey, rotateKey } from "../../operator/api-keys.ts";
import { endpoint, json } from "../endpoint.ts";
import { issuedKeyView } from "../resources/key.ts";
import { ownKeyParam } from "../schemas/parameters.ts";
import { beyondRights } from "./create.ts";

/** A key of the caller's integration that may do no more than the caller's. @throws ServiceError not_found, key_rights_exceeded */
export const requireWithinOwn = async (
  context: ServiceContext,
  caller: Caller,
  id: Uuid,
): Promise<ApiKeyRow> => {
  const row = await requireKey(context, caller.integrationId, id);
  const issues = rightsBeyond(rightsOf(row), caller.rights);
  if (issues.length > 0) throw beyondRights(issues);
  return row;
};

export const keysRotate = endpoint(
  {
    method: "post",
    path: "/key/{key_uuid}/rotate",
    operationId: "rotateKey",
    scope: "full",
    needsNoRoom: true,
    limitsCollections: true,
    tag: "Keys",
    summary: "Replace a key's text",
    description:
      "The old text works as well for 24 hours, so that no request fails while a server is given the new one. Another rotation ends the older one at once. Its uuid, rights and budget stay. Only this answer shows the new text.",
    request: { params: ownKeyParam },
    success: { 200: json("The key with its new text.", issuedKeyView) },
    errors: ["conflict", "key_rights_exceeded"],
  },
  async ({ context, caller, params }) => {
    const row = await requireWithinOwn(context, caller, params.key_uuid);
    const counts = row.id === caller.keyId || row.makerBudgets.some(({ key }) => key === caller.keyId);
    if (caller.rights.spendingPerDay !== null && !counts) {
      const message =
        "Rotate your own key or one that it made: what others spend doesn't count for your budget.";
      throw beyondRights([{ path: ["key_uuid"], message }]);
    }
    return rotateKey(context, row, caller.requestKey);
  },
);
