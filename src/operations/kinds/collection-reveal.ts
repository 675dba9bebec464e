import { type SQL, sql } from "drizzle-orm";
import { alikeRevealGas, revealBatches } from "../../chain/contract/calls.ts";
import { type ContractCollection, contractViews } from "../../chain/contract/views.ts";
import { connectFor } from "../../chain/rpc.ts";
import { type CollectionTarget, placeOf, readableOf } from "../../collections/collection-target.ts";
import { requireCollection } from "../../collections/collections.ts";
import { type CommittedBatch, readOrder, shuffledAssets } from "../../collections/hidden-assets.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { raiseRevealed, showsFewer } from "../../db/queries/collection-effects.ts";
import { type CollectionRow, findCollection } from "../../db/queries/collections.ts";
import { insertEvents } from "../../db/queries/events.ts";
import { hasOpenOperation, openOperationOf } from "../../db/queries/operations.ts";
import type { Statement } from "../../db/statements.ts";
import { batchStorage } from "../../domain/batch-limits.ts";
import { counted } from "../../domain/counted.ts";
import { ServiceError, unsentConflict } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { packed } from "../../domain/packing.ts";
import { revealState } from "../../domain/reveal.ts";
import { stepName } from "../../domain/steps.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import { type Consequences, type KindResults, kindOf, type Operation, type Proposal } from "../kind.ts";
import { hasSucceeded, heightOf } from "../records.ts";

/** Batches that one transaction reveals. */
interface RevealStep {
  /** Index of its first batch, and behind its last. */
  readonly from: number;
  readonly to: number;
  /** Assets that are shown once it has succeeded. */
  readonly shown: number;
  /** Maximum bytes of storage. */
  readonly storage: number;
}

/** A reveal, as stored with its operation: which batches, never what is in them. */
interface CollectionRevealOperation extends CollectionTarget {
  readonly steps: readonly RevealStep[];
  /** Priced only: as if each batch had the bytes of the largest. */
  readonly isPriced?: true;
}

/** The batches to reveal: those that are next, until at least so many assets are shown. */
const wantedOf = (
  batches: readonly CommittedBatch[],
  shown: { readonly shown: number; readonly next: string },
  assets: number | undefined,
): { readonly from: number; readonly to: number } => {
  const from = batches.findIndex(({ first }) => first === shown.shown);
  const next = batches[from]?.commitment;
  if (!next || Buffer.from(next).toString("base64") !== shown.next)
    throw unsentConflict(
      "The order that is kept isn't the one that the collection is committed to. Ask the operator.",
    );
  if (assets === undefined) return { from, to: batches.length };
  const wanted = shown.shown + assets;
  const last = batches.findIndex((batch) => batch.first + batch.assets >= wanted);
  return { from, to: last < 0 ? batches.length : last + 1 };
};

/** Bytes of the largest of a collection's batches. What a reveal needs follows from these, or it would tell which assets are next. */
const largestOf = (batches: readonly CommittedBatch[]): number =>
  Math.max(...batches.map(({ bytes }) => bytes.length));

/** Splits batches into transactions, each as if all had the bytes of the largest. */
const stepsOf = (batches: readonly CommittedBatch[], from: number, to: number): RevealStep[] => {
  const largest = largestOf(batches);
  const least = Math.min(...batches.map(({ bytes }) => bytes.length));
  const items = batches.slice(from, to).map(({ assets }) => ({
    gas: alikeRevealGas({ bytes: least, assets }, largest),
    bytes: largest,
  }));
  let at = from;
  return packed(items).map((count) => {
    const part = batches.slice(at, at + count);
    const last = part.at(-1)!;
    const size = {
      bytes: count * largest,
      assets: last.first + last.assets - part[0]!.first,
      distinctSubtitles: 0,
    };
    const step = { from: at, to: at + count, shown: last.first + last.assets, storage: batchStorage(size) };
    at += count;
    return step;
  });
};

/**
 * Proposes to show assets that a collection hides.
 * @param assets how many more, rounded up to whole batches; absent: all that are left
 * @throws ServiceError not_found, conflict (nothing is hidden, a reveal is under way, the order is lost), chain_unavailable
 */
export const proposeReveal = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
  assets: number | undefined,
): Promise<Proposal<"collection_reveal">> => {
  const found = await requireCollection(context, caller, collectionUuid);
  const row = found.collection;
  if (row.reveal === null) throw unsentConflict("E_ALREADY_REVEALED: The collection hides no assets.");
  const at = await readableOf(context, caller, collectionUuid);
  const shown = (await at.views.collection(at.collectionId))?.reveal;
  if (shown) await noteOwners(context, found, shown);
  if (!shown || shown.state === "revealed")
    throw unsentConflict("E_ALREADY_REVEALED: The collection hides no assets.");
  const batches = (await shuffledAssets(context, row)).batches;
  const { from, to } = wantedOf(batches, shown, assets);
  const request: CollectionRevealOperation = { ...placeOf(at), steps: stepsOf(batches, from, to) };
  const subject = { integrationId: caller.integrationId, subjectId: collectionUuid };
  const count = request.steps.at(-1)!.shown - shown.shown;
  return {
    kind: "collection_reveal",
    subjectId: collectionUuid,
    request,
    known: { batches },
    condition: sql`NOT ${hasOpenOperation(subject, "collection_reveal")}`,
    refusal: async () => {
      const open = await openOperationOf(
        ledgerOf(context, subject.integrationId),
        subject,
        "collection_reveal",
      );
      if (open)
        return unsentConflict(`Read operation ${open.id}: it reveals assets of this collection already.`);
      const message = "Send the request again: another reveal of this collection has just ended.";
      return new ServiceError("wallet_busy", message, {
        outcome: "not_submitted",
        retryable: true,
        retryAfter: 1,
      });
    },
    permanent: [`Shows ${count} of ${counted(row.assets, "asset")} to everyone, for ever.`],
  };
};

interface RevealFacts {
  readonly batches: readonly CommittedBatch[];
}

/** Assets that are shown by the steps of records; 0: by none. */
const shownBy = ({ steps }: CollectionRevealOperation, records: readonly TransactionRecord[]): number => {
  const done = new Set(records.map(({ step }) => stepName(step)));
  return Math.max(0, ...steps.flatMap(({ shown }, index) => (done.has(nameOf(index)) ? [shown] : [])));
};

const nameOf = (index: number): string => `reveal:${index + 1}`;

const stepOf = ({ steps }: CollectionRevealOperation, name: string): RevealStep =>
  steps[Number(name.slice("reveal:".length)) - 1]!;

const noteShown = (
  context: ServiceContext,
  { id, integrationId }: { readonly id: Uuid; readonly integrationId: Uuid },
  shown: number,
  condition?: SQL,
): Statement =>
  raiseRevealed(ledgerOf(context, integrationId), id, shown, {
    pins: context.settings.KUBO_RPC_URL !== undefined,
    now: context.now(),
    condition,
  });

/**
 * Notes that assets are shown, with the event that no success of an operation reports.
 * @param operationId that has shown them; absent: the owner has, or an operation that is open, whose end reports it
 */
const reportShown = (
  context: ServiceContext,
  { collection, contractAccountId }: CollectionRow,
  shown: number,
  operationId?: Uuid,
): [Statement, Statement] => {
  const { id, integrationId, onChainId, assets, reveal, revealAt } = collection;
  const state = revealState(shown, assets);
  const data = {
    collection_uuid: id,
    collection_id: onChainId,
    contract_address: contractAccountId,
    total_assets: assets,
    reveal: { state, shown, commitment: reveal!.commitment, at: timeLeft(state, revealAt) },
  };
  const event = { integrationId, runs: [["collection.revealed", 1]], operationId, data } as const;
  const isOwners =
    operationId === undefined
      ? sql`NOT ${hasOpenOperation({ integrationId, subjectId: id }, "collection_reveal")}`
      : sql`true`;
  const isNews = sql`${showsFewer(id, shown)} AND ${isOwners}`;
  return [
    insertEvents(ledgerOf(context, integrationId), { ...event, at: context.now() }, isNews),
    noteShown(context, collection, shown, isOwners),
  ];
};

/**
 * Notes and reports what the owner has revealed without the service, by the exported order. What doesn't follow that order is
 * shown by other code, and nothing of it is noted.
 */
export const noteOwners = async (
  context: ServiceContext,
  row: CollectionRow,
  reveal: NonNullable<ContractCollection["reveal"]>,
): Promise<void> => {
  const { collection } = row;
  if (collection.reveal === null || reveal.shown <= collection.reveal.shown) return;
  const isLost = (collection.reveal.order ?? (await readOrder(context, collection.id))) === null;
  if (isLost) return;
  const { batches } = await shuffledAssets(context, collection);
  const last = batches.find(({ first, assets }) => first + assets === reveal.shown);
  if (last !== undefined && Buffer.from(last.next).toString("base64") === reveal.next)
    await runBatch(ledgerOf(context, collection.integrationId), reportShown(context, row, reveal.shown));
};

/** The time at which the rest is revealed; null: none is planned, or left. */
const timeLeft = (state: ReturnType<typeof revealState>, revealAt: Date | null | undefined): string | null =>
  state === "revealed" ? null : (revealAt?.toISOString() ?? null);

const reportSteps = async (
  context: ServiceContext,
  { id, subjectId, integrationId, request }: Operation<CollectionRevealOperation>,
  records: readonly TransactionRecord[],
): Promise<Consequences> => {
  const shown = shownBy(request, records);
  const ledger = ledgerOf(context, integrationId);
  const row = shown === 0 ? undefined : await findCollection(ledger, subjectId);
  return row ? { statements: reportShown(context, row, shown, id) } : {};
};

/** Batches of assets in as many transactions as the limits ask for. What is shown stays; a further reveal continues. */
export const collectionRevealKind = kindOf<
  CollectionRevealOperation,
  RevealFacts,
  KindResults["collection_reveal"]
>({
  facts: async (context, { subjectId, integrationId }, _records, known) => {
    if (known) return known;
    const row = await findCollection(ledgerOf(context, integrationId), subjectId);
    if (!row) throw new Error(`collection ${subjectId} has no row`);
    return { batches: (await shuffledAssets(context, row.collection)).batches };
  },

  steps: ({ steps }) => steps.map((_, index) => nameOf(index)),

  storage: (request, step) => ({ contract: request.contract, bytes: stepOf(request, step).storage }),

  prepared: async (_context, { request }) => ({ ...request, isPriced: true }),

  transaction: async (_context, { request }, step, { facts }) => {
    const { from, to } = stepOf(request, step);
    const { contract, collectionId, isPriced } = request;
    const largest = largestOf(facts.batches);
    const batches = facts.batches
      .slice(from, to)
      .map((batch) => (isPriced ? { ...batch, bytes: new Uint8Array(largest) } : batch));
    return { receiverId: contract, actions: revealBatches(collectionId, batches, largest) };
  },

  effects: async (context, operation, { records }) => {
    const { request, subjectId, integrationId } = operation;
    const { contract, collectionId } = request;
    const views = contractViews(connectFor(context), contract, heightOf(records));
    const found = await views.collection(collectionId);
    if (!found?.reveal) throw new Error(`${contract} shows no reveal of collection ${collectionId}`);
    const { commitment } = found.reveal;
    const shown = request.steps.at(-1)!.shown;
    const state = revealState(shown, found.assets);
    const row =
      state === "revealed" ? undefined : await findCollection(ledgerOf(context, integrationId), subjectId);
    return {
      status: 200,
      body: {
        message: "success",
        revealed: {
          collection_uuid: subjectId,
          collection_id: collectionId,
          contract_address: contract,
          total_assets: found.assets,
          reveal: { state, shown, commitment, at: timeLeft(state, row?.collection.revealAt) },
        },
        tx_results: records.filter(hasSucceeded).map(({ result }) => result),
      },
      statements: [noteShown(context, { id: subjectId, integrationId }, shown)],
    };
  },

  onFailure: (context, operation, records) => reportSteps(context, operation, records.filter(hasSucceeded)),

  // Of what succeeded, and what couldn't be proven.
  onSettled: (context, operation, records) =>
    reportSteps(
      context,
      operation,
      records.filter((record) => hasSucceeded(record) || record.state === "unknown"),
    ),
});
