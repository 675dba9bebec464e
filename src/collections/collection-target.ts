import { type ContractViews, contractViews } from "../chain/contract/views.ts";
import { connectFor } from "../chain/rpc.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { findCollection } from "../db/queries/collections.ts";
import { setBounded } from "../domain/bounded-map.ts";
import { BEFORE_DEPOSITS } from "../domain/contract-releases.ts";
import { ServiceError } from "../domain/errors.ts";
import { toHex, type Uuid } from "../domain/ids.ts";

/** Where a collection is on the chain; part of the request of everything that acts on one. */
export interface CollectionTarget {
  /** The contract's account. */
  readonly contract: string;
  /** The integer id on-chain. */
  readonly collectionId: number;
}

/** A collection's place, and the SHA-256 of the code that its contract ran when it was looked up. */
interface KnownTarget extends CollectionTarget {
  readonly codeHash: Uint8Array;
}

/**
 * Where collections are on the chain, by integration and collection: it never changes once a collection is there, so
 * that a write needs not ask D1 again. The oldest go first.
 */
const targets = new Map<string, KnownTarget>();
const MOST_TARGETS = 1_000;

const nameOf = ({ integrationId }: Pick<Caller, "integrationId">, collectionUuid: Uuid): string =>
  `${integrationId} ${collectionUuid}`;

/** Where one of the caller's collections is on the chain. @throws ServiceError not_found */
export const targetOf = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
): Promise<CollectionTarget> => {
  const known = targets.get(nameOf(caller, collectionUuid));
  return placeOf(known ?? (await remembered(context, caller, collectionUuid)));
};

/** A collection's place alone, as requests keep it. */
export const placeOf = ({ contract, collectionId }: CollectionTarget): CollectionTarget => ({
  contract,
  collectionId,
});

const remembered = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
): Promise<ReadableCollection> => {
  const collection = await readableOf(context, caller, collectionUuid);
  const known = { ...placeOf(collection), codeHash: collection.codeHash };
  setBounded(targets, MOST_TARGETS, nameOf(caller, collectionUuid), known);
  return collection;
};

/** What a look at a collection on the chain has found, and the collection as it was looked at. */
interface Looked<T> {
  readonly collection: ReadableCollection;
  readonly found: T | null;
}

/**
 * Looks at one of the caller's collections on the chain before a write, which the chain may still refuse. Where this isolate
 * knows the collection, D1 isn't asked: a node that lags may show it as it was. What such a look doesn't find is looked
 * for at a node that shows everything that operations of the service have done to it.
 * @param look null: it found nothing
 * @throws ServiceError not_found, where there is no such collection
 */
export const lookAt = async <T>(
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
  look: (collection: ReadableCollection) => Promise<T | null>,
): Promise<Looked<T>> => {
  const known = targets.get(nameOf(caller, collectionUuid));
  // A contract of a former release may have been upgraded since; no other comes back to one.
  if (known && !BEFORE_DEPOSITS.includes(toHex(known.codeHash))) {
    const collection = readable(context, known, 0);
    const found = await look(collection);
    if (found !== null) return { collection, found };
  }
  const collection = await remembered(context, caller, collectionUuid);
  return { collection, found: await look(collection) };
};

/** A collection that can be read on the chain. */
export interface ReadableCollection extends KnownTarget {
  readonly views: ContractViews;
  /** From which on the chain shows everything that the service has done to it. */
  readonly height: number;
}

/**
 * One of the caller's collections, with the views of its contract at a node that shows everything that operations of
 * the service have done to it. @throws ServiceError not_found
 */
export const readableOf = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
): Promise<ReadableCollection> => {
  const row = await findCollection(context.db, caller.integrationId, collectionUuid);
  if (!row) throw new ServiceError("not_found", "There is no such collection. Check its collection_uuid.");
  const { onChainId: collectionId, height } = row.collection;
  const target = { contract: row.contractAccountId, collectionId, codeHash: row.codeHash };
  return readable(context, target, height);
};

/** @param height that the node which is asked has reached */
const readable = (context: ServiceContext, target: KnownTarget, height: number): ReadableCollection => ({
  ...target,
  views: contractViews(connectFor(context), target.contract, height),
  height,
});
