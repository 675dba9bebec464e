import { sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import type { Ledger } from "../ledger.ts";
import { broughtFiles, collectionBlobs } from "../schema/index.ts";
import { collections } from "../schema/ledger.ts";
import type { Statement } from "../statements.ts";
import { unhexed } from "./blobs.ts";
import { keptFilesWeight, ownerOf, weighed } from "./usage.ts";

/** What became of a collection's files that mints and updates brought by URL. */
interface Media {
  readonly collectionId: Uuid;
  readonly operationId: Uuid;
  /** SHA-256 of each file in base64, as the operation's request has them. */
  readonly digests: readonly string[];
}

const hexOf = (base64: string): string => Buffer.from(base64, "base64").toString("hex");

/** Has files pinned once their operation has succeeded, also of a collection that was pinned before (`pinAgain`). Repeatable. */
export const pinMedia = (db: Database, { collectionId, digests }: Omit<Media, "operationId">): Statement[] =>
  digests.length === 0
    ? []
    : [
        db
          .update(collectionBlobs)
          .set({ pinState: "due" })
          .where(sql`collection_id = ${uuidToBytes(collectionId)} AND pin_state IS NULL
            AND sha256 IN ${unhexed(JSON.stringify(digests.map(hexOf)))}`),
      ];

/** Has a pinned collection pinned again for such files. */
export const pinAgain = (
  ledger: Ledger,
  { collectionId, digests }: Omit<Media, "operationId">,
): Statement[] =>
  digests.length === 0
    ? []
    : [
        ledger
          .update(collections)
          .set({ pinState: "pending", pinCursor: ROOT_PINNED })
          .where(sql`id = ${uuidToBytes(collectionId)} AND pin_state = 'pinned'`),
      ];

/** Value of a collection's `pin_cursor` after its root is pinned. */
export const ROOT_PINNED = -1;

/** Notes which files, lower-case hexadecimal, an operation brings to its collection. */
export const noteAddedFiles = (
  db: Database,
  { collectionId, operationId }: Omit<Media, "digests">,
  sha256s: readonly string[],
): Statement =>
  db
    .insert(broughtFiles)
    .select(sql`
      SELECT ${uuidToBytes(collectionId)}, unhex(value), ${uuidToBytes(operationId)}
      FROM json_each(${JSON.stringify(sha256s)}) WHERE true`)
    .onConflictDoNothing();

/** Drops files of an operation that fails or isn't accepted, except those that another operation has brought. */
export const releaseMedia = (db: Database, { collectionId, operationId, digests }: Media): Statement[] =>
  releaseFiles(db, { collectionId, operationId }, digests.map(hexOf));

/** The same of files by lower-case hexadecimal. */
export const releaseFiles = (
  db: Database,
  { collectionId, operationId }: Omit<Media, "digests">,
  sha256s: readonly string[],
): Statement[] => {
  if (sha256s.length === 0) return [];
  const named = unhexed(JSON.stringify(sha256s));
  const own = sql`collection_id = ${uuidToBytes(collectionId)} AND sha256 IN ${named}`;
  const release = db.delete(collectionBlobs).where(sql`${own} AND pin_state IS NULL AND NOT EXISTS (
    SELECT 1 FROM brought_files AS brought
    WHERE brought.collection_id = collection_blobs.collection_id AND brought.sha256 = collection_blobs.sha256)`);
  return [
    db.delete(broughtFiles).where(sql`${own} AND operation_id = ${uuidToBytes(operationId)}`),
    ...weighed(db, ownerOf(collectionId), keptFilesWeight(collectionId, named), [release]),
  ];
};
