import { type ContractViews, contractViews } from "../chain/contract/views.ts";
import { connectFor } from "../chain/rpc.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { setBounded } from "../domain/bounded-map.ts";
import type { Uuid } from "../domain/ids.ts";
import { requireCollection } from "./collections.ts";

/** The on-chain address of a collection, as operations' requests store it. */
export interface CollectionTarget {
  readonly contract: string;
  readonly collectionId: number;
}

/** Addresses by integration and collection. They never change, so that a write need not read D1 again. */
const targets = new Map<string, CollectionTarget>();
const MOST_TARGETS = 1_000;

const nameOf = ({ integrationId }: Pick<Caller, "integrationId">, collectionUuid: Uuid): string =>
  `${integrationId} ${collectionUuid}`;

/** The address of one of the caller's collections. @throws ServiceError not_found */
export const targetOf = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
): Promise<CollectionTarget> => {
  const known = targets.get(nameOf(caller, collectionUuid));
  return placeOf(known ?? (await remembered(context, caller, collectionUuid)));
};

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
  const known = placeOf(collection);
  setBounded(targets, MOST_TARGETS, nameOf(caller, collectionUuid), known);
  return collection;
};

/**
 * Reads one of the caller's collections from the chain before a write. If this isolate has its address, D1 isn't read,
 * and a lagging node may return an older state; if that finds nothing, it is repeated at a node that has all effects of
 * the service's operations. @param look null if it found nothing @throws ServiceError not_found if there is no such
 * collection
 */
export const lookAt = async <T>(
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
  look: (collection: ReadableCollection) => Promise<T | null>,
): Promise<{ readonly collection: ReadableCollection; readonly found: T | null }> => {
  const known = targets.get(nameOf(caller, collectionUuid));
  if (known) {
    const collection = readable(context, known, 0);
    const found = await look(collection);
    if (found !== null) return { collection, found };
  }
  const collection = await remembered(context, caller, collectionUuid);
  return { collection, found: await look(collection) };
};

export interface ReadableCollection extends CollectionTarget {
  readonly views: ContractViews;
  /** Height of a block that has all effects of the service's operations on it. */
  readonly height: number;
}

/** One of the caller's collections, at a node that has all effects of operations. @throws ServiceError not_found */
export const readableOf = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
): Promise<ReadableCollection> => {
  const row = await requireCollection(context, caller, collectionUuid);
  const { onChainId: collectionId, height } = row.collection;
  const target = { contract: row.contractAccountId, collectionId };
  return readable(context, target, height);
};

/** @param height that the node must have reached */
const readable = (context: ServiceContext, target: CollectionTarget, height: number): ReadableCollection => ({
  ...target,
  views: contractViews(connectFor(context), target.contract, height),
  height,
});
