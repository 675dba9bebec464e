import { updateCollection } from "../../chain/contract/calls.ts";
import { type CollectionTarget, targetOf } from "../../collections/collection-target.ts";
import { toCollection } from "../../collections/collections.ts";
import { requireUpgraded } from "../../collections/contract-release.ts";
import { requirePayees } from "../../collections/payees.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { changeSettings } from "../../db/queries/collection-effects.ts";
import { findCollection } from "../../db/queries/collections.ts";
import { hasEarlierOperation } from "../../db/queries/operations.ts";
import type { Uuid } from "../../domain/ids.ts";
import { jsonBytes } from "../../domain/json-bytes.ts";
import type { CollectionChanges } from "../../domain/requests.ts";
import { type KindAnswers, kindOf, type Proposal } from "../kind.ts";

/** What an update of a collection needs to be carried out. */
export interface CollectionUpdateOperation extends CollectionTarget {
  readonly changes: CollectionChanges;
}

/**
 * The change of a collection's settings that a caller asks for.
 * @throws ServiceError not_found, conflict (a contract of a former release), unknown_account
 */
export const proposeCollectionUpdate = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  changes: CollectionChanges,
): Promise<Proposal<"collection_update">> => {
  const target = await targetOf(context, caller, collectionUuid);
  await requireUpgraded(context, target.contract);
  await requirePayees(context, changes);
  const request: CollectionUpdateOperation = { ...target, changes };
  return { kind: "collection_update", subjectId: collectionUuid, request };
};

/** Bytes that settings take beside their texts. */
const SETTINGS_BYTES = 500;

/** Pause before a look at whether the update before has ended. Milliseconds. */
const TURN_MS = 200;

/**
 * One call of `collection_update`. Updates of one collection go one after the other, in the order of their acceptance,
 * so that D1 ends with the settings that the chain ends with.
 */
export const collectionUpdateKind = kindOf<
  CollectionUpdateOperation,
  boolean,
  KindAnswers["collection_update"]
>({
  wallet: "integration",

  // Once it is handed over its turn has come.
  facts: async (context, operation, records) =>
    records.length === 0 && (await hasEarlierOperation(context.db, operation)),

  pause: (_request, hasEarlier) => (hasEarlier ? TURN_MS : 0),

  steps: () => ["update"],

  storage: ({ contract, changes }) => ({ contract, bytes: SETTINGS_BYTES + jsonBytes(changes) }),

  transaction: async (_context, { request: { contract, collectionId, changes } }) => ({
    receiverId: contract,
    actions: [updateCollection(collectionId, changes)],
  }),

  effects: async (context, { id, request, subjectId, integrationId }) => {
    const row = await findCollection(context.db, integrationId, subjectId);
    if (!row) throw new Error(`collection ${subjectId} has no row`);
    const now = context.now();
    const { collection, contractAccountId } = row;
    const settings = { ...collection.settings, ...request.changes };
    return {
      status: 200,
      body: toCollection({ ...collection, settings, updatedAt: now }, contractAccountId),
      statements: [changeSettings(context.db, subjectId, request.changes, { operationId: id, now })],
    };
  },
});
