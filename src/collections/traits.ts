import { and, eq, gte, sql } from "drizzle-orm";
import type { PublicTrait } from "../api/resources/public-collection.ts";
import type { ServiceContext } from "../context.ts";
import { type Database, runBatch } from "../db/client.ts";
import { jsonRows } from "../db/json-rows.ts";
import { type AssetRow, pageOfAssets } from "../db/queries/assets.ts";
import { FROM_START } from "../db/queries/collection-pages.ts";
import { collectionPages, collections, referenceTraits } from "../db/schema/index.ts";
import { toHex, type Uuid, uuidToBytes } from "../domain/ids.ts";
import { countTraits, ranksOf, type Trait, traitsOf } from "../domain/traits.ts";
import { CONNECTIONS } from "../files/storage/blob-writer.ts";
import { blobKey, traitsKey } from "../files/storage/keys.ts";
import { ParallelWork } from "../files/storage/parallel-work.ts";
import { isHidden, onChain, openShowcase } from "./public-collection.ts";

/** Reference files that one call reads in a few seconds. A collection's assets never change, so each is read once. */
const FILES_AT_ONCE = 500;
const PAGES_AT_ONCE = 3;

/** The traits in a reference file, by its SHA-256 in lower-case hexadecimal. */
interface ReferenceTraits {
  readonly digest: string;
  readonly traits: readonly Trait[];
  readonly copies: number;
}

/** Keeps what assets' reference files say, and how far that has come, if it had come to `from`: nothing counts twice. */
const keepTraits = async (
  db: Database,
  collectionId: Uuid,
  found: readonly ReferenceTraits[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> => {
  const id = uuidToBytes(collectionId);
  const stands = sql`EXISTS (SELECT 1 FROM collection_pages WHERE collection_id = ${id} AND traits_cursor = ${from})`;
  const rows = found.map(({ digest, traits, copies }) => [digest, JSON.stringify(traits), copies]);
  const inserts = Array.from(jsonRows(rows), (json) =>
    db
      .insert(referenceTraits)
      .select(sql`
        SELECT ${id}, unhex(value ->> 0), value ->> 1, value ->> 2, NULL FROM json_each(${json}) WHERE ${stands}`)
      .onConflictDoUpdate({
        target: [referenceTraits.collectionId, referenceTraits.referenceSha256],
        set: { copies: sql`copies + excluded.copies` },
      }),
  );
  const moved = db
    .update(collectionPages)
    .set({ traitsCursor: to })
    .where(and(eq(collectionPages.collectionId, collectionId), eq(collectionPages.traitsCursor, from)));
  await runBatch(db, [...inserts, moved]);
};

/** Most that is counted up in an isolate's memory: 10,000 NFTs of twelve usual traits each have 6 MB. Bytes. */
const MOST_COUNTED = 8 * 1_048_576;

/** The traits of all reference files of a collection, unless there are too many to count. */
const allTraits = (db: Database, collectionId: Uuid): Promise<ReferenceTraits[]> =>
  db
    .select({
      digest: sql<string>`lower(hex(${referenceTraits.referenceSha256}))`,
      traits: referenceTraits.traits,
      copies: referenceTraits.copies,
    })
    .from(referenceTraits)
    .where(
      sql`${referenceTraits.collectionId} = ${uuidToBytes(collectionId)} AND ${MOST_COUNTED} >=
        (SELECT sum(octet_length(traits)) FROM reference_traits WHERE collection_id = ${uuidToBytes(collectionId)})`,
    )
    .orderBy(referenceTraits.referenceSha256)
    .all();

/** Keeps the ranks and notes that nothing is left to be read. */
const keepRanks = async (
  db: Database,
  collectionId: Uuid,
  ranks: readonly (readonly [string, number | null])[],
): Promise<void> => {
  const id = uuidToBytes(collectionId);
  const updates = Array.from(jsonRows(ranks), (json) =>
    db
      .update(referenceTraits)
      .set({ rank: sql`given.place` })
      .from(sql`(SELECT unhex(value ->> 0) AS sha256, value ->> 1 AS place FROM json_each(${json})) AS given`)
      .where(sql`collection_id = ${id} AND reference_sha256 = given.sha256`),
  );
  const done = db
    .update(collectionPages)
    .set({ traitsCursor: null })
    .where(eq(collectionPages.collectionId, collectionId));
  await runBatch(db, [...updates, done]);
};

/** Traits and ranks by reference file, of those that are named in lower-case hexadecimal. */
export const traitsByReference = async (
  db: Database,
  collectionId: Uuid,
  digests: readonly string[],
): Promise<ReadonlyMap<string, { readonly traits: readonly Trait[]; readonly rank: number | null }>> => {
  const rows = await db
    .select({
      digest: sql<string>`lower(hex(${referenceTraits.referenceSha256}))`,
      traits: referenceTraits.traits,
      rank: referenceTraits.rank,
    })
    .from(referenceTraits)
    .where(
      sql`${referenceTraits.collectionId} = ${uuidToBytes(collectionId)} AND ${referenceTraits.referenceSha256}
        IN (SELECT unhex(value) FROM json_each(${JSON.stringify(digests)}))`,
    )
    .all();
  return new Map(rows.map(({ digest, ...found }) => [digest, found]));
};

/** Pages whose collections' reference files are not all read yet. */
export const pagesWithoutTraits = (db: Database, limit: number) =>
  db
    .select({ collectionId: collectionPages.collectionId })
    .from(collectionPages)
    .where(and(gte(collectionPages.traitsCursor, FROM_START), eq(collectionPages.enabled, true)))
    .limit(limit)
    .all();

/** Reads some more of a collection's reference files and, after the last, computes the ranks. */
export const workOutTraits = async (context: ServiceContext, collectionId: Uuid): Promise<void> => {
  const { db } = context;
  const row = await db
    .select({ cursor: collectionPages.traitsCursor, draftId: collections.draftId })
    .from(collectionPages)
    .innerJoin(collections, eq(collections.id, collectionPages.collectionId))
    .where(
      sql`${collectionPages.collectionId} = ${uuidToBytes(collectionId)} AND ${collectionPages.traitsCursor} IS NOT NULL`,
    )
    .get();
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
  const ranked = all.map(({ digest }, index) => [digest, ranks[index] ?? null] as const);
  await keepCounts(context, collectionId, countTraits(all));
  await keepRanks(db, collectionId, ranked);
};

/** Keeps what all traits add up to: a page of one NFT would read megabytes for it. */
const keepCounts = async (
  { env }: ServiceContext,
  collectionId: Uuid,
  counts: readonly PublicTrait[],
): Promise<readonly PublicTrait[]> => {
  await env.BUCKET.put(traitsKey(collectionId), JSON.stringify(counts));
  return counts;
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

/** The traits of a collection's tokens, minted or not; none before the reveal, and until all files are read. */
export const showTraits = async (context: ServiceContext, slug: string): Promise<readonly PublicTrait[]> => {
  const showcase = await openShowcase(context, slug);
  if (showcase.row.page.traitsCursor !== null || isHidden(await onChain(showcase))) return [];
  const { id } = showcase.row.collection;
  const kept = await context.env.BUCKET.get(traitsKey(id));
  if (kept) return kept.json<PublicTrait[]>();
  return keepCounts(context, id, countTraits(await allTraits(context.db, id)));
};
