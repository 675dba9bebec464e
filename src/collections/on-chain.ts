import { type ContractCollection, type ContractViews, mayHaveMore } from "../chain/contract/views.ts";
import { ViewError } from "../chain/errors.ts";
import type { Seen } from "../chain/views.ts";
import type { Uuid } from "../domain/ids.ts";

/** Collections that one view returns within a view's gas. */
export const COLLECTIONS_PAGE = 50;

/** Collections that are read of a contract: one with other code might never end its list. */
const MOST_COLLECTIONS = 25_000;

/**
 * A contract's collections, page by page, each with the height of its block.
 * @param last the number up to which they are read; without it all are
 * @throws ViewError if all are asked for, and the list doesn't end
 */
export async function* collectionPages(
  views: ContractViews,
  last?: number,
): AsyncGenerator<Seen<ContractCollection[]>> {
  for (let from = 0; from < (last ?? MOST_COLLECTIONS); ) {
    const page = await views.collections(from, COLLECTIONS_PAGE);
    yield page;
    if (!mayHaveMore(page.value, COLLECTIONS_PAGE)) return;
    from += page.value.length;
  }
  if (last === undefined) throw new ViewError(`more than ${MOST_COLLECTIONS} collections`, null);
}

/** All collections of a contract, by their ids. @throws as `collectionPages` */
export const allCollections = async (views: ContractViews): Promise<ContractCollection[]> => {
  const all: ContractCollection[] = [];
  for await (const { value } of collectionPages(views)) all.push(...value);
  return all;
};

/** The collection created for a UUID, which is its external id; null if there is none. @throws as `collectionPages` */
export const findOnChain = async (
  views: ContractViews,
  collectionUuid: Uuid,
): Promise<ContractCollection | null> => {
  const externalId = collectionUuid.replaceAll("-", "");
  for await (const { value } of collectionPages(views)) {
    const found = value.find(({ external_id }) => external_id === externalId);
    if (found) return found;
  }
  return null;
};
