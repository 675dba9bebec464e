import { and, eq, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../client.ts";
import { blobLeaves, blobs, sweeps } from "../schema/index.ts";
import { unhexed } from "./blobs.ts";

/** That nothing refers to a file. */
const UNREFERENCED = sql`
  NOT EXISTS (SELECT 1 FROM draft_assets WHERE draft_assets.sha256 = blobs.sha256)
  AND NOT EXISTS (SELECT 1 FROM draft_assets WHERE draft_assets.reference_sha256 = blobs.sha256)
  AND NOT EXISTS (SELECT 1 FROM collection_blobs WHERE collection_blobs.sha256 = blobs.sha256)`;

const select = (condition: SQL | undefined, limit: number): SQL =>
  sql`(SELECT sha256 FROM blobs WHERE ${condition} LIMIT ${limit})`;

/** How far a round has come; null: at its beginning. */
export async function sweepCursor(db: Database, name: string): Promise<string | null> {
  const [row] = await db.select().from(sweeps).where(eq(sweeps.name, name));
  return row?.cursor ?? null;
}

/** Notes how far a round has come. */
export const moveSweep = (db: Database, name: string, cursor: string | null, now: Date) =>
  db
    .insert(sweeps)
    .values({ name, cursor, updatedAt: now })
    .onConflictDoUpdate({ target: sweeps.name, set: { cursor, updatedAt: now } });

/** The last of the next files by digest behind a cursor in hexadecimal; null: there are fewer than `limit`. */
export async function endOfPage(db: Database, after: string, limit: number): Promise<string | null> {
  const [row] = await db.all<{ last: string }>(sql`
    SELECT lower(hex(sha256)) AS last FROM blobs WHERE sha256 > unhex(${after}) ORDER BY sha256
    LIMIT 1 OFFSET ${limit - 1}`);
  return row?.last ?? null;
}

/** Marks unreferenced files of a page that were entered before `before`. Null as the end: to the last file. */
export const markUnreferenced = (
  db: Database,
  { after, upTo }: { readonly after: string; readonly upTo: string | null },
  { before, now }: { readonly before: Date; readonly now: Date },
) =>
  db
    .update(blobs)
    .set({ going: "marked", goingAt: now })
    .where(
      and(
        sql`blobs.sha256 > unhex(${after})`,
        upTo === null ? undefined : sql`blobs.sha256 <= unhex(${upTo})`,
        // The page is read by its digests: the sign keeps SQLite from reading all files that aren't going.
        sql`+going IS NULL`,
        lt(blobs.createdAt, before),
        UNREFERENCED,
      ),
    );

/** A place among the marked files in the order of their marking: milliseconds since the epoch, and a row number. */
export type MarkedPlace = readonly [markedAt: number, rowNumber: number];

const behind = ([markedAt, rowNumber]: MarkedPlace): SQL =>
  sql`going = 'marked' AND (going_at, rowid) > (${markedAt}, ${rowNumber})`;

/** The place of the last of the next marked files behind one; null: there are fewer than `limit`. */
export async function endOfMarked(
  db: Database,
  after: MarkedPlace,
  limit: number,
): Promise<MarkedPlace | null> {
  const [row] = await db.all<{ markedAt: number; rowNumber: number }>(sql`
    SELECT going_at AS markedAt, rowid AS rowNumber FROM blobs WHERE ${behind(after)} ORDER BY going_at, rowid
    LIMIT 1 OFFSET ${limit - 1}`);
  return row ? [row.markedAt, row.rowNumber] : null;
}

/** Takes the mark off those files of a page that something came to refer to without saying so. Null: to the last. */
export const unmarkReferenced = (
  db: Database,
  { after, upTo }: { readonly after: MarkedPlace; readonly upTo: MarkedPlace | null },
) =>
  db
    .update(blobs)
    .set({ going: null, goingAt: null })
    .where(
      and(
        behind(after),
        upTo === null ? undefined : sql`(going_at, rowid) <= (${upTo[0]}, ${upTo[1]})`,
        sql`NOT (${UNREFERENCED})`,
      ),
    );

/**
 * Takes files on for deletion: those marked before `markedBefore`, and those that somebody took on before `stuckBefore`
 * and did not delete. From here on no batch can rely on them.
 */
export const takeForDeletion = (
  db: Database,
  {
    markedBefore,
    stuckBefore,
    now,
    limit,
  }: { markedBefore: Date; stuckBefore: Date; now: Date; limit: number },
) =>
  db
    .update(blobs)
    .set({ going: "deleting", goingAt: now })
    .where(
      inArray(
        blobs.sha256,
        select(
          or(
            and(eq(blobs.going, "marked"), lt(blobs.goingAt, markedBefore), UNREFERENCED),
            and(eq(blobs.going, "deleting"), lt(blobs.goingAt, stuckBefore)),
          ),
          limit,
        ),
      ),
    )
    .returning({ sha256: blobs.sha256, objectKey: blobs.objectKey });

/** Notes that files are deleted, from a JSON array of digests in hexadecimal. */
export const markDeleted = (db: Database, json: string, now: Date) =>
  db
    .update(blobs)
    .set({ going: "deleted", goingAt: now })
    .where(and(sql`+going = 'deleting'`, inArray(blobs.sha256, unhexed(json))));

/** Drops the tombstones of files deleted before `before`. */
export const dropTombstones = (db: Database, before: Date, limit: number) => {
  const old = select(and(eq(blobs.going, "deleted"), lt(blobs.goingAt, before)), limit);
  return [
    db.delete(blobLeaves).where(inArray(blobLeaves.blobSha256, old)),
    db.delete(blobs).where(inArray(blobs.sha256, old)),
  ] as const;
};

/** Which digests of a JSON array in hexadecimal have no row. */
export async function withoutRow(db: Database, json: string): Promise<string[]> {
  const rows = await db.all<{ sha256: string }>(sql`
    SELECT value AS sha256 FROM json_each(${json}) WHERE unhex(value) NOT IN (SELECT sha256 FROM blobs)`);
  return rows.map(({ sha256 }) => sha256);
}

/** Which keys of a JSON array no row names. */
export async function withoutObjectRow(db: Database, json: string): Promise<string[]> {
  const rows = await db.all<{ key: string }>(sql`
    SELECT value AS key FROM json_each(${json}) AS keys
    WHERE NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.object_key = keys.value)`);
  return rows.map(({ key }) => key);
}
