import { type ContractViews, contractViews } from "../chain/contract/views.ts";
import { connectFor } from "../chain/rpc.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { findCollection } from "../db/queries/collections.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";

/** Where a collection is on the chain; part of the request of everything that acts on one. */
export interface CollectionTarget {
  /** The contract's account. */
  readonly contract: string;
  /** The integer id on-chain. */
  readonly collectionId: number;
}

/**
 * Where collections are on the chain, by integration and collection: it never changes once a collection is there, so
 * that a write needs not ask D1 again. The oldest go first.
 */
const targets = new Map<string, CollectionTarget>();
const MOST_TARGETS = 1_000;

/** Where one of the caller's collections is on the chain. @throws ServiceError not_found */
export const targetOf = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
): Promise<CollectionTarget> => {
  const name = `${caller.integrationId} ${collectionUuid}`;
  const known = targets.get(name);
  if (known) return known;
  const { contract, collectionId } = await readableOf(context, caller, collectionUuid);
  const [oldest] = targets.keys();
  if (targets.size >= MOST_TARGETS && oldest) targets.delete(oldest);
  targets.set(name, { contract, collectionId });
  return { contract, collectionId };
};

/** A collection that can be read on the chain. */
export interface ReadableCollection extends CollectionTarget {
  readonly views: ContractViews;
  /** From which on the chain shows everything that the service has done to it. */
  readonly height: number;
  /** SHA-256 of the code that its contract runs. */
  readonly codeHash: Uint8Array;
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
  const contract = row.contractAccountId;
  return {
    contract,
    collectionId,
    views: contractViews(connectFor(context), contract, height),
    height,
    codeHash: row.codeHash,
  };
};
