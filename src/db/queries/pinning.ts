import { and, asc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import { DAG_PB_TYPE } from "../../domain/media-types.ts";
import type { Database } from "../client.ts";
import { blobs, collectionBlobs, collections } from "../schema/index.ts";

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

/** Notes a step that was done, unless another run has done it meanwhile. */
export const movePin = (
  db: Database,
  { id, cursor }: PinningRow,
  next: { readonly pinCursor: number | null; readonly pinState: "pending" | "pinned" },
) =>
  db
    .update(collections)
    .set({ ...next, pinError: null, pinAttempts: 0, pinRetryAt: null })
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
