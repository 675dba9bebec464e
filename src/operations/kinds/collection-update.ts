import { updateCollection } from "../../chain/contract/calls.ts";
import type { CollectionTarget } from "../../collections/collection-target.ts";
import { collectionView } from "../../collections/collections.ts";
import { changeSettings } from "../../db/queries/collection-effects.ts";
import { findCollection } from "../../db/queries/collections.ts";
import { hasEarlierOperation } from "../../db/queries/operations.ts";
import type { CollectionChanges } from "../../domain/requests.ts";
import { nextStep, stepName, topUpRemedy } from "../../domain/steps.ts";
import { topUpFor } from "../engine/top-up.ts";
import type { KindRules } from "../kind.ts";

/** What an update of a collection needs to be carried out. */
export interface CollectionUpdateOperation extends CollectionTarget {
  readonly changes: CollectionChanges;
}

/** Bytes that settings take beside their texts. */
const SETTINGS_BYTES = 500;

/** Pause before a look at whether the update before has ended. Milliseconds. */
const TURN_MS = 200;

/**
 * One call of `collection_update`. Updates of one collection go one after the other, in the order of their acceptance,
 * so that D1 ends with the settings that the chain ends with.
 */
export const collectionUpdateRules: KindRules<CollectionUpdateOperation> = {
  wallet: "integration",

  facts: (context, operation) => hasEarlierOperation(context.db, operation),

  next: (_request, outcomes, hasEarlier) =>
    hasEarlier && outcomes.length === 0
      ? { do: "pause", delay: TURN_MS }
      : nextStep(["update"], outcomes, topUpRemedy),

  transaction: async (_context, { request }, step, records) => {
    const { contract, collectionId, changes } = request;
    if (stepName(step).startsWith("topup")) {
      return topUpFor(contract, records, SETTINGS_BYTES + JSON.stringify(changes).length);
    }
    return { receiverId: contract, actions: [updateCollection(collectionId, changes)] };
  },

  effects: async (context, { id, request, subjectId, integrationId }) => {
    const row = await findCollection(context.db, integrationId, subjectId);
    if (!row) throw new Error(`collection ${subjectId} has no row`);
    const now = context.now();
    const { collection, contractAccountId } = row;
    const settings = { ...collection.settings, ...request.changes };
    return {
      status: 200,
      body: collectionView({ ...collection, settings, updatedAt: now }, contractAccountId),
      statements: [changeSettings(context.db, subjectId, request.changes, id, now)],
    };
  },
};
