import type { PublicTrait } from "../api/resources/public-collection.ts";
import type { ServiceContext } from "../context.ts";
import { type AssetRow, pageOfAssets } from "../db/queries/assets.ts";
import { pagesWithoutTraits, traitsCursorOf } from "../db/queries/collection-pages.ts";
import { allTraits, keepRanks, keepTraits, type ReferenceTraits } from "../db/queries/reference-traits.ts";
import { toHex, type Uuid } from "../domain/ids.ts";
import { countTraits, ranksOf, traitsOf } from "../domain/traits.ts";
import { CONNECTIONS } from "../files/storage/blob-writer.ts";
import { blobKey } from "../files/storage/keys.ts";
import { ParallelWork } from "../files/storage/parallel-work.ts";
import { isHidden, onChain, openShowcase } from "./public-collection.ts";

/** Reference files that one call reads in a few seconds. A collection's assets never change, so each is read once. */
const FILES_AT_ONCE = 500;
/** Pages that a run of the scheduled job continues. */
const PAGES_AT_ONCE = 3;

/**
 * Reads the traits of some more of a collection's reference files and, after the last, computes the ranks. The next call
 * resumes where this one stopped.
 */
export const workOutTraits = async (context: ServiceContext, collectionId: Uuid): Promise<void> => {
  const { db } = context;
  const row = await traitsCursorOf(db, collectionId);
  if (!row || row.cursor === null) return;
  const assets = await pageOfAssets(db, row.draftId, row.cursor, FILES_AT_ONCE);
  const last = assets.at(-1);
  if (last) {
    const found = await readTraits(context, assets);
    await keepTraits(db, collectionId, found, { from: row.cursor, to: last.position });
  }
  if (assets.length === FILES_AT_ONCE) return;
  const all = await allTraits(db, collectionId);
  const ranks = ranksOf(all);
  await keepRanks(
    db,
    collectionId,
    all.map(({ digest }, index) => ({ digest, rank: ranks[index] ?? 1 })),
  );
};

/** Continues with pages that were set up lately; a part of the scheduled job. */
export const workOutPages = async (context: ServiceContext): Promise<void> => {
  for (const { collectionId } of await pagesWithoutTraits(context.db, PAGES_AT_ONCE)) {
    await workOutTraits(context, collectionId);
  }
};

/** The traits of assets by reference file, with the copies of all assets that share it. */
const readTraits = async (
  context: ServiceContext,
  assets: readonly AssetRow[],
): Promise<ReferenceTraits[]> => {
  const copies = new Map<string, number>();
  for (const { referenceSha256, copies: count } of assets) {
    if (referenceSha256 === null) continue;
    const digest = toHex(referenceSha256);
    copies.set(digest, (copies.get(digest) ?? 0) + count);
  }
  const found: ReferenceTraits[] = [];
  const reading = new ParallelWork(CONNECTIONS);
  for (const [digest, count] of copies) {
    await reading.start(async () => {
      const object = await context.env.BUCKET.get(blobKey(digest));
      if (object === null) throw new Error(`reference file ${digest} is not stored`);
      found.push({ digest, traits: traitsOf(await object.json()), copies: count });
    });
  }
  await reading.finish();
  return found.sort((a, b) => (a.digest < b.digest ? -1 : 1));
};

/**
 * The traits of a collection's tokens, minted or not; empty before the reveal, and until all files are read.
 * @throws ServiceError not_found, chain_unavailable
 */
export const showTraits = async (context: ServiceContext, slug: string): Promise<readonly PublicTrait[]> => {
  const showcase = await openShowcase(context, slug);
  if (showcase.row.page.traitsCursor !== null || isHidden(await onChain(showcase))) return [];
  return countTraits(await allTraits(context.db, showcase.row.collection.id));
};
