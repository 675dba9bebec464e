import type { Drop, DropSummary } from "../api/resources/drop.ts";
import type { ContractCollection, ContractDrop } from "../chain/contract/views.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { cursorNumber, type Page } from "../domain/cursors.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { type ReadableCollection, readableOf } from "./collection-target.ts";
import { requireUpgraded } from "./contract-release.ts";

/** Drops that one view returns. */
const VIEW_PAGE = 100;
/** Most views that one page of a list calls. */
const MOST_VIEWS = 10;

/** The collection of a drop. */
interface DropHome {
  readonly collectionUuid: Uuid;
  /** The contract's account. */
  readonly contract: string;
  /** The collection on the chain. */
  readonly shown: ContractCollection | null;
}

/** Copies that a collection has left; a lagging node returns too many. */
export const copiesLeft = (shown: ContractCollection | null): number =>
  shown === null ? 0 : shown.total - shown.minted;

/** The API's view of a drop without its links. */
const toSummary = (drop: ContractDrop, { collectionUuid, contract, shown }: DropHome): DropSummary => ({
  drop_id: drop.drop_id,
  collection_uuid: collectionUuid,
  collection_id: drop.collection_id,
  contract_address: contract,
  issuer_public_key: drop.issuer_public_key,
  links: drop.links,
  claimed: drop.claimed,
  quantity: drop.quantity,
  expires_at: new Date(drop.expires_at_ms).toISOString(),
  copies_left: copiesLeft(shown),
  reserve: drop.reserve,
});

/** The API's view of a drop. */
export const toDrop = (drop: ContractDrop, home: DropHome): Drop => ({
  ...toSummary(drop, home),
  claimed_links: drop.claimed_links ?? "",
});

/** A drop of one of the caller's collections, from the chain. @throws ServiceError not_found, conflict, chain_unavailable */
export const readDrop = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
  dropId: number,
): Promise<Drop> => {
  const drop = await dropOf(await readableOf(context, caller, collectionUuid), collectionUuid, dropId);
  if (drop === null) throw noDrop();
  return drop;
};

/** A drop of a collection, from the chain; null if there is none. @throws ServiceError conflict, chain_unavailable */
export const dropOf = async (
  collection: ReadableCollection,
  collectionUuid: Uuid,
  dropId: number,
): Promise<Drop | null> => {
  requireUpgraded(collection);
  const { contract, collectionId, views } = collection;
  const [drop, shown] = await Promise.all([views.drop(dropId), views.collection(collectionId)]);
  return drop?.collection_id === collectionId ? toDrop(drop, { collectionUuid, contract, shown }) : null;
};

/** The error for a drop that doesn't exist. */
export const noDrop = (): ServiceError =>
  new ServiceError("not_found", "The collection has no such drop, or it was closed. Check drop_id.");

/**
 * Drops of a collection by their ids, from the chain. The contract lists those of all collections together, so a page may
 * have fewer than the limit, or none, and still a next one.
 * @throws ServiceError not_found, invalid_request (cursor), conflict, chain_unavailable
 */
export const listDrops = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  collectionUuid: Uuid,
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<Page<DropSummary>> => {
  const collection = await readableOf(context, caller, collectionUuid);
  requireUpgraded(collection);
  const { contract, collectionId, views } = collection;
  const items: DropSummary[] = [];
  const home = { collectionUuid, contract, shown: await views.collection(collectionId) };
  let position = cursorNumber(cursor);
  for (let calls = 0; calls < MOST_VIEWS; calls++) {
    const page = await views.drops(position, VIEW_PAGE);
    for (const [index, drop] of page.entries()) {
      if (items.length === limit) return { items, next: String(position + index) };
      if (drop?.collection_id === collectionId) items.push(toSummary(drop, home));
    }
    position += page.length;
    if (page.length < VIEW_PAGE) return { items, next: null };
  }
  return { items, next: String(position) };
};
