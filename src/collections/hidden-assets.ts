import { sha256 } from "@noble/hashes/sha2.js";
import { AssetBatch, type ContractAsset } from "../chain/contract/asset-batch.ts";
import { BorshWriter } from "../chain/contract/borsh-writer.ts";
import { type RevealedBatch, revealGas } from "../chain/contract/calls.ts";
import type { ServiceContext } from "../context.ts";
import { DraftAssets } from "../db/draft-assets.ts";
import { ledgerOf } from "../db/ledger.ts";
import { setOrder } from "../db/queries/collection-effects.ts";
import type { CollectionRow } from "../db/queries/collections.ts";
import { type ServiceError, unsentConflict } from "../domain/errors.ts";
import { batchSizes, commitmentsTo, orderOf, saltOf } from "../domain/hidden-order.ts";
import type { Uuid } from "../domain/ids.ts";
import { JSON_TYPE } from "../domain/media-types.ts";
import { TRANSACTION_LIMITS } from "../domain/packing.ts";
import type { SealedOrder } from "../domain/reveal.ts";
import { seal, unseal } from "../domain/sealing.ts";
import { ORDERS, orderKey } from "../files/storage/keys.ts";
import { putSame } from "../files/storage/put-blob.ts";

const SEED_BYTES = 32;

/** What a seed is sealed for: no account has such an id. */
const sealedFor = (collectionUuid: Uuid): string => `reveal ${collectionUuid}`;

/** A new secret order. */
export const newOrder = async ({ settings }: ServiceContext, collectionUuid: Uuid): Promise<SealedOrder> =>
  sealSeed(settings, collectionUuid, crypto.getRandomValues(new Uint8Array(SEED_BYTES)));

const sealSeed = async (
  { WALLET_SECRETS }: ServiceContext["settings"],
  collectionUuid: Uuid,
  seed: Uint8Array,
): Promise<SealedOrder> => {
  const { bytes, version } = await seal(seed, sealedFor(collectionUuid), WALLET_SECRETS);
  return { sealed: Buffer.from(bytes).toString("base64"), secretVersion: version };
};

/** The seed of an order. @throws Error if its secret is missing, or it was sealed for another collection */
export const openOrder = (
  { settings }: Pick<ServiceContext, "settings">,
  collectionUuid: Uuid,
  { sealed, secretVersion: version }: SealedOrder,
): Promise<Uint8Array> => {
  const bytes = Uint8Array.from(Buffer.from(sealed, "base64"));
  return unseal({ bytes, version }, sealedFor(collectionUuid), settings.WALLET_SECRETS);
};

/** The same order under the newest secret. */
export const resealOrder = async (
  context: ServiceContext,
  collectionUuid: Uuid,
  order: SealedOrder,
): Promise<SealedOrder> =>
  sealSeed(context.settings, collectionUuid, await openOrder(context, collectionUuid, order));

/** Keeps an order in R2, beside the collection's manifest, where it outlives the database. */
export const keepOrder = ({ env }: ServiceContext, collectionUuid: Uuid, order: SealedOrder): Promise<void> =>
  putSame(env.BUCKET, orderKey(collectionUuid), JSON.stringify({ version: 1, ...order }), {
    contentType: JSON_TYPE,
    customMetadata: { [SECRET_VERSION]: String(order.secretVersion) },
  });

/** Metadata of an order in R2: the version of the secret that it is sealed under. */
const SECRET_VERSION = "secret-version";

/** Collections with an order in R2 that is sealed under an older version. */
export const olderOrdersInR2 = async ({ env }: ServiceContext, version: number): Promise<Uuid[]> => {
  const older: Uuid[] = [];
  let cursor: string | undefined;
  do {
    const page = await env.BUCKET.list({ prefix: ORDERS, cursor, include: ["customMetadata"] });
    for (const { key, customMetadata } of page.objects)
      if (Number(customMetadata?.[SECRET_VERSION] ?? 0) < version)
        older.push(key.slice(ORDERS.length) as Uuid);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return older;
};

/** The order that R2 has of a collection; null: none. */
export const readOrder = async (
  { env }: Pick<ServiceContext, "env">,
  collectionUuid: Uuid,
): Promise<SealedOrder | null> => {
  const object = await env.BUCKET.get(orderKey(collectionUuid));
  if (object === null) return null;
  const { sealed, secretVersion } = await object.json<SealedOrder>();
  return { sealed, secretVersion };
};

/** An asset at its place on the chain. */
export type HiddenAsset = ContractAsset & { readonly id: Uuid; readonly position: number };

/** A batch of the reveal, with the commitment to it and those behind it. */
export type CommittedBatch = RevealedBatch & { readonly first: number; readonly commitment: Uint8Array };

/** What a reveal brings of assets. */
const revealedBatch = (assets: readonly HiddenAsset[]): AssetBatch => {
  const batch = new AssetBatch("revealed");
  for (const asset of assets) batch.add(asset);
  return batch;
};

/** Most bytes of a batch: those of a transaction, unless the gas of the call that reveals it ends before. */
const mostBytes = (assets: number): number => {
  const gasOfBytes = TRANSACTION_LIMITS.gas - revealGas({ bytes: 0, assets });
  const gasOfMost =
    revealGas({ bytes: TRANSACTION_LIMITS.bytes, assets: 0 }) - revealGas({ bytes: 0, assets: 0 });
  const byGas = Number((BigInt(TRANSACTION_LIMITS.bytes) * gasOfBytes) / gasOfMost);
  return Math.max(0, Math.min(TRANSACTION_LIMITS.bytes, byGas));
};

const tooLargeToReveal = (bytes: number, assets: number): ServiceError => {
  const most = mostBytes(assets);
  const message =
    `Shorten the subtitles, or hide fewer assets: a reveal shows a hundredth of them, here ${assets}, in one transaction, ` +
    `which holds ${most} bytes of hashes and subtitles. These take ${bytes}.`;
  return unsentConflict(message);
};

/** A draft's assets in their secret order. */
export class HiddenAssets {
  readonly all: readonly HiddenAsset[];
  readonly #seed: Uint8Array;

  private constructor(all: readonly HiddenAsset[], seed: Uint8Array) {
    this.all = all;
    this.#seed = seed;
  }

  /** Reads all assets of a locked draft, which have to fit into memory: about 200 bytes each. */
  static async read(assets: DraftAssets, seed: Uint8Array): Promise<HiddenAssets> {
    const drafted: Omit<HiddenAsset, "position">[] = [];
    for await (const { id, sha256: digest, referenceSha256, subtitle, copies } of assets.behind())
      drafted.push({ id, sha256: digest, referenceSha256, subtitle, copies });
    const order = orderOf(seed, drafted.length);
    return new HiddenAssets(
      order.map((index, position) => ({ ...drafted[index]!, position })),
      seed,
    );
  }

  /** Assets after a place; absent: all. */
  async *behind(place = -1): AsyncGenerator<HiddenAsset> {
    yield* this.all.slice(place + 1);
  }

  /** @throws ServiceError conflict if a batch doesn't fit into the transaction that reveals it */
  requireRevealable(): void {
    let first = 0;
    for (const assets of batchSizes(this.all.length)) {
      const { bytes } = revealedBatch(this.all.slice(first, first + assets)).size;
      if (bytes > TRANSACTION_LIMITS.bytes || revealGas({ bytes, assets }) > TRANSACTION_LIMITS.gas)
        throw tooLargeToReveal(bytes, assets);
      first += assets;
    }
  }

  /** The batches of the reveal, byte for byte as they are committed to. */
  get batches(): readonly CommittedBatch[] {
    let first = 0;
    const parts = batchSizes(this.all.length).map((assets) => {
      const batch = revealedBatch(this.all.slice(first, first + assets));
      const writer = new BorshWriter(batch.size.bytes);
      batch.write(writer);
      const part = { first, assets, bytes: writer.finish() };
      first += assets;
      return part;
    });
    const commitments = commitmentsTo(
      parts.map(({ bytes }) => sha256(bytes)),
      saltOf(this.#seed),
    );
    return parts.map((part, at) => ({ ...part, commitment: commitments[at]!, next: commitments[at + 1]! }));
  }
}

/** base64 of the commitment to all assets. */
export const commitmentOf = (assets: HiddenAssets): string =>
  Buffer.from(assets.batches[0]!.commitment).toString("base64");

/**
 * The order of a collection's assets, from D1 or R2: whichever lacks it gets it back.
 * @throws ServiceError conflict if both have lost it
 */
const requireOrder = async (
  context: ServiceContext,
  { id, integrationId, reveal }: Pick<CollectionRow["collection"], "id" | "integrationId" | "reveal">,
): Promise<SealedOrder> => {
  const stored = await readOrder(context, id);
  const order = reveal?.order ?? stored;
  if (order === null) {
    const message =
      "The order of the hidden assets is lost: ask the operator for a copy of R2 or the database.";
    throw unsentConflict(message);
  }
  if (stored === null) await keepOrder(context, id, order);
  if (reveal?.order === null) await setOrder(ledgerOf(context, integrationId), id, order);
  return order;
};

/** The assets of a collection that was made with hidden ones, in their order. @throws ServiceError conflict if it is lost */
export const shuffledAssets = async (
  context: ServiceContext,
  collection: Pick<CollectionRow["collection"], "id" | "integrationId" | "draftId" | "reveal">,
): Promise<HiddenAssets> => {
  const seed = await openOrder(context, collection.id, await requireOrder(context, collection));
  return HiddenAssets.read(new DraftAssets(context.db, collection.draftId), seed);
};

/** The index on the chain of each asset of a collection, from 0. */
export const placesOnChain = async (
  context: ServiceContext,
  collection: Pick<CollectionRow["collection"], "id" | "integrationId" | "draftId" | "reveal">,
): Promise<ReadonlyMap<Uuid, number>> => {
  const ids: Uuid[] = [];
  const assets =
    collection.reveal === null
      ? new DraftAssets(context.db, collection.draftId)
      : await shuffledAssets(context, collection);
  for await (const { id } of assets.behind()) ids.push(id);
  return new Map(ids.map((id, place) => [id, place]));
};
