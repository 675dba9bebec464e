import { sql } from "drizzle-orm";
import { updateCollection } from "../../chain/contract/calls.ts";
import { phaseCounts, settingsFromContract } from "../../chain/contract/settings.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { connectFor } from "../../chain/rpc.ts";
import { type CollectionTarget, targetOf } from "../../collections/collection-target.ts";
import { toCollection } from "../../collections/collections.ts";
import { type Registration, readCurrencies } from "../../collections/currencies.ts";
import { requirePayees } from "../../collections/new-collection.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import {
  changeSettings,
  hasLock,
  notePhaseCounts,
  requireAsRead,
} from "../../db/queries/collection-effects.ts";
import { type CollectionRow, findCollection } from "../../db/queries/collections.ts";
import { type CollectionTurn, collectionTurn, turnFrom } from "../../db/queries/turns.ts";
import { ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid } from "../../domain/ids.ts";
import { jsonBytes } from "../../domain/json-text.ts";
import { lockedChanges, lockedError, locksAgainst } from "../../domain/locks.ts";
import { RECORD_BYTES } from "../../domain/promised-bytes.ts";
import {
  type CollectionSettings,
  changedSettings,
  configIssues,
  hasConfigChanges,
  type PhaseCounts,
  type SettingsChanges,
} from "../../domain/settings.ts";
import { type KindResults, kindOf, type Proposal } from "../kind.ts";
import { heightOf } from "../records.ts";
import {
  forgetUnpaid,
  isRegistration,
  registering,
  registrationOf,
  registrationSteps,
} from "../registrations.ts";
import { readSettled, reportSettled } from "../settled.ts";

/** An update of a collection, as stored with its operation. */
export interface CollectionUpdateOperation extends CollectionTarget {
  readonly changes: SettingsChanges;
  /** What registers the contract at the tokens of new phases; absent: nothing. */
  readonly registrations?: readonly Registration[];
}

/**
 * Proposes a change of a collection's settings.
 * @throws ServiceError not_found, unknown_account, invalid_request (a mint config without a price, or that ends before
 *   it starts; what is no currency), chain_unavailable; on acceptance conflict (a lock), wallet_busy and spending_limit_reached, of
 *   registrations
 */
export const proposeCollectionUpdate = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  changes: SettingsChanges,
): Promise<Proposal<"collection_update">> => {
  const target = await targetOf(context, caller, collectionUuid);
  const { phases } = changes;
  const [currencies] = await Promise.all([
    phases && readCurrencies(context, caller.integrationId, target.contract, phases),
    requirePayees(context, changes),
    requireConfigs(context, caller, collectionUuid, changes),
  ]);
  const { described, registrations = [] } = currencies ?? {};
  const request: CollectionUpdateOperation = {
    ...target,
    changes: phases && described ? { ...changes, phases: phases.map(described) } : changes,
    ...(registrations.length > 0 && { registrations }),
  };
  const id = newUuid();
  const { integrationId } = caller;
  return {
    ...{ id, kind: "collection_update", subjectId: collectionUuid, request },
    ...registering(context, { id, integrationId }, registrations),
    ...unlessKept(context, caller, collectionUuid, changes),
  };
};

/** Refuses what the known locks forbid. Values that stay, and what allows more, are sent all the same. */
const unlessKept = (
  context: ServiceContext,
  { integrationId }: Caller,
  collectionUuid: Uuid,
  changes: SettingsChanges,
): Pick<Proposal, "unlocked"> => {
  const locks = locksAgainst(changes);
  if (locks.length === 0) return {};
  const check = async () => {
    const row = await requireRow(context, integrationId, collectionUuid);
    const { collection, contractAccountId } = row;
    const issuesWith = (settings: CollectionSettings) => lockedChanges(collection.locks, settings, changes);
    if (issuesWith(collection.settings).length === 0) return;
    // The contract's admins may have changed what the locks keep since the ledger was compared with the chain.
    const views = contractViews(connectFor(context), contractAccountId, collection.height);
    const shown = await views.collection(collection.onChainId);
    if (shown === null) throw new Error(`${contractAccountId} lacks collection ${collection.onChainId}`);
    const issues = issuesWith(settingsFromContract(shown, collection.settings));
    if (issues.length > 0) throw lockedError(issues[0]!.message, issues);
  };
  return { unlocked: { condition: sql`NOT ${hasLock(collectionUuid, locks)}`, check } };
};

/** Checks that the mint configs can be changed in their current state; running updates may still change them. */
const requireConfigs = async (
  context: ServiceContext,
  { integrationId }: Caller,
  collectionUuid: Uuid,
  changes: SettingsChanges,
): Promise<void> => {
  if (!hasConfigChanges(changes)) return;
  const { collection } = await requireRow(context, integrationId, collectionUuid);
  const issues = configIssues(collection.settings, changes);
  if (issues.length > 0) throw new ServiceError("invalid_request", issues[0]!.message, { issues });
};

const requireRow = async (context: ServiceContext, integrationId: Uuid, id: Uuid): Promise<CollectionRow> => {
  const row = await findCollection(ledgerOf(context, integrationId), id);
  if (!row) throw new Error(`collection ${id} has no row`);
  return row;
};

/** Bytes of settings other than their texts. */
const SETTINGS_BYTES = 500;

/** Bytes of the record in which shares of an account without a name wait (docs/contract.md, "Records"). */
const SHARE_BYTES = RECORD_BYTES + 34;

/** Maximum bytes of storage of changed settings. */
const storageOf = (changes: SettingsChanges): number =>
  SETTINGS_BYTES + jsonBytes(changes) + SHARE_BYTES * Object.keys(changes.initial_royalties ?? {}).length;

/**
 * Counts of phases after a change: a phase that is given again may have been minted in and have a list.
 * @returns undefined if the node doesn't have the collection yet
 */
const countsAfter = async (
  context: ServiceContext,
  { contract, collectionId }: CollectionTarget,
  height: number,
): Promise<PhaseCounts | undefined> => {
  const shown = await contractViews(connectFor(context), contract, height).collection(collectionId);
  return shown === null ? undefined : phaseCounts(shown);
};

/** Nothing to read: its first step was submitted, so its turn has come. */
const UNREAD: CollectionTurn = { earlier: null, row: null };

/**
 * One call of `collection_update`, behind those that register the contract at the tokens of its phases. Updates of a collection run one after another in order of acceptance, so that the ledger and
 * the chain end with the same settings, and each update changes a mint config as the previous one left it; nothing else
 * changes the ledger's settings while an update is open. The response is built from the collection at the start of the turn,
 * unless it has changed since.
 */
export const collectionUpdateKind = kindOf<
  CollectionUpdateOperation,
  CollectionTurn,
  KindResults["collection_update"]
>({
  // No later operation goes first: a turn that has come stays.
  facts: async (context, operation, records, known) =>
    known ??
    (records.length > 0
      ? UNREAD
      : turnFrom(await collectionTurn(ledgerOf(context, operation.integrationId), operation))),

  follows: ({ earlier }) => earlier,

  steps: ({ registrations }) => [...registrationSteps(registrations), "update"],

  storage: ({ contract, changes }, step) =>
    isRegistration(step) ? null : { contract, bytes: storageOf(changes) },

  transaction: async (context, { request, subjectId, integrationId }, step, { facts }) => {
    if (isRegistration(step)) return registrationOf(request.registrations, step);
    const { contract, collectionId, changes } = request;
    const { collection } = facts.row ?? (await requireRow(context, integrationId, subjectId));
    const changed = changedSettings(collection.settings, changes);
    return { receiverId: contract, actions: [updateCollection(collectionId, changed)] };
  },

  effects: async (context, { id, request, subjectId, integrationId }, { facts, records }) => {
    const ledger = ledgerOf(context, integrationId);
    const row = facts.row ?? (await requireRow(context, integrationId, subjectId));
    const now = context.now();
    const { collection } = row;
    const changed = changedSettings(collection.settings, request.changes);
    const settings = { ...collection.settings, ...changed };
    const counts = hasConfigChanges(request.changes)
      ? await countsAfter(context, request, heightOf(records))
      : collection.phaseCounts;
    if (counts === undefined) return null;
    return {
      status: 200,
      body: toCollection({
        ...row,
        collection: { ...collection, settings, phaseCounts: counts, updatedAt: now },
      }),
      statements: [
        changeSettings(ledger, subjectId, changed, { operationId: id, now }),
        ...(counts === null ? [] : [notePhaseCounts(ledger, subjectId, counts, { now, operationId: id })]),
      ],
      ...(facts.row && { asRead: requireAsRead(ledger, collection, id) }),
    };
  },

  onSettled: async (context, operation, records) => {
    const { id, request, subjectId, integrationId } = operation;
    const { collectionId } = request;
    const shown = await readSettled(context, operation, records, (views) => views.collection(collectionId));
    if (shown === null) return {};
    const row = await requireRow(context, integrationId, subjectId);
    const { collection } = row;
    const now = context.now();
    const settings = settingsFromContract(shown, collection.settings);
    const updated = toCollection({
      ...row,
      collection: { ...collection, settings, phaseCounts: phaseCounts(shown), updatedAt: now },
    });
    return {
      statements: [
        ...reportSettled(context, operation, "collection.updated", [updated]),
        changeSettings(ledgerOf(context, integrationId), subjectId, settings, { operationId: id, now }),
      ],
    };
  },

  onFailure: (context, operation, records) => ({ statements: forgetUnpaid(context, operation, records) }),
});
