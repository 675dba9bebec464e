import { and, asc, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { toHex, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { UNKNOWN_TYPE } from "../../domain/media-types.ts";
import type { PictureGround } from "../../domain/thumbnails.ts";
import type { Database } from "../client.ts";
import { jsonRows } from "../json-rows.ts";
import { blobLeaves, blobs, collectionBlobs } from "../schema/index.ts";
import { failedOn, type Statement } from "../statements.ts";
import { keptFilesWeight, ownerOf, weighed } from "./usage.ts";

/** A file or block stored in R2 under its digest. */
export interface StoredBlob {
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string;
}

/**
 * Inserts or unmarks the rows of files that were put since `startedAt`. The batch fails (`reliesOnGoing`) if one is being
 * deleted or was deleted since then, because the deletion may have followed the put.
 */
export const adoptBlobs = (
  db: Database,
  files: Iterable<StoredBlob>,
  startedAt: Date,
  now: Date,
): Statement[] =>
  Array.from(jsonRows(blobRows(files)), (rows) =>
    db
      .insert(blobs)
      .select(sql`
        SELECT unhex(value ->> 0), value ->> 1, value ->> 2, NULL, NULL, NULL, NULL, ${now.getTime()}, NULL
        FROM json_each(${rows}) WHERE true`)
      .onConflictDoUpdate({
        target: blobs.sha256,
        set: {
          size: sql`CASE
            WHEN blobs.going = 'marked' OR (blobs.going = 'deleted' AND blobs.going_at < ${startedAt.getTime()})
            THEN excluded.size END`,
          mediaType: sql`excluded.media_type`,
          createdAt: sql`excluded.created_at`,
          going: null,
          goingAt: null,
        },
        setWhere: isNotNull(blobs.going),
      }),
  );

/** Notes what stands in place of a picture while it loads. */
export const noteGround = async (db: Database, sha256: Uint8Array, ground: PictureGround): Promise<void> => {
  await db.update(blobs).set({ ground }).where(eq(blobs.sha256, sha256));
};

/** A file above one block, after its last byte was read. */
type LargeFile = Pick<BlobRow, "sha256" | "rootSha256" | "size"> & {
  readonly leaves: readonly Uint8Array[];
  readonly mediaType: string;
};

/** Unmarks a file above one block; its object still exists. */
export const adoptLarge = (db: Database, sha256: Uint8Array, now: Date) =>
  db
    .update(blobs)
    .set({ going: null, goingAt: null, createdAt: now })
    .where(and(eq(blobs.sha256, sha256), eq(blobs.going, "marked"), isNotNull(blobs.objectKey)));

/** Inserts the row of a file above one block under a new key. A visible file's row is unchanged; a marked one gets the key. */
export const storeLargeRow = (
  db: Database,
  { leaves, ...file }: LargeFile,
  objectKey: string,
  now: Date,
): [Statement, Statement] => [
  db
    .insert(blobs)
    .values({ ...file, objectKey, createdAt: now })
    .onConflictDoUpdate({
      target: blobs.sha256,
      set: { objectKey, rootSha256: file.rootSha256, going: null, goingAt: null, createdAt: now },
      setWhere: isNotNull(blobs.going),
    }),
  db
    .insert(blobLeaves)
    .select(sql`
      SELECT ${file.sha256}, key, unhex(value) FROM json_each(${JSON.stringify(leaves.map(toHex))}) WHERE true`)
    .onConflictDoNothing(),
];

/** Reads the rows of files and of their leaves: statements of a batch. @param sha256s lower-case hexadecimal */
export const selectFiles = (db: Database, sha256s: readonly string[]) => {
  const named = unhexed(JSON.stringify(sha256s));
  return [
    db.select().from(blobs).where(sql`sha256 IN ${named}`),
    db.select().from(blobLeaves).where(sql`blob_sha256 IN ${named}`),
  ] as const;
};

/** Inserts rows of files that a D1 that was set back lacks. The files are in R2. */
export const putFilesBack = (
  db: Database,
  files: readonly BlobRow[],
  leaves: readonly (typeof blobLeaves.$inferSelect)[],
): Statement[] => {
  const rows = files.map(({ sha256, size, mediaType, rootSha256, objectKey, createdAt }) => [
    toHex(sha256),
    ...[size, mediaType, rootSha256 && toHex(rootSha256), objectKey, createdAt.getTime()],
  ]);
  const parts = leaves.map(({ blobSha256, position, sha256 }) => [
    ...[toHex(blobSha256), position, toHex(sha256)],
  ]);
  return [
    db
      .insert(blobs)
      .select(sql`
        SELECT unhex(value ->> 0), value ->> 1, value ->> 2, unhex(value ->> 3), value ->> 4, NULL, NULL, value ->> 5, NULL
        FROM json_each(${JSON.stringify(rows)}) WHERE true`)
      .onConflictDoUpdate({
        target: blobs.sha256,
        set: { objectKey: sql`excluded.object_key`, going: null, goingAt: null },
        setWhere: isNotNull(blobs.going),
      }),
    db
      .insert(blobLeaves)
      .select(sql`
        SELECT unhex(value ->> 0), value ->> 1, unhex(value ->> 2) FROM json_each(${JSON.stringify(parts)}) WHERE true`)
      .onConflictDoNothing(),
  ];
};

function* blobRows(files: Iterable<StoredBlob>): Generator<readonly [string, number, string]> {
  for (const { sha256, size, mediaType } of files) yield [sha256, size, mediaType];
}

/** Whether a batch failed because a file that it relies on is being deleted: its size, which must not be null, became null. */
export const reliesOnGoing = (error: unknown): boolean => failedOn(error, "blobs.size");

/** Inserts marked rows for files of a failed upload, so that clean-up deletes them. Existing rows are unchanged. */
export const abandonBlobs = (
  db: Database,
  files: Iterable<{ readonly sha256: string; readonly size: number }>,
  now: Date,
): Statement[] => {
  const rows = Array.from(files, ({ sha256, size }) => [sha256, size]);
  return Array.from(jsonRows(rows), (json) =>
    db
      .insert(blobs)
      .select(sql`
        SELECT unhex(value ->> 0), value ->> 1, ${UNKNOWN_TYPE}, NULL, NULL, 'marked', ${now.getTime()}, ${now.getTime()}, NULL
        FROM json_each(${json}) WHERE true`)
      .onConflictDoNothing(),
  );
};

export type BlobRow = typeof blobs.$inferSelect;

/** Reads a file or directory block by its digest, if it is visible. */
export const selectBlob = (db: Database, sha256: Uint8Array) =>
  db
    .select()
    .from(blobs)
    .where(and(eq(blobs.sha256, sha256), isNull(blobs.going)));

/** A file or directory block by its digest; undefined if it isn't visible. */
export const findBlob = async (db: Database, sha256: Uint8Array): Promise<BlobRow | undefined> =>
  (await selectBlob(db, sha256))[0];

/** A file above one block by the digest of its root, if it is visible. */
export const findBlobByRoot = (db: Database, rootSha256: Uint8Array): Promise<BlobRow | undefined> =>
  db
    .select()
    .from(blobs)
    .where(and(eq(blobs.rootSha256, rootSha256), isNull(blobs.going)))
    .limit(1)
    .get();

/** A file with a leaf of this digest, and the leaf's index. */
export const findLeaf = (db: Database, sha256: Uint8Array) =>
  db
    .select({ blob: blobs, position: blobLeaves.position })
    .from(blobLeaves)
    .innerJoin(blobs, eq(blobs.sha256, blobLeaves.blobSha256))
    .where(and(eq(blobLeaves.sha256, sha256), isNull(blobs.going)))
    .limit(1)
    .get();

/** Digests of a file's leaves, in order. */
export async function leavesOf(db: Database, sha256: Uint8Array): Promise<Uint8Array[]> {
  const rows = await db
    .select({ sha256: blobLeaves.sha256 })
    .from(blobLeaves)
    .where(eq(blobLeaves.blobSha256, sha256))
    .orderBy(asc(blobLeaves.position));
  return rows.map((row) => row.sha256);
}

/** The given files that are being deleted or are deleted, in lower-case hexadecimal, with their state. */
export async function findGoing(db: Database, sha256s: Iterable<string>): Promise<GoingFile[]> {
  const found: GoingFile[] = [];
  for (const json of jsonRows(sha256s)) {
    found.push(
      ...(await db.all<GoingFile>(sql`
        SELECT lower(hex(sha256)) AS sha256, going, going_at AS goingAt FROM blobs
        WHERE sha256 IN ${unhexed(json)} AND going IN ('deleting', 'deleted')`)),
    );
  }
  return found;
}

type GoingFile = { readonly sha256: string; readonly going: string; readonly goingAt: number };

/** Moves re-uploaded files, which exist in R2, from `deleted`, which clean-up ignores, to `marked`. */
export const reviveBlobs = (db: Database, sha256s: Iterable<string>, now: Date): Statement[] =>
  Array.from(jsonRows(sha256s), (json) =>
    db
      .update(blobs)
      .set({ going: "marked", goingAt: now })
      .where(and(sql`+going = 'deleted'`, inArray(blobs.sha256, unhexed(json)))),
  );

/**
 * Makes a collection keep further files. The batch fails (`reliesOnGone`) if one is deleted.
 * @param owner the integration, of a collection that D1 doesn't have yet
 */
export const keepBlobs = (
  db: Database,
  collectionId: Uuid,
  sha256s: Iterable<string>,
  owner: Uuid | SQL = ownerOf(collectionId),
): Statement[] =>
  Array.from(jsonRows(sha256s)).flatMap((json): Statement[] =>
    weighed(db, owner, keptFilesWeight(collectionId, unhexed(json)), keep(db, collectionId, json)),
  );

const keep = (db: Database, collectionId: Uuid, json: string): Statement[] => [
  db
    .update(blobs)
    .set({ going: null, goingAt: null })
    .where(and(sql`+going = 'marked'`, inArray(blobs.sha256, unhexed(json)))),
  db
    .insert(collectionBlobs)
    .select(sql`
        SELECT ${uuidToBytes(collectionId)},
          (SELECT sha256 FROM blobs WHERE sha256 = unhex(value) AND going IS NULL), NULL
        FROM json_each(${json}) WHERE true`)
    .onConflictDoNothing(),
];

/** Whether a batch failed because a file that a collection should keep is deleted. */
export const reliesOnGone = (error: unknown): boolean => failedOn(error, "collection_blobs.sha256");

/** The digests of a JSON array of lower-case hexadecimal, for `IN`. */
export const unhexed = (json: string) => sql`(SELECT unhex(value) FROM json_each(${json}))`;
