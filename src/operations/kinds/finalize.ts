import { addAssets, createCollection, publishCollection } from "../../chain/contract/calls.ts";
import { contractSettings } from "../../chain/contract/settings.ts";
import { type ContractCollection, contractViews } from "../../chain/contract/views.ts";
import { connect } from "../../chain/rpc.ts";
import { collectionView } from "../../collections/collections.ts";
import { ipfsResult } from "../../collections/directory.ts";
import { newCollection } from "../../collections/new-collection.ts";
import { findOnChain } from "../../collections/on-chain.ts";
import type { ServiceContext } from "../../context.ts";
import { finishDraft, keepPlan, releaseDraft } from "../../db/queries/collection-effects.ts";
import { openOperationOf } from "../../db/queries/operations.ts";
import { batchStorage, collectionStorage, firstMintsStorage } from "../../domain/batch-limits.ts";
import { uuidToBytes } from "../../domain/ids.ts";
import {
  finalizeRemedy,
  finalizeSteps,
  isToldByCollection,
  nextStep,
  settleByCollection,
  stepName,
} from "../../domain/steps.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import { BYTE_PRICE, topUpFor } from "../engine/top-up.ts";
import { heightOf, type KindRules, type Operation, returned, succeeded } from "../kind.ts";
import {
  type FinalizeOperation,
  type FinalizePlan,
  type PlannedBatch,
  planBatches,
  readBatch,
} from "./finalize-plan.ts";
import { keepManifestOf, putFinalizationBack } from "./finalize-restored.ts";

/** What a finalization's steps depend on beside its transactions. */
interface FinalizeFacts {
  readonly plan: FinalizePlan;
  /** Where the nodes have forgotten a transaction, or the contract has the collection already: as the chain shows it. */
  readonly shown: ContractCollection | null;
  /** The contract holds it up until its upgrade is done. */
  readonly isUpgrading: boolean;
}

/** From here on the directory of the files is much work, and how much of it there is. */
const MANY_ASSETS = 2_000;
const EFFORT_MS = 15_000;
const EFFORT_AN_ASSET_MS = 4;

/** One transaction where the assets fit it; else the collection with the first of them, the others, and publishing. */
export const finalizeRules: KindRules<FinalizeOperation> = {
  wallet: "integration",

  facts: async (context, operation, records): Promise<FinalizeFacts> => {
    const isForgotten = records.some(isToldByCollection);
    const isHeldUp = records.some(({ contractCode }) => contractCode === "E_MIGRATION");
    return {
      plan: await planOf(context, operation),
      shown: isForgotten
        ? await shownOnChain(context, operation, Math.max(heightOf(records), operation.height ?? 0))
        : null,
      isUpgrading:
        isHeldUp &&
        (await openOperationOf(context.db, operation.request.contractUuid, "contract_upgrade")) !== undefined,
    };
  },

  next: (request, outcomes, facts) => {
    const { plan, shown, isUpgrading } = facts as FinalizeFacts;
    const steps = finalizeSteps(plan.batches.length, request.begun !== null, request.begun?.published);
    const ends = new Map(
      steps
        .filter((name) => name !== "publish")
        .map((name) => {
          const { offset, assets } = batchOf(name, plan, request);
          return [name, offset + assets] as const;
        }),
    );
    return nextStep(steps, settleByCollection(outcomes, shown, ends), finalizeRemedy(isUpgrading));
  },

  transaction: async (context, operation, step, records, facts) => {
    const { plan } = facts as FinalizeFacts;
    const { request, subjectId } = operation;
    const { contract, settings } = request;
    const name = stepName(step);
    if (name.startsWith("topup")) {
      const of = name.slice("topup:".length).replace(/:\d+$/, "");
      return topUpFor(contract, records, storageOf(of, plan, request));
    }
    if (name === "publish") {
      return {
        receiverId: contract,
        actions: [publishCollection(collectionIdOf(operation, records, facts))],
      };
    }
    const planned = batchOf(name, plan, request);
    if (name === "create") await keepManifestOf(context, operation);
    const assets = await readBatch(context.db, subjectId, planned);
    const deposit = BigInt(storageOf(name, plan, request)) * BYTE_PRICE;
    const action =
      name === "create"
        ? createCollection(
            settings,
            uuidToBytes(request.collectionUuid),
            plan.batches.length === 1,
            assets,
            deposit,
          )
        : addAssets(collectionIdOf(operation, records, facts), planned.offset, assets, deposit);
    return { receiverId: contract, actions: [action] };
  },

  effects: async (context, operation, records, facts) => {
    const { request, subjectId, integrationId, id } = operation;
    const { plan } = facts as FinalizeFacts;
    const { directory, row, statements } = await newCollection(context, {
      id: request.collectionUuid,
      integrationId,
      contractId: request.contractUuid,
      draftId: subjectId,
      onChainId: collectionIdOf(operation, records, facts),
      settings: request.settings,
      total: plan.total,
      assets: plan.assets,
      minted: 0,
      height: heightOf(records),
    });
    return {
      status: 201,
      body: {
        message: "success",
        ipfs_result: ipfsResult(directory, request.base),
        contract_address: request.contract,
        near_collection: collectionView(row, request.contract),
        collection_uuid: request.collectionUuid,
        tx_results: records.flatMap(({ state, result, step }) =>
          state === "succeeded" && !step.startsWith("topup") ? [result] : [],
        ),
      },
      statements: [...statements, finishDraft(context.db, subjectId, id, context.now())],
    };
  },

  acceptedWith: putFinalizationBack,

  // A directory of thousands of names has hundreds of blocks to be put.
  effort: (facts) => {
    const { assets } = (facts as FinalizeFacts).plan;
    return assets < MANY_ASSETS ? 0 : EFFORT_MS + assets * EFFORT_AN_ASSET_MS;
  },

  isCommitted: (records) => mayHaveBegun(records),

  // What is on the chain, or may be, has to be completed: its draft stays locked, and the next finalization goes on
  // there. A draft that is released may be changed, and then be made a collection of its own beside that one.
  onFailure: (context, { id, subjectId, request }, records) =>
    mayHaveBegun(records) || request.begun !== null
      ? []
      : [releaseDraft(context.db, subjectId, id, context.now())],
};

/**
 * Whether a collection was created, or nobody can say: only a failure on the chain, or a proof, speaks against it, unless
 * it failed because the collection is there.
 */
const mayHaveBegun = (records: readonly TransactionRecord[]): boolean =>
  records.some(
    ({ step, state, contractCode }) =>
      stepName(step) === "create" &&
      ((state !== "failed" && state !== "refused") || contractCode === "E_EXTERNAL_ID_TAKEN"),
  );

/** The operation's plan, kept with it before anything depends on it. */
const planOf = async (
  { db }: ServiceContext,
  { id, subjectId, request }: Operation<FinalizeOperation>,
): Promise<FinalizePlan> => {
  if (request.plan) return request.plan;
  const cut =
    request.begun === null
      ? { skip: 0, head: settingsLength(request) }
      : { skip: request.begun.assets, head: 0 };
  const plan = await keepPlan(db, id, await planBatches(db, subjectId, cut));
  // The row in hand becomes what the database has: with the first step the wallet is given the request to keep.
  Object.assign(request, { plan });
  return plan;
};

/**
 * The collection of a finalization as the chain shows it.
 * @param height that the answering node has to have reached: what a finalization did before shows there
 */
export const shownOnChain = (
  context: ServiceContext,
  { request }: Pick<Operation<FinalizeOperation>, "request">,
  height: number,
): Promise<ContractCollection | null> =>
  findOnChain(contractViews(connect(context.settings), request.contract, height), request.collectionUuid);

const collectionIdOf = (
  { request }: Operation<FinalizeOperation>,
  records: readonly TransactionRecord[],
  facts: unknown,
): number =>
  request.begun?.collectionId ??
  (facts as FinalizeFacts).shown?.collection_id ??
  returned<number>(succeeded(records, "create"));

/** The batch of a step: the first goes with `create`, unless an earlier finalization has done that. */
const batchOf = (name: string, plan: FinalizePlan, { begun }: FinalizeOperation): PlannedBatch => {
  const index = name === "create" ? 0 : Number(name.slice("add:".length)) - (begun === null ? 0 : 1);
  const batch = plan.batches[index];
  if (!batch) throw new Error(`a finalization has no batch for step ${name}`);
  return batch;
};

/** Bytes of storage that a step takes, at most; the first pays for the first mints as well. */
const storageOf = (name: string, plan: FinalizePlan, request: FinalizeOperation): number => {
  if (name === "publish") return batchStorage({ bytes: 0, assets: 0, distinctSubtitles: 0 });
  const batch = batchOf(name, plan, request).storage;
  if (name !== "create") return batch;
  return batch + collectionStorage(settingsLength(request)) + firstMintsStorage(plan.total);
};

/** Bytes of a collection's settings in the contract's JSON. */
const settingsLength = ({ settings }: FinalizeOperation): number =>
  Buffer.byteLength(JSON.stringify(contractSettings(settings)));
