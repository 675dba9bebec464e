import type { CodeState } from "../../api/resources/contract.ts";
import { AssetBatch, type ContractAsset } from "../../chain/contract/asset-batch.ts";
import { contractSettings } from "../../chain/contract/settings.ts";
import type { Registration } from "../../collections/currencies.ts";
import { HiddenAssets, openOrder } from "../../collections/hidden-assets.ts";
import type { ServiceContext } from "../../context.ts";
import type { DraftAssets } from "../../db/draft-assets.ts";
import type { AssetRow } from "../../db/queries/assets.ts";
import { type BatchSize, batchStorage, fitsTransaction } from "../../domain/batch-limits.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { SealedOrder } from "../../domain/reveal.ts";
import type { CollectionSettings } from "../../domain/settings.ts";

/** Consecutive assets of a draft for one transaction. */
export interface PlannedBatch {
  /** Position after which its assets begin. */
  readonly after: number;
  /** Number of assets before it. */
  readonly offset: number;
  readonly assets: number;
  /** Maximum bytes of storage. */
  readonly storage: number;
}

/** A draft's assets split into transactions. */
export interface FinalizePlan {
  readonly batches: readonly PlannedBatch[];
  readonly assets: number;
  /** Sum of copies. */
  readonly total: number;
}

/** A finalization, as stored with its operation. The assets are in its draft, which is locked from the acceptance. */
export interface FinalizeOperation {
  readonly collectionUuid: Uuid;
  readonly contractUuid: Uuid;
  /** The contract's account. */
  readonly contract: string;
  /** What may become of the contract's code. */
  readonly codeState: CodeState;
  readonly settings: CollectionSettings;
  /** What registers the contract at the tokens of its phases; absent: nothing. */
  readonly registrations?: readonly Registration[];
  /** Of a collection that hides its assets; absent: it shows them. */
  readonly reveal?: {
    readonly order: SealedOrder;
    /** SHA-256 of what tokens show before the reveal, lower-case hexadecimal. */
    readonly placeholder: string;
    /** When the schedule reveals the assets; null: it doesn't. */
    readonly at: string | null;
  };
  /** Base address of the gateway. */
  readonly base: string;
  /** Where an earlier finalization of the draft stopped on the chain; null if there was none. */
  readonly begun: {
    readonly collectionId: number;
    readonly assets: number;
    readonly published: boolean;
  } | null;
  /**
   * The split of the assets, stored before the first step is submitted because steps are identified by their numbers. A
   * draft of more than a page is split once it is locked (`keepPlan`).
   */
  readonly plan?: FinalizePlan;
}

/** What was read of a draft before its finalization was accepted. */
export interface DraftAsRead {
  readonly createdAt: Date;
  /** All its assets; null: not read. */
  readonly whole: readonly AssetRow[] | null;
}

/** The locked draft of a finalization, with what was read of it. */
export interface FinalizedDraft {
  readonly assets: DraftAssets;
  /** Undefined if not read. */
  readonly createdAt: Date | undefined;
}

/** The draft has no assets. */
export const draftEmpty = (): ServiceError =>
  new ServiceError("draft_empty", "Attach assets to the draft with asset-bulk before finalizing it.");

/** Assets in the order in which the chain has them. */
interface OrderedAssets {
  behind(position?: number): AsyncIterable<ContractAsset & { readonly position: number }>;
}

/** A draft's hidden assets in the order of its finalization; null: it shows them. @throws Error if the order can't be opened */
export const hiddenAssets = async (
  context: Pick<ServiceContext, "settings">,
  { reveal, collectionUuid }: Pick<FinalizeOperation, "reveal" | "collectionUuid">,
  assets: DraftAssets,
): Promise<HiddenAssets | null> =>
  reveal ? HiddenAssets.read(assets, await openOrder(context, collectionUuid, reveal.order)) : null;

/** What goes to the chain of assets now. */
const emptyBatch = (assets: OrderedAssets): AssetBatch =>
  new AssetBatch(assets instanceof HiddenAssets ? "hidden" : "whole");

/**
 * Splits a draft's assets into batches. The result depends only on the draft, which is locked during its finalization,
 * so every resume splits it the same way.
 * @param skip assets already on the chain
 * @param head additional bytes of the first batch: the settings, whose account lists may be long
 */
const planBatches = async (
  draft: OrderedAssets,
  { skip, head }: { readonly skip: number; readonly head: number },
): Promise<FinalizePlan> => {
  const batches: PlannedBatch[] = [];
  let batch = emptyBatch(draft);
  let after = -1;
  let last = -1;
  let assets = 0;
  let total = 0;
  const close = () => {
    const { size } = batch;
    if (size.assets === 0) return;
    batches.push({ after, offset: assets - size.assets, assets: size.assets, storage: batchStorage(size) });
    batch = emptyBatch(draft);
    after = last;
  };
  const fits = (size: BatchSize): boolean =>
    fitsTransaction({ ...size, bytes: size.bytes + (batches.length === 0 ? head : 0) });
  for await (const asset of draft.behind()) {
    if (assets < skip) after = asset.position;
    else {
      if (!fits(batch.sizeWith(asset))) close();
      batch.add(asset);
    }
    last = asset.position;
    assets++;
    total += asset.copies;
  }
  close();
  return { batches, assets, total };
};

/**
 * Splits the draft's assets that an earlier finalization hasn't put on the chain.
 * @throws ServiceError conflict if they are to be hidden, and couldn't be revealed
 */
export const splitAssets = async (
  context: Pick<ServiceContext, "settings">,
  request: FinalizeOperation,
  assets: DraftAssets,
): Promise<FinalizePlan> => {
  const hidden = await hiddenAssets(context, request, assets);
  hidden?.requireRevealable();
  return planBatches(
    hidden ?? assets,
    request.begun === null
      ? { skip: 0, head: settingsLength(request) }
      : { skip: request.begun.assets, head: 0 },
  );
};

/** Bytes of the commitment and the placeholder in the contract's JSON. */
const REVEAL_BYTES = 200;

/** Bytes of a collection's settings in the contract's JSON. */
export const settingsLength = ({ settings, reveal }: FinalizeOperation): number =>
  Buffer.byteLength(JSON.stringify(contractSettings(settings))) + (reveal ? REVEAL_BYTES : 0);

/** The assets of a planned batch. */
export const readBatch = async (
  draft: OrderedAssets,
  { after, assets }: PlannedBatch,
): Promise<AssetBatch> => {
  const batch = emptyBatch(draft);
  for await (const asset of draft.behind(after)) {
    batch.add(asset);
    if (batch.size.assets === assets) break;
  }
  return batch;
};
