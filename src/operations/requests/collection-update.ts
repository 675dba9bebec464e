import { targetOf } from "../../collections/collection-target.ts";
import { requireUpgraded } from "../../collections/contract-release.ts";
import { requirePayees } from "../../collections/payees.ts";
import type { Answer, Caller, ServiceContext } from "../../context.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { CollectionChanges } from "../../domain/requests.ts";
import { perform } from "../engine/accept.ts";
import type { CollectionUpdateOperation } from "../kinds/collection-update.ts";

/**
 * Changes a collection's settings on-chain.
 * @throws ServiceError not_found, conflict (a contract of a former release), unknown_account, and whatever else a write to the chain may end with
 */
export const updateCollection = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  changes: CollectionChanges,
): Promise<Answer> => {
  const target = await targetOf(context, caller, collectionUuid);
  await requireUpgraded(context, target.contract);
  await requirePayees(context, changes);
  const request: CollectionUpdateOperation = { ...target, changes };
  return perform(context, caller, { kind: "collection_update", subjectId: collectionUuid, request });
};
