import { addAssets, createCollection, publishCollection } from "../../chain/contract/calls.ts";
import { type ContractCollection, contractViews } from "../../chain/contract/views.ts";
import { connectFor } from "../../chain/rpc.ts";
import { toCollection } from "../../collections/collections.ts";
import { ipfsResult } from "../../collections/directory.ts";
import { keepManifest } from "../../collections/draft-manifest.ts";
import { commitmentOf, type HiddenAssets, keepOrder, resealOrder } from "../../collections/hidden-assets.ts";
import { type NewCollection, newCollection } from "../../collections/new-collection.ts";
import { findOnChain } from "../../collections/on-chain.ts";
import type { ServiceContext } from "../../context.ts";
import { DraftAssets } from "../../db/draft-assets.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { finishDraft, keepPlan, releaseDraft } from "../../db/queries/collection-effects.ts";
import { type DraftRow, findDraft } from "../../db/queries/drafts.ts";
import { batchStorage, collectionStorage, firstMintsStorage } from "../../domain/batch-limits.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { BYTE_PRICE } from "../../domain/promised-bytes.ts";
import {
  dependsOnCollection,
  finalizeSteps,
  settleByCollection,
  stepName,
  topUpOf,
} from "../../domain/steps.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import { type KindResults, type KnownFacts, kindOf, type Operation } from "../kind.ts";
import { hasSucceeded, heightOf, returned, succeeded } from "../records.ts";
import { forgetUnpaid, isRegistration, registrationOf, registrationSteps } from "../registrations.ts";
import {
  type DraftAsRead,
  draftEmpty,
  type FinalizedDraft,
  type FinalizeOperation,
  type FinalizePlan,
  hiddenAssets,
  type PlannedBatch,
  readBatch,
  settingsLength,
  splitAssets,
} from "./finalize-plan.ts";

/** Stores what is needed to restore this finalization and its draft if the database loses them. */
const keepManifestOf = async (
  context: ServiceContext,
  { subjectId, integrationId, request }: Operation<FinalizeOperation>,
  { assets, createdAt }: FinalizedDraft,
): Promise<void> => {
  const times = createdAt ? { createdAt } : await requireDraft(context, integrationId, subjectId);
  const draft = { id: subjectId, integrationId, createdAt: times.createdAt };
  const { collectionUuid, reveal } = request;
  if (reveal) await keepOrder(context, collectionUuid, reveal.order);
  await keepManifest(context, collectionUuid, { ...draft, ...restoredWith(request) }, assets);
};

/** What a draft has of its reveal beside its settings. */
const restoredWith = ({ reveal }: FinalizeOperation) => ({
  placeholder: reveal?.placeholder ?? null,
  reveal: reveal ? (reveal.at ?? true) : false,
});

const requireDraft = async (
  context: ServiceContext,
  integrationId: Uuid,
  id: Uuid,
): Promise<DraftRow["draft"]> => {
  const found = await findDraft(context.db, integrationId, id);
  if (!found) throw new Error(`draft ${id} has no row`);
  return found.draft;
};

/** Facts that a finalization's steps depend on. */
interface FinalizeFacts extends FinalizedDraft {
  readonly plan: FinalizePlan;
  /** The assets in their secret order; null: none are hidden. */
  readonly hidden: HiddenAssets | null;
  /** Names of the steps, and the batch of each except `publish`. */
  readonly steps: readonly string[];
  readonly batches: ReadonlyMap<string, PlannedBatch>;
  /**
   * The collection on the chain; read if nodes have garbage-collected a transaction, or the contract already has the
   * collection.
   */
  readonly shown: ContractCollection | null;
}

/** Number of assets from which building the directory takes long. */
const MANY_ASSETS = 2_000;

/**
 * One transaction if the assets fit; otherwise the collection with the first batch, the other batches, and publishing. The
 * contract is first registered at the tokens of its phases.
 */
export const finalizeKind = kindOf<FinalizeOperation, FinalizeFacts, KindResults["finalize"]>({
  // Its proposal provides a part of the facts.
  facts: async (context, operation, records, known: DraftAsRead | FinalizeFacts | undefined) => {
    const isForgotten = records.some(dependsOnCollection);
    const height = Math.max(heightOf(records), operation.height ?? 0);
    const assets =
      known && "assets" in known
        ? known.assets
        : new DraftAssets(context.db, operation.subjectId, known?.whole);
    const plan = await planOf(context, operation, assets);
    const hidden =
      known && "hidden" in known ? known.hidden : await hiddenAssets(context, operation.request, assets);
    return {
      ...stepsOf(plan, operation.request),
      assets,
      createdAt: known?.createdAt,
      plan,
      hidden,
      shown: isForgotten ? await collectionOnChain(context, operation, height) : null,
    };
  },

  steps: (_request, { steps }) => steps,

  proven: (outcomes, { shown, batches }) => {
    const ends = new Map(
      Array.from(batches, ([step, { offset, assets }]) => [step, offset + assets] as const),
    );
    return settleByCollection(outcomes, shown, ends);
  },

  prepared: async (context, operation) => {
    const { request, subjectId } = operation;
    const plan =
      request.plan ?? (await splitAssets(context, request, new DraftAssets(context.db, subjectId)));
    if (plan.assets === 0 && request.begun === null) throw draftEmpty();
    return { ...request, plan };
  },

  before: async (context, operation, step, facts) => {
    if (step === facts.steps[0]) await keepManifestOf(context, operation, facts);
  },

  storage: (request, step, facts) =>
    isRegistration(step) ? null : { contract: request.contract, bytes: storageOf(step, facts, request) },

  transaction: async (_context, { request }, step, known) => {
    const { contract, settings } = request;
    if (isRegistration(step)) return registrationOf(request.registrations, step);
    if (step === "publish") {
      return { receiverId: contract, actions: [publishCollection(collectionIdOf(request, known))] };
    }
    const batch = batchOf(step, known.facts);
    const { hidden } = known.facts;
    const assets = await readBatch(hidden ?? known.facts.assets, batch);
    const reveal = hidden && { commitment: commitmentOf(hidden), media: placeholderOf(request) };
    const deposit = BigInt(storageOf(step, known.facts, request)) * BYTE_PRICE;
    const publish = known.facts.plan.batches.length === 1;
    const action =
      step === "create"
        ? createCollection(
            { settings, externalId: uuidToBytes(request.collectionUuid), publish, reveal },
            assets,
            deposit,
          )
        : addAssets(collectionIdOf(request, known), batch.offset, assets, deposit);
    return { receiverId: contract, actions: [action] };
  },

  effects: async (context, operation, known) => {
    const { request, subjectId, integrationId, id } = operation;
    const { records, facts } = known;
    const { plan } = facts;
    const order = facts.hidden && (await resealOrder(context, request.collectionUuid, request.reveal!.order));
    if (order) await keepOrder(context, request.collectionUuid, order);
    const collection: NewCollection = {
      id: request.collectionUuid,
      integrationId,
      contractId: request.contractUuid,
      contractAccountId: request.contract,
      codeState: request.codeState,
      draftId: subjectId,
      onChainId: collectionIdOf(request, known),
      settings: request.settings,
      total: plan.total,
      assets: plan.assets,
      minted: 0,
      locks: {},
      height: heightOf(records),
      reveal: facts.hidden && {
        order,
        commitment: commitmentOf(facts.hidden),
        shown: 0,
      },
      revealAt: request.reveal?.at ? new Date(request.reveal.at) : null,
    };
    const { directory, row, statements } = await newCollection(context, collection, facts.assets);
    return {
      status: 201,
      body: {
        message: "success",
        ipfs_result: ipfsResult(directory, request.base),
        contract_address: request.contract,
        near_collection: toCollection({
          collection: row,
          contractAccountId: request.contract,
          codeState: request.codeState,
        }),
        collection_uuid: request.collectionUuid,
        tx_results: records
          .filter(hasSucceeded)
          .flatMap(({ result, step }) => (topUpOf(step) === null && !isRegistration(step) ? [result] : [])),
      },
      statements,
      indexed: [finishDraft(context.db, subjectId, id, context.now())],
    };
  },

  // A directory of thousands of names has hundreds of blocks to store.
  isLong: ({ plan: { assets } }) => assets >= MANY_ASSETS,

  isCommitted: (records) => mayHaveBegun(records),

  // A collection that may be on the chain must be completed: its draft stays locked, and the next finalization
  // continues there. A released draft could change and become a second collection.
  onFailure: (context, operation, records) => ({
    statements: forgetUnpaid(context, operation, records),
    indexed:
      mayHaveBegun(records) || operation.request.begun !== null
        ? []
        : [releaseDraft(context.db, operation.subjectId, operation.id, context.now())],
  }),
});

/** base64 of the placeholder's SHA-256. */
const placeholderOf = ({ reveal }: FinalizeOperation): string =>
  Buffer.from(reveal!.placeholder, "hex").toString("base64");

/** Assigns batches to steps. The first batch belongs to `create`, unless an earlier finalization has done that. */
const stepsOf = (
  { batches }: FinalizePlan,
  { begun, registrations }: FinalizeOperation,
): Pick<FinalizeFacts, "steps" | "batches"> => {
  const steps = finalizeSteps(batches.length, begun !== null, begun?.published);
  const named = steps.filter((step) => step !== "publish");
  return {
    steps: [...registrationSteps(registrations), ...steps],
    batches: new Map(named.map((step, index) => [step, batches[index]!])),
  };
};

/**
 * Whether a collection may have been created: excluded only by a failure on the chain or a proof, unless the failure
 * says that the collection exists.
 */
const mayHaveBegun = (records: readonly TransactionRecord[]): boolean =>
  records.some(
    ({ step, state, contractCode }) =>
      stepName(step) === "create" &&
      ((state !== "failed" && state !== "refused") || contractCode === "E_EXTERNAL_ID_TAKEN"),
  );

/** The operation's plan, stored before any step depends on it. */
const planOf = async (
  context: ServiceContext,
  { id, integrationId, request }: Operation<FinalizeOperation>,
  assets: DraftAssets,
): Promise<FinalizePlan> => {
  if (request.plan) return request.plan;
  const plan = await keepPlan(
    ledgerOf(context, integrationId),
    id,
    await splitAssets(context, request, assets),
  );
  // Update the row in memory too: the wallet stores the request with the first step.
  Object.assign(request, { plan });
  return plan;
};

/**
 * The collection of a finalization on the chain.
 * @param height minimum height of the node, at which the effects of earlier finalizations are visible
 */
export const collectionOnChain = (
  context: ServiceContext,
  { request }: Pick<Operation<FinalizeOperation>, "request">,
  height: number,
): Promise<ContractCollection | null> =>
  findOnChain(contractViews(connectFor(context), request.contract, height), request.collectionUuid);

const collectionIdOf = (
  { begun }: FinalizeOperation,
  { records, facts }: KnownFacts<FinalizeFacts>,
): number =>
  begun?.collectionId ?? facts.shown?.collection_id ?? returned<number>(succeeded(records, "create"));

const batchOf = (step: string, { batches }: FinalizeFacts): PlannedBatch => {
  const batch = batches.get(step);
  if (!batch) throw new Error(`a finalization has no batch for step ${step}`);
  return batch;
};

/** Maximum bytes of storage of a step; the first one also pays for the first mints. */
const storageOf = (step: string, facts: FinalizeFacts, request: FinalizeOperation): number => {
  if (step === "publish") return batchStorage({ bytes: 0, assets: 0, distinctSubtitles: 0 });
  const batch = batchOf(step, facts).storage;
  if (step !== "create") return batch;
  return batch + collectionStorage(settingsLength(request)) + firstMintsStorage(facts.plan.total);
};
