import type { ServiceContext } from "../context.ts";
import { withoutArchiveRow } from "../db/queries/archives.ts";
import { abandonBlobs } from "../db/queries/blobs.ts";
import {
  dropTombstones,
  endOfMarked,
  endOfPage,
  type MarkedPlace,
  markDeleted,
  markUnreferenced,
  moveSweep,
  sweepCursor,
  takeForDeletion,
  unmarkReferenced,
  withoutObjectRow,
  withoutRow,
} from "../db/queries/clean-up.ts";
import { toHex } from "../domain/ids.ts";
import { ARCHIVE_PREFIX, BLOB_PREFIX, blobKey, JOURNAL_PREFIX, MEDIA_PREFIX } from "../storage/keys.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How long a file may be unreferenced: a request has to be accepted in this time. */
const UNREFERENCED_FOR = HOUR;
/** How long a file stays marked, so that an upload tried again finds it. */
const MARKED_FOR = HOUR;
/** After this a run that claimed a file for deletion counts as dead: the platform ends a run after 15 minutes. */
const STUCK_AFTER = 30 * MINUTE;
/** How long a tombstone outlives its file: longer than any upload lasts. */
const TOMBSTONE_FOR = 24 * HOUR;
/** After this an object in R2 without a row belongs to no upload that is still under way. */
const ORPHAN_AFTER = 24 * HOUR;
/**
 * After this an archived file without a row isn't needed: what it has is in the database. A rollback by up to 30 days leaves
 * a database without the row of a file as old as that, and it may go forward again for another 30
 * (https://developers.cloudflare.com/d1/reference/time-travel).
 */
const ARCHIVE_ORPHAN_AFTER = 61 * 24 * HOUR;

/** Rows that one run looks at for marking. */
const PAGE = 2000;
/** Files that one run deletes: what R2 deletes in one call. */
const BATCH = 1000;

/** What a run did, for the log. */
export interface CollectionRun {
  readonly deleted: number;
  readonly dropped: number;
  readonly orphans: number;
}

/**
 * One run of the clean-up: deletes files that no row refers to. Each step is bounded, so a run makes few calls
 * whatever has piled up, and is safe to repeat or run concurrently: the next run continues where the last one
 * stopped.
 */
export async function cleanUp(context: ServiceContext): Promise<CollectionRun> {
  await markPage(context);
  const deleted = await deleteMarked(context);
  const dropped = await dropOld(context);
  const orphans =
    (await sweepBlobs(context)) + (await sweepMedia(context)) + (await sweepOperations(context));
  const run = { deleted, dropped, orphans };
  if (deleted + dropped + orphans > 0) context.log("blobs.collected", { ...run });
  return run;
}

const ago = (context: ServiceContext, time: number): Date => new Date(context.now().getTime() - time);

const markedPlace = (cursor: string | null): MarkedPlace =>
  cursor === null ? [0, 0] : (JSON.parse(cursor) as MarkedPlace);

async function markPage(context: ServiceContext): Promise<void> {
  const { db } = context;
  const after = (await sweepCursor(db, "rows")) ?? "";
  const end = await endOfPage(db, after, PAGE);
  const marked = markedPlace(await sweepCursor(db, "marked"));
  const lastMarked = await endOfMarked(db, marked, BATCH);
  const now = context.now();
  await db.batch([
    unmarkReferenced(db, { after: marked, upTo: lastMarked }),
    moveSweep(db, "marked", lastMarked && JSON.stringify(lastMarked), now),
    markUnreferenced(db, { after, upTo: end }, { before: ago(context, UNREFERENCED_FOR), now }),
    moveSweep(db, "rows", end, now),
  ]);
}

async function deleteMarked(context: ServiceContext): Promise<number> {
  const taken = await takeForDeletion(context.db, {
    markedBefore: ago(context, MARKED_FOR),
    stuckBefore: ago(context, STUCK_AFTER),
    now: context.now(),
    limit: BATCH,
  });
  if (taken.length === 0) return 0;
  await context.env.BUCKET.delete(taken.map(({ sha256, objectKey }) => objectKey ?? blobKey(toHex(sha256))));
  await markDeleted(context.db, JSON.stringify(taken.map(({ sha256 }) => toHex(sha256))), context.now());
  return taken.length;
}

async function dropOld(context: ServiceContext): Promise<number> {
  const [leaves, rows] = dropTombstones(context.db, ago(context, TOMBSTONE_FOR), BATCH);
  const [, { meta }] = await context.db.batch([leaves, rows]);
  return meta.changes;
}

/** Enters files for clean-up that an upload put without a row, because the Worker stopped. */
async function sweepBlobs(context: ServiceContext): Promise<number> {
  const old = await oldObjects(context, BLOB_PREFIX);
  const sizes = new Map(old.map(({ key, size }) => [key.slice(BLOB_PREFIX.length), size]));
  const orphans = await withoutRow(context.db, JSON.stringify(Array.from(sizes.keys())));
  const files = orphans.map((sha256) => ({ sha256, size: sizes.get(sha256) ?? 0 }));
  for (const statement of abandonBlobs(context.db, files, context.now())) await statement;
  return orphans.length;
}

/** Deletes files above one block that no row names. Their keys are unique, so no upload can come to rely on them. */
async function sweepMedia(context: ServiceContext): Promise<number> {
  const old = await oldObjects(context, MEDIA_PREFIX);
  const orphans = await withoutObjectRow(context.db, JSON.stringify(old.map(({ key }) => key)));
  if (orphans.length > 0) await context.env.BUCKET.delete(orphans);
  return orphans.length;
}

const sweepOperations = async (context: ServiceContext): Promise<number> =>
  (await sweepArchives(context)) + (await sweepJournals(context));

/** Deletes files of wallets' journals, a day after no wallet reads them any more; those of lost ones too. */
async function sweepJournals(context: ServiceContext): Promise<number> {
  const days = context.settings.JOURNAL_FILES_KEPT_DAYS + 1;
  const keys = (await oldObjects(context, JOURNAL_PREFIX, days * 24 * HOUR)).map(({ key }) => key);
  if (keys.length > 0) await context.env.BUCKET.delete(keys);
  return keys.length;
}

/** Deletes files of operations that no row names: a run stopped between writing one and its rows, or another came first. */
async function sweepArchives(context: ServiceContext): Promise<number> {
  const old = await oldObjects(context, ARCHIVE_PREFIX, ARCHIVE_ORPHAN_AFTER);
  const keys = old.map(({ key }) => key);
  const orphans = await withoutArchiveRow(context.db, keys);
  if (orphans.length > 0) await context.env.BUCKET.delete(orphans);
  return orphans.length;
}

/** The next page of a prefix's objects, those old enough; the round over them goes on with each run. */
async function oldObjects(
  context: ServiceContext,
  prefix: string,
  orphanAfter = ORPHAN_AFTER,
): Promise<R2Object[]> {
  const cursor = (await sweepCursor(context.db, prefix)) ?? undefined;
  const listed = await context.env.BUCKET.list({ prefix, cursor, limit: BATCH });
  await moveSweep(context.db, prefix, listed.truncated ? listed.cursor : null, context.now());
  const before = ago(context, orphanAfter);
  return listed.objects.filter(({ uploaded }) => uploaded < before);
}
