import type { Drop, DropSummary } from "../api/resources/drop.ts";
import type { ContractCollection, ContractDrop } from "../chain/contract/views.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import type { ReadableCollection } from "./collection-target.ts";

interface DropHome {
  readonly collectionUuid: Uuid;
  readonly contract: string;
  readonly shown: ContractCollection | null;
}

/** Copies that a collection can still mint: none once its supply is locked. A lagging node returns too many. */
export const copiesLeft = (shown: ContractCollection | null): number =>
  shown === null || shown.locks?.includes("supply") ? 0 : shown.total - shown.minted;

export const toSummary = (
  drop: ContractDrop,
  { collectionUuid, contract, shown }: DropHome,
): DropSummary => ({
  drop_id: drop.drop_id,
  collection_uuid: collectionUuid,
  collection_id: drop.collection_id,
  contract_address: contract,
  issuer_public_key: drop.issuer_public_key,
  links: drop.links,
  claimed: drop.claimed,
  revoked: drop.revoked,
  quantity: drop.quantity,
  expires_at: new Date(drop.expires_at_ms).toISOString(),
  copies_left: copiesLeft(shown),
  reserve: drop.reserve,
});

export const toDrop = (drop: ContractDrop, home: DropHome): Drop => ({
  ...toSummary(drop, home),
  claimed_links: drop.claimed_links ?? "",
  revoked_links: drop.revoked_links ?? "",
});

/** A drop of a collection, from the chain; null if there is none. @throws ServiceError conflict, chain_unavailable */
export const dropOf = async (
  collection: ReadableCollection,
  collectionUuid: Uuid,
  dropId: number,
): Promise<Drop | null> => {
  const { contract, collectionId, views } = collection;
  const [drop, shown] = await Promise.all([views.drop(dropId), views.collection(collectionId)]);
  return drop?.collection_id === collectionId ? toDrop(drop, { collectionUuid, contract, shown }) : null;
};

/** The error for a drop that doesn't exist. */
export const noDrop = (): ServiceError =>
  new ServiceError("not_found", "The collection has no such drop, or it was closed. Check drop_id.");
