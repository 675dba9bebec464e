import { updateCollection } from "../../chain/contract/calls.ts";
import { type CollectionTarget, targetOf } from "../../collections/collection-target.ts";
import { toCollection } from "../../collections/collections.ts";
import { whereUpgraded } from "../../collections/contract-release.ts";
import { requirePayees } from "../../collections/payees.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { changeSettings, requireAsRead } from "../../db/queries/collection-effects.ts";
import { findCollection } from "../../db/queries/collections.ts";
import { type CollectionTurn, collectionTurn, type TurnRow, turnFrom } from "../../db/queries/turns.ts";
import type { Uuid } from "../../domain/ids.ts";
import { jsonBytes } from "../../domain/json-bytes.ts";
import type { CollectionChanges } from "../../domain/requests.ts";
import { type GuardedProposal, type KindAnswers, kindOf } from "../kind.ts";

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
): Promise<GuardedProposal<"collection_update">> => {
  const target = await targetOf(context, caller, collectionUuid);
  await requirePayees(context, changes);
  const request: CollectionUpdateOperation = { ...target, changes };
  const guard = whereUpgraded(context, target.contract);
  return { kind: "collection_update", subjectId: collectionUuid, request, ...guard };
};

/** Bytes that settings take beside their texts. */
const SETTINGS_BYTES = 500;

/** Nothing was read: its first step is handed over already, so that its turn has come. */
const UNREAD: CollectionTurn = { earlier: null, row: null };

/**
 * One call of `collection_update`. Updates of one collection go one after the other, in the order of their acceptance,
 * so that D1 ends with the settings that the chain ends with. The answer is made of the collection as it was when the
 * turn had come, unless it has changed since.
 */
export const collectionUpdateKind = kindOf<
  CollectionUpdateOperation,
  CollectionTurn,
  KindAnswers["collection_update"]
>({
  wallet: "integration",

  // Nothing that is accepted later comes before it: a turn that has come stays.
  facts: async ({ db }, operation, records, known) =>
    known ?? (records.length > 0 ? UNREAD : turnFrom(await collectionTurn(db, operation))),

  accepted: { read: collectionTurn, facts: (rows) => turnFrom(rows as readonly TurnRow[]) },

  follows: ({ earlier }) => earlier,

  steps: () => ["update"],

  storage: ({ contract, changes }) => ({ contract, bytes: SETTINGS_BYTES + jsonBytes(changes) }),

  transaction: async (_context, { request: { contract, collectionId, changes } }) => ({
    receiverId: contract,
    actions: [updateCollection(collectionId, changes)],
  }),

  effects: async (context, { id, request, subjectId, integrationId }, { facts }) => {
    const { db } = context;
    const row = facts.row ?? (await findCollection(db, integrationId, subjectId));
    if (!row) throw new Error(`collection ${subjectId} has no row`);
    const now = context.now();
    const { collection, contractAccountId } = row;
    const settings = { ...collection.settings, ...request.changes };
    return {
      status: 200,
      body: toCollection({ ...collection, settings, updatedAt: now }, contractAccountId),
      statements: [changeSettings(db, subjectId, request.changes, { operationId: id, now })],
      ...(facts.row && { asRead: requireAsRead(db, collection, id) }),
    };
  },
});
