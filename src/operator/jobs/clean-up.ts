import { and, eq, inArray, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { ServiceContext } from "../../context.ts";
import { type Database, runBatch } from "../../db/client.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { notOnlyArchived } from "../../db/queries/archives.ts";
import { abandonBlobs, unhexed } from "../../db/queries/blobs.ts";
import { removeDraft } from "../../db/queries/drafts.ts";
import { IS_DELETED, integrationIds, openDraftsOf, webhooksOf } from "../../db/queries/integrations.ts";
import { deleteOldAudit, oldestAudit, readSweep, selectSweeps, writeSweep } from "../../db/queries/sweeps.ts";
import { unweighKeys } from "../../db/queries/usage.ts";
import { blobLeaves, blobs, idempotencyKeys, webhooks } from "../../db/schema/index.ts";
import { AUDIT_KEPT_DAYS } from "../../domain/audit.ts";
import { toHex, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { THUMBNAIL_WIDTHS } from "../../domain/thumbnails.ts";
import { endpointOf } from "../../events/webhooks/interface.ts";
import { operationsOf } from "../../files/archive/file.ts";
import {
  ARCHIVE_PREFIX,
  BLOB_PREFIX,
  blobKey,
  MEDIA_PREFIX,
  RECORD_PREFIX,
  RESPONSE_PREFIX,
  RUN_KEY,
  thumbnailKey,
} from "../../files/storage/keys.ts";
import { R2_MARK, textKey } from "../../files/storage/large-texts.ts";
import { readLines } from "../../files/storage/line-files.ts";
import { tidyLedger } from "../../operations/engine/tidying.ts";

const UNREFERENCED = sql`
  NOT EXISTS (SELECT 1 FROM draft_assets WHERE draft_assets.sha256 = blobs.sha256)
  AND NOT EXISTS (SELECT 1 FROM draft_assets WHERE draft_assets.reference_sha256 = blobs.sha256)
  AND NOT EXISTS (SELECT 1 FROM drafts WHERE drafts.placeholder_sha256 = blobs.sha256)
  AND NOT EXISTS (SELECT 1 FROM collection_blobs WHERE collection_blobs.sha256 = blobs.sha256)`;

const select = (condition: SQL | undefined, limit: number): SQL =>
  sql`(SELECT sha256 FROM blobs WHERE ${condition} LIMIT ${limit})`;

/** The last of the next `limit` files by digest, after a cursor in hexadecimal; null if there are fewer. */
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

/** A position among the marked files by the time of their marking: milliseconds since the epoch, and a row number. */
type MarkedPosition = readonly [markedAt: number, rowNumber: number];

const after = ([markedAt, rowNumber]: MarkedPosition): SQL =>
  sql`going = 'marked' AND (going_at, rowid) > (${markedAt}, ${rowNumber})`;

/** The position of the last of the next `limit` marked files; null if there are fewer. */
export async function endOfMarked(
  db: Database,
  from: MarkedPosition,
  limit: number,
): Promise<MarkedPosition | null> {
  const [row] = await db.all<{ markedAt: number; rowNumber: number }>(sql`
    SELECT going_at AS markedAt, rowid AS rowNumber FROM blobs WHERE ${after(from)} ORDER BY going_at, rowid
    LIMIT 1 OFFSET ${limit - 1}`);
  return row ? [row.markedAt, row.rowNumber] : null;
}

/** Removes the mark from files of a page that are referenced again. Null as the end: to the last file. */
export const unmarkReferenced = (
  db: Database,
  { from, upTo }: { readonly from: MarkedPosition; readonly upTo: MarkedPosition | null },
) =>
  db
    .update(blobs)
    .set({ going: null, goingAt: null })
    .where(
      and(
        after(from),
        upTo === null ? undefined : sql`(going_at, rowid) <= (${upTo[0]}, ${upTo[1]})`,
        sql`NOT (${UNREFERENCED})`,
      ),
    );

/** Claims files for deletion that were marked, or claimed by a dead run. From here on no batch can rely on them. */
export const takeForDeletion = (
  db: Database,
  { now, limit, ...before }: { markedBefore: Date; stuckBefore: Date; now: Date; limit: number },
) =>
  db
    .update(blobs)
    .set({ going: "deleting", goingAt: now })
    .where(
      inArray(
        blobs.sha256,
        select(
          or(
            and(eq(blobs.going, "marked"), lt(blobs.goingAt, before.markedBefore), UNREFERENCED),
            and(eq(blobs.going, "deleting"), lt(blobs.goingAt, before.stuckBefore)),
          ),
          limit,
        ),
      ),
    )
    .returning({ sha256: blobs.sha256, objectKey: blobs.objectKey });

const markDeleted = (db: Database, json: string, now: Date) =>
  db
    .update(blobs)
    .set({ going: "deleted", goingAt: now })
    .where(and(sql`+going = 'deleting'`, inArray(blobs.sha256, unhexed(json))));

const dropTombstones = (db: Database, before: Date, limit: number) => {
  const old = select(and(eq(blobs.going, "deleted"), lt(blobs.goingAt, before)), limit);
  return [
    db.delete(blobLeaves).where(inArray(blobLeaves.blobSha256, old)),
    db.delete(blobs).where(inArray(blobs.sha256, old)),
  ] as const;
};

/** Those of some texts, named `given.value`, for which a condition doesn't hold. */
const without = async (
  db: DrizzleD1Database,
  texts: readonly string[],
  condition: SQL,
): Promise<string[]> => {
  const rows = await db.all<{ value: string }>(sql`
    SELECT value FROM json_each(${JSON.stringify(texts)}) AS given WHERE NOT ${condition}`);
  return rows.map(({ value }) => value);
};

const DELETED_SWEEP = "deleted";

/** Deleted integrations of one run, and webhooks and drafts that it deletes; each draft may have thousands of assets. */
const DELETED_AT_ONCE = 50;
const WEBHOOKS = 20;
const DRAFTS = 10;

/** Deletes the webhooks and open drafts of deleted integrations, some a run. Clean-up then deletes the drafts' files. */
export const forgetDeleted = async ({ db, env, now }: ServiceContext): Promise<void> => {
  const after = (await readSweep(db, DELETED_SWEEP)) as Uuid | null;
  const deleted = await integrationIds(db, { which: IS_DELETED, after }, DELETED_AT_ONCE);
  if (deleted.length === 0 && after === null) return;
  const hooks = await webhooksOf(db, deleted, WEBHOOKS);
  // The row last, which names the object.
  await Promise.all(hooks.map(({ id }) => endpointOf(env, id).forget()));
  const ids = hooks.map(({ id }) => id);
  if (ids.length > 0) await db.delete(webhooks).where(inArray(webhooks.id, ids));
  const open = await openDraftsOf(db, deleted, DRAFTS);
  for (const { id, integrationId } of open) await removeDraft(db, integrationId, id);
  // More of the same may be open.
  if (open.length === DRAFTS || hooks.length === WEBHOOKS) return;
  const next = deleted.length < DELETED_AT_ONCE ? null : (deleted.at(-1) ?? null);
  await writeSweep(db, DELETED_SWEEP, next, now());
};

/** Expired keys of one batch; R2 deletes as many objects in one call. */
const EXPIRED_AT_ONCE = 1_000;

/** How long a run begins further batches: at 50 ms each, 100,000 keys a minute. Milliseconds. */
const EXPIRED_RUN_MS = 5_000;

/** Deletes expired idempotency keys and the responses that R2 stores for them. */
export const forgetExpiredKeys = async (context: ServiceContext): Promise<void> => {
  const { db, env, now } = context;
  const keys = idempotencyKeys;
  const until = now().getTime() + EXPIRED_RUN_MS;
  do {
    const expired = await db
      .select({ integrationId: keys.integrationId, key: keys.key, body: keys.body })
      .from(keys)
      .where(lte(keys.expiresAt, now()))
      .limit(EXPIRED_AT_ONCE);
    const objects = expired.flatMap(({ body }) => (body === null ? [] : (textKey(body) ?? [])));
    if (objects.length > 0) await env.BUCKET.delete(objects);
    const names = expired.map(({ integrationId, key }) => [integrationId.replaceAll("-", ""), key]);
    // Another request may have used a key again in between.
    const gone = sql`(idempotency_keys.integration_id, idempotency_keys.key) IN (
        SELECT unhex(value ->> 0), value ->> 1 FROM json_each(${JSON.stringify(names)}))
      AND idempotency_keys.expires_at <= ${now().getTime()}`;
    if (expired.length > 0) await db.batch([unweighKeys(db, gone), db.delete(keys).where(gone)]);
    if (expired.length < EXPIRED_AT_ONCE) return;
  } while (now().getTime() < until);
};

const DAY_MS = 24 * 3_600_000;

/** Integrations of one run, and rows that it deletes of each. */
const INTEGRATIONS_AT_ONCE = 50;
const ROWS = 2_000;

/** Deletes entries of the audit log that are too old, of some integrations a run. */
export const forgetOldAudit = async ({ db, now }: ServiceContext): Promise<void> => {
  const before = new Date(now().getTime() - AUDIT_KEPT_DAYS * DAY_MS);
  const after = (await readSweep(db, "audit")) as Uuid | null;
  const found = await oldestAudit(db, after, INTEGRATIONS_AT_ONCE);
  for (const { id, oldest } of found) {
    if (oldest !== null && oldest < before.getTime())
      await runBatch(db, [deleteOldAudit(db, { integrationId: id, before, limit: ROWS })]);
  }
  const next = found.length < INTEGRATIONS_AT_ONCE ? null : (found.at(-1)?.id ?? null);
  await writeSweep(db, "audit", next, now());
};

/** Ledgers of one run. */
const LEDGERS_AT_ONCE = 20;

/** Deletes what is too old in some ledgers a run: one that nobody wakes doesn't do it by itself. */
export const tidyLedgers = async (context: ServiceContext): Promise<void> => {
  const { db, log, now } = context;
  const after = (await readSweep(db, "tidying")) as Uuid | null;
  const found = await integrationIds(db, { after }, LEDGERS_AT_ONCE);
  for (const id of found) {
    try {
      await tidyLedger(context, id, context.settings.EVENTS_KEPT_DAYS);
    } catch (error) {
      log("ledger.not_tidied", { integration_uuid: id, error });
    }
  }
  await writeSweep(db, "tidying", found.length < LEDGERS_AT_ONCE ? null : found.at(-1)!, now());
};

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
/** After this an object in R2 without a row belongs to no running upload. */
const ORPHAN_AFTER = 24 * HOUR;
/**
 * When an archive file without a row isn't needed: a rollback by 30 days may remove the row, and may itself be undone for
 * another 30 days (https://developers.cloudflare.com/d1/reference/time-travel).
 */
const ARCHIVE_ORPHAN_AFTER = 61 * 24 * HOUR;

const PAGE = 2000;
/** Files that one run deletes: what R2 deletes in one call. */
const BATCH = 1000;

/** How long files are kept once D1 was set back: by then ledgers and the chain have brought back what refers to them. */
const KEPT_AFTER_SET_BACK = DAY_MS;

const RUN = "clean-up";
const KEPT_UNTIL = "files_kept_until";

/** Whether rows may be missing that refer to files, because D1 was set back not long ago: R2 has the number of a later run than D1 then. */
const mayLackRows = async ({ db, env, log, now }: ServiceContext): Promise<boolean> => {
  const time = now().getTime();
  const sweeps = new Map(
    (await selectSweeps(db, [RUN, KEPT_UNTIL])).map(({ name, cursor }) => [name, cursor]),
  );
  const noted = Number(sweeps.get(RUN) ?? 0);
  const seen = Number((await (await env.BUCKET.get(RUN_KEY))?.text()) ?? 0);
  const isSetBack = seen > noted;
  const keptUntil = isSetBack ? time + KEPT_AFTER_SET_BACK : Number(sweeps.get(KEPT_UNTIL) ?? 0);
  if (isSetBack) log("blobs.kept", { until: new Date(keptUntil).toISOString() });
  else if (noted > seen) await env.BUCKET.put(RUN_KEY, String(noted));
  await db.batch([
    writeSweep(db, KEPT_UNTIL, String(keptUntil), now()),
    writeSweep(db, RUN, String(Math.max(seen, noted) + 1), now()),
  ]);
  return keptUntil > time;
};

/**
 * Deletes files that no row refers to, unless rows may be missing. Each step is bounded, continues where the last one
 * stopped, and may run twice.
 */
export async function cleanUp(context: ServiceContext) {
  if (await mayLackRows(context)) return { deleted: 0, dropped: 0, orphans: 0 };
  await markPage(context);
  const deleted = await deleteMarked(context);
  const dropped = await dropOld(context);
  const orphans =
    (await sweepBlobs(context)) +
    (await sweepMedia(context)) +
    (await sweepArchives(context)) +
    (await sweepResponses(context));
  const records = await sweepRecords(context);
  const run = { deleted, dropped, orphans };
  if (deleted + dropped + orphans + records > 0) context.log("blobs.collected", { ...run, records });
  return run;
}

const ago = (context: ServiceContext, time: number): Date => new Date(context.now().getTime() - time);

async function markPage(context: ServiceContext): Promise<void> {
  const { db } = context;
  const start = (await readSweep(db, "rows")) ?? "";
  const end = await endOfPage(db, start, PAGE);
  const from = JSON.parse((await readSweep(db, "marked")) ?? "[0,0]") as MarkedPosition;
  const lastMarked = await endOfMarked(db, from, BATCH);
  const now = context.now();
  await db.batch([
    unmarkReferenced(db, { from, upTo: lastMarked }),
    writeSweep(db, "marked", lastMarked && JSON.stringify(lastMarked), now),
    markUnreferenced(db, { after: start, upTo: end }, { before: ago(context, UNREFERENCED_FOR), now }),
    writeSweep(db, "rows", end, now),
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
  const files = taken.map(({ sha256, objectKey }) => objectKey ?? blobKey(toHex(sha256)));
  await context.env.BUCKET.delete(files);
  for (const width of THUMBNAIL_WIDTHS) {
    for (const form of [width, `${width}.avif`] as const)
      await context.env.BUCKET.delete(taken.map(({ sha256 }) => thumbnailKey(toHex(sha256), form)));
  }
  await markDeleted(context.db, JSON.stringify(taken.map(({ sha256 }) => toHex(sha256))), context.now());
  return taken.length;
}

async function dropOld(context: ServiceContext): Promise<number> {
  const [leaves, rows] = dropTombstones(context.db, ago(context, TOMBSTONE_FOR), BATCH);
  const [, { meta }] = await context.db.batch([leaves, rows]);
  return meta.changes;
}

/** Marks files for clean-up that an upload has put without a row, because the Worker stopped. */
async function sweepBlobs(context: ServiceContext): Promise<number> {
  const old = await oldObjects(context, BLOB_PREFIX, ORPHAN_AFTER);
  const sizes = new Map(old.map(({ key, size }) => [key.slice(BLOB_PREFIX.length), size]));
  const isThere = sql`EXISTS (SELECT 1 FROM blobs WHERE sha256 = unhex(given.value))`;
  const orphans = await without(context.db, [...sizes.keys()], isThere);
  const files = orphans.map((sha256) => ({ sha256, size: sizes.get(sha256) ?? 0 }));
  for (const statement of abandonBlobs(context.db, files, context.now())) await statement;
  return orphans.length;
}

/** Deletes objects of uploads that no row names. Keys are unique, so no upload can rely on them later. */
async function sweepMedia(context: ServiceContext): Promise<number> {
  const keys = (await oldObjects(context, MEDIA_PREFIX, ORPHAN_AFTER)).map(({ key }) => key);
  const orphans = await without(context.db, keys, isNamedBy(sql`blobs`));
  if (orphans.length > 0) await context.env.BUCKET.delete(orphans);
  return orphans.length;
}

const isNamedBy = (table: SQL): SQL => sql`EXISTS (SELECT 1 FROM ${table} WHERE object_key = given.value)`;

/** The same of archive files, which the ledger of the integration in their key names. */
const sweepArchives = (context: ServiceContext): Promise<number> =>
  sweepOwned(context, ARCHIVE_PREFIX, ARCHIVE_ORPHAN_AFTER, async (integrationId, keys) =>
    without(ledgerOf(context, integrationId), keys, isNamedBy(sql`archives`)),
  );

/**
 * The same of responses of Idempotency-Keys: the batch that names one may have failed. Its row, in D1 or in the ledger, has
 * expired by then, unless `KEYS_KEPT_HOURS` was lowered.
 */
const sweepResponses = (context: ServiceContext): Promise<number> => {
  const after = context.settings.KEYS_KEPT_HOURS * HOUR + ORPHAN_AFTER;
  return sweepOwned(context, RESPONSE_PREFIX, after, async (integrationId, keys) => {
    const isNamed = sql`EXISTS (SELECT 1 FROM idempotency_keys
      WHERE integration_id = ${uuidToBytes(integrationId)} AND body = ${R2_MARK} || given.value)`;
    return without(ledgerOf(context, integrationId), await without(context.db, keys, isNamed), isNamed);
  });
};

/** Deletes old objects of a prefix, each followed by an integration, of which `orphansOf` says that no row names them. */
async function sweepOwned(
  context: ServiceContext,
  prefix: string,
  orphanAfter: number,
  orphansOf: (integrationId: Uuid, keys: readonly string[]) => Promise<string[]>,
): Promise<number> {
  const keys = (await oldObjects(context, prefix, orphanAfter)).map(({ key }) => key);
  let count = 0;
  for (const [integrationId, own] of Map.groupBy(keys, (key) => key.split("/")[1] as Uuid)) {
    count += await ofLedger(context, integrationId, async () => {
      const orphans = await orphansOf(integrationId, own);
      if (orphans.length > 0) await context.env.BUCKET.delete(orphans);
      return orphans.length;
    });
  }
  return count;
}

/** Work on a ledger's files. One that doesn't answer, or has forgotten something, keeps its own. */
const ofLedger = async (
  { log }: ServiceContext,
  integrationId: Uuid,
  work: () => Promise<number>,
): Promise<number> => {
  try {
    return await work();
  } catch (error) {
    log("blobs.ledger_skipped", { integration_uuid: integrationId, error });
    return 0;
  }
};

/** Records of one run, which are read. */
const RECORDS = 200;

/** How long records are kept after their operations may be archived. Milliseconds. */
const RECORDS_AFTER = 7 * 24 * HOUR;

/** Deletes records whose operations are all in the archive. Others are the only copy that a ledger's loss leaves. */
async function sweepRecords(context: ServiceContext): Promise<number> {
  const { db, env, settings, now } = context;
  const after = await readSweep(db, RECORD_PREFIX);
  const page = await env.BUCKET.list({
    prefix: RECORD_PREFIX,
    limit: BATCH,
    ...(after !== null && { startAfter: after }),
  });
  const before = ago(context, settings.OPERATIONS_KEPT_DAYS * 24 * HOUR + RECORDS_AFTER);
  const old = page.objects.filter(({ uploaded }) => uploaded < before).map(({ key }) => key);
  const some = old.slice(0, RECORDS);
  const end = page.truncated ? (page.objects.at(-1)?.key ?? null) : null;
  await writeSweep(db, RECORD_PREFIX, some.length < old.length ? (some.at(-1) ?? null) : end, now());
  let count = 0;
  for (const [integrationId, keys] of Map.groupBy(some, (key) => key.split("/")[1] as Uuid)) {
    count += await ofLedger(context, integrationId, async () => {
      const archived: string[] = [];
      for (const key of keys) {
        const ids = operationsOf((await readLines(env.BUCKET, key)) ?? []).map(({ row }) => row.id);
        const needed = await notOnlyArchived(ledgerOf(context, integrationId), integrationId, ids);
        if (needed.size === 0) archived.push(key);
      }
      if (archived.length > 0) await env.BUCKET.delete(archived);
      return archived.length;
    });
  }
  return count;
}

/** The objects of a prefix's next page that are old enough; each run continues with the next page. */
async function oldObjects(context: ServiceContext, prefix: string, orphanAfter: number) {
  const cursor = (await readSweep(context.db, prefix)) ?? undefined;
  const listed = await context.env.BUCKET.list({ prefix, cursor, limit: BATCH });
  await writeSweep(context.db, prefix, listed.truncated ? listed.cursor : null, context.now());
  const before = ago(context, orphanAfter);
  return listed.objects.filter(({ uploaded }) => uploaded < before);
}
