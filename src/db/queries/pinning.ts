import { and, asc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import { DAG_PB_TYPE } from "../../domain/media-types.ts";
import type { Database } from "../client.ts";
import { blobs, collectionBlobs, collections } from "../schema/index.ts";
import { hasDue, ROOT_PINNED } from "./collection-media.ts";

/** A collection whose files are not all pinned. */
export type PinningRow = Awaited<ReturnType<typeof nextToPin>>[number];

/** Collections whose next step is due, longest waiting first. */
export const nextToPin = (db: Database, now: Date, limit: number) =>
  db
    .select({
      id: collections.id,
      draftId: collections.draftId,
      ipfsRoot: collections.ipfsRoot,
      cursor: collections.pinCursor,
      attempts: collections.pinAttempts,
    })
    .from(collections)
    .where(
      and(
        inArray(collections.pinState, ["pending", "failed"]),
        or(isNull(collections.pinRetryAt), lte(collections.pinRetryAt, now)),
      ),
    )
    .orderBy(asc(collections.updatedAt))
    .limit(limit);

/**
 * Notes a step that was done, unless another run has done it meanwhile. A collection is pinned once its root is and no
 * file by URL is left.
 */
export const movePin = (db: Database, { id, cursor }: PinningRow, pinCursor: number | null) =>
  db
    .update(collections)
    .set({
      pinCursor,
      pinState:
        pinCursor === ROOT_PINNED ? sql`CASE WHEN ${hasDue} THEN 'pending' ELSE 'pinned' END` : "pending",
      pinError: null,
      pinAttempts: 0,
      pinRetryAt: null,
    })
    .where(and(eq(collections.id, id), sql`${collections.pinCursor} IS ${cursor}`));

/** Notes a step that failed, and when it is tried again. */
export const failPin = (db: Database, { id, attempts }: PinningRow, pinError: string, pinRetryAt: Date) =>
  db
    .update(collections)
    .set({ pinState: "failed", pinError, pinAttempts: attempts + 1, pinRetryAt })
    .where(eq(collections.id, id));

/** The blocks of a collection's directory. */
export const directoryBlocks = (db: Database, collectionId: Uuid) =>
  db
    .select({ sha256: blobs.sha256, size: blobs.size })
    .from(collectionBlobs)
    .innerJoin(blobs, eq(blobs.sha256, collectionBlobs.sha256))
    .where(and(eq(collectionBlobs.collectionId, collectionId), eq(blobs.mediaType, DAG_PB_TYPE)));

/** A file by URL that is to be pinned, if there is one. */
export const nextMedia = (db: Database, collectionId: Uuid) =>
  db
    .select({ sha256: blobs.sha256, rootSha256: blobs.rootSha256, size: blobs.size })
    .from(collectionBlobs)
    .innerJoin(blobs, eq(blobs.sha256, collectionBlobs.sha256))
    .where(and(eq(collectionBlobs.collectionId, collectionId), eq(collectionBlobs.pinState, "due")))
    .limit(1)
    .get();

/** Notes that a file by URL is pinned. */
export const mediaPinned = (db: Database, collectionId: Uuid, sha256: Uint8Array) =>
  db
    .update(collectionBlobs)
    .set({ pinState: "pinned" })
    .where(and(eq(collectionBlobs.collectionId, collectionId), eq(collectionBlobs.sha256, sha256)));
