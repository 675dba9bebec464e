import { type ContractCollection, type ContractViews, mayHaveMore } from "../chain/contract/views.ts";
import type { Uuid } from "../domain/ids.ts";

/** Collections that one view returns within a view's gas. */
const PAGE = 50;

async function* collectionsOf(views: ContractViews): AsyncGenerator<ContractCollection> {
  for (let from = 0; ; ) {
    const page = await views.collections(from, PAGE);
    yield* page;
    if (!mayHaveMore(page, PAGE)) return;
    from += page.length;
  }
}

/** All collections of a contract, by their ids. */
export const allCollections = async (views: ContractViews): Promise<ContractCollection[]> => {
  const all: ContractCollection[] = [];
  for await (const collection of collectionsOf(views)) all.push(collection);
  return all;
};

/** The collection created for a UUID, which is its external id; null if there is none. */
export const findOnChain = async (
  views: ContractViews,
  collectionUuid: Uuid,
): Promise<ContractCollection | null> => {
  const externalId = collectionUuid.replaceAll("-", "");
  for await (const collection of collectionsOf(views)) {
    if (collection.external_id === externalId) return collection;
  }
  return null;
};
