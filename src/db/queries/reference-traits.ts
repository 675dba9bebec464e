import { and, eq, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Trait } from "../../domain/traits.ts";
import { type Database, runBatch } from "../client.ts";
import { jsonRows } from "../json-rows.ts";
import { collectionPages, referenceTraits } from "../schema/index.ts";

/** What a reference file says, by its digest in lower-case hexadecimal. */
export interface ReferenceTraits {
  readonly digest: string;
  readonly traits: readonly Trait[];
  readonly copies: number;
}

/**
 * Keeps what some assets' reference files say, and how far that has come, where it had come to `from`: two readers at
 * once count nothing twice.
 */
export const keepTraits = async (
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

/** What all reference files of a collection say, unless it is too much to be counted up. */
export const allTraits = (db: Database, collectionId: Uuid): Promise<ReferenceTraits[]> =>
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
export const keepRanks = async (
  db: Database,
  collectionId: Uuid,
  ranks: readonly { readonly digest: string; readonly rank: number }[],
): Promise<void> => {
  const id = uuidToBytes(collectionId);
  const updates = Array.from(jsonRows(ranks.map(({ digest, rank }) => [digest, rank])), (json) =>
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
