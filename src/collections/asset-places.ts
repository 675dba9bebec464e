import type { ServiceContext } from "../context.ts";
import { assetIndexOf } from "../db/queries/assets.ts";
import { setBounded } from "../domain/bounded-map.ts";
import type { Uuid } from "../domain/ids.ts";

/**
 * Places of assets, by collection and asset: they don't change once the collection is there, and to find one takes
 * counting those before it. The oldest go first.
 */
const places = new Map<string, number>();
const MOST_PLACES = 10_000;

/** The place of an asset in a collection on the chain, from 0; null: the collection has no such asset. */
export const placeOfAsset = async (
  { db }: Pick<ServiceContext, "db">,
  collectionUuid: Uuid,
  assetUuid: Uuid,
): Promise<number | null> => {
  const name = `${collectionUuid} ${assetUuid}`;
  const known = places.get(name);
  if (known !== undefined) return known;
  const place = await assetIndexOf(db, collectionUuid, assetUuid);
  if (place === null) return null;
  setBounded(places, MOST_PLACES, name, place);
  return place;
};
