import { type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { broughtFiles, collectionBlobs, collections } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { unhexed } from "./blobs.ts";
import { isOpen } from "./operations.ts";
import { keptFilesWeight, ownerOf, weighed } from "./usage.ts";

/** What became of a collection's files that mints and updates brought by URL. */
interface Media {
  readonly collectionId: Uuid;
  readonly operationId: Uuid;
  /** SHA-256 of each file in base64, as the operation's request has them. */
  readonly digests: readonly string[];
}

const hexOf = (base64: string): string => Buffer.from(base64, "base64").toString("hex");

/** Has files pinned once their operation has succeeded, also of a collection that was pinned before. Repeatable. */
export const pinMedia = (db: Database, { collectionId, digests }: Omit<Media, "operationId">): Statement[] =>
  digests.length === 0
    ? []
    : [
        db
          .update(collectionBlobs)
          .set({ pinState: "due" })
          .where(sql`collection_id = ${uuidToBytes(collectionId)} AND pin_state IS NULL
            AND sha256 IN ${unhexed(JSON.stringify(digests.map(hexOf)))}`),
        db
          .update(collections)
          .set({ pinState: "pending", pinCursor: ROOT_PINNED })
          .where(sql`id = ${uuidToBytes(collectionId)} AND pin_state = 'pinned' AND ${hasDue}`),
      ];

/** Value of a collection's `pin_cursor` after its root is pinned. */
export const ROOT_PINNED = -1;

/** True of a collection that has files by URL to pin. */
export const hasDue = sql`EXISTS (
  SELECT 1 FROM collection_blobs WHERE collection_id = collections.id AND pin_state = 'due')`;

/** Notes which files, lower-case hexadecimal, an operation brings to its collection, where `condition` holds. */
export const noteAddedFiles = (
  db: Database,
  { collectionId, operationId }: Omit<Media, "digests">,
  sha256s: readonly string[],
  condition: SQL,
): Statement =>
  db
    .insert(broughtFiles)
    .select(sql`
      SELECT ${uuidToBytes(collectionId)}, unhex(value), ${uuidToBytes(operationId)}
      FROM json_each(${JSON.stringify(sha256s)}) WHERE ${condition}`)
    .onConflictDoNothing();

/** Drops files of an operation that fails, except those of another operation that has not failed. */
export const releaseMedia = (db: Database, { collectionId, operationId, digests }: Media): Statement[] =>
  digests.flatMap((digest) => {
    const release = db.delete(collectionBlobs).where(sql`
      collection_id = ${uuidToBytes(collectionId)} AND sha256 = unhex(${hexOf(digest)}) AND ${isOpen(operationId)}
      AND NOT EXISTS (
        SELECT 1 FROM brought_files AS other WHERE other.collection_id = ${uuidToBytes(collectionId)}
        AND other.sha256 = unhex(${hexOf(digest)}) AND other.operation_id <> ${uuidToBytes(operationId)}
        AND NOT EXISTS (SELECT 1 FROM operations WHERE id = other.operation_id AND state = 'failed'))`);
    const weight = keptFilesWeight(collectionId, unhexed(JSON.stringify([hexOf(digest)])));
    return weighed(db, ownerOf(collectionId), weight, [release]);
  });
