import { and, asc, eq, gt, gte, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";
import { type Database, runBatch } from "../../db/client.ts";
import type { Ledger } from "../../db/ledger.ts";
import { type ArchiveRow, filesAround } from "../../db/queries/archives.ts";
import { LOST_DROPS, putClaimBack } from "../../db/queries/claims.ts";
import { COUNTED } from "../../db/queries/operation-counts.ts";
import { readOperationLimits } from "../../db/queries/usage.ts";
import {
  contracts,
  collections as copiedCollections,
  operationCounts as copiedCounts,
  integrations,
  ledgers,
} from "../../db/schema/index.ts";
import {
  archives,
  claimDrops,
  collections,
  events,
  idempotencyKeys,
  leftContracts,
  lostOperations,
  meta,
  operationCounts,
  operations,
  transactions,
  unshipped,
} from "../../db/schema/ledger.ts";
import { failureBody, failureStatus } from "../../domain/failures.ts";
import { type Uuid, uuidAt, uuidFromBytes, uuidToBytes } from "../../domain/ids.ts";
import { KINDS, PAYOUT } from "../../domain/operations.ts";
import { type ArchivedOperation, archiveOf, operationsOf, readFile } from "../../files/archive/file.ts";
import { archivePrefix, recordPrefix } from "../../files/storage/keys.ts";
import { readLines } from "../../files/storage/line-files.ts";
import { namedByD1 } from "../../wallet/d1-row.ts";
import type { RestoredPart } from "../../wallet/interface.ts";
import type { ClaimOperation } from "../kinds/claim.ts";
import { putRegistrationsBack } from "../registrations.ts";
import { LOST, LOST_ANSWERED_MS } from "./in-doubt.ts";

const PAGE = 50;

/** Files of one call: at most 250 operations or 1 MB each. */
const RECORDS = 20;
const ARCHIVES = 200;

const DAY_MS = 24 * 3_600_000;

/** What operations have cost that were accepted for a key, or for none (`""`); yoctoNEAR. */
type Costs = Readonly<Record<string, string>>;

/** What was spent of a day, as a restored ledger knows it; yoctoNEAR. */
interface Spending {
  /** Adds up to at least this much. @param budget of a key; null: of the wallet */
  readonly raise: (budget: Uuid | null, spent: bigint) => void;
}

interface Sources extends Spending {
  readonly now: () => number;
  readonly db: Database;
  readonly bucket: R2Bucket;
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** Where the next call continues: first files of the archive by their keys, then days of records, the newest first. */
type Cursor =
  | { readonly archivesAfter: string }
  | {
      readonly day: string | null;
      readonly recordsAfter: string | null;
      /** Of operations that ended today and are in the archive, as far as records were read. */
      readonly archived: Costs;
    };

/**
 * Restores a part of a ledger that was emptied or set back, and notes where the next call resumes: collections and counts from
 * D1's copies, the list of its archive from R2's listing and, from R2's records, operations with their keys and events. What it
 * has stays, but for operations that are open in it and have ended in R2. Repeatable; the operations come after the archive, which
 * may have them. Keys of operations that are nowhere answer that their outcome is unknown.
 */
export const restoreLedger = async (
  sources: Sources,
  ledger: Ledger,
  integrationId: Uuid,
): Promise<RestoredPart> => {
  const { db, bucket, log } = sources;
  const stored = await ledger.select({ cursor: meta.restoreCursor, version: meta.version }).from(meta).get();
  let cursor: Cursor | null;
  let count = 0;
  let archived: Costs = {};
  if (stored?.cursor == null) {
    if (stored?.version === 0) await forgetDrops(db, ledger, integrationId);
    await adoptCopies(db, ledger, integrationId);
    cursor = { archivesAfter: "" };
  } else {
    const at = JSON.parse(stored.cursor) as Cursor;
    if ("archivesAfter" in at) cursor = await relist(bucket, ledger, integrationId, at);
    else {
      const read = await readRecords(sources, ledger, integrationId, at);
      ({ count, archived, next: cursor } = read);
    }
  }
  const isDone = cursor === null;
  const lost = isDone ? await admitLost(sources, ledger, integrationId) : 0;
  if (isDone) await addUpSpending(sources, ledger, integrationId, archived);
  await ledger
    .update(meta)
    .set({ restoreCursor: cursor && JSON.stringify(cursor), ...(isDone && { isRestored: true }) });
  if (isDone) log("ledger.restored", { integration_uuid: integrationId, lost });
  return { operations: count, isDone };
};

/**
 * Operations that the ledger had told D1 of and R2 didn't have yet, and that are nowhere now: their keys answer so, and not as
 * if they were new. What was accepted in the second before the loss isn't among them. @returns how many
 */
const admitLost = async (
  { db, bucket, now }: Sources,
  ledger: Ledger,
  integrationId: Uuid,
): Promise<number> => {
  const isArchived = archiveReader(bucket, ledger, integrationId);
  let lost = 0;
  for await (const [hex, key, fingerprint] of namedByD1(db, integrationId, new Date(now()))) {
    const id = uuidFromBytes(Buffer.from(hex, "hex"));
    const [found] = await ledger.select({ id: operations.id }).from(operations).where(eq(operations.id, id));
    if (found || (await isArchived(id))) continue;
    lost += 1;
    const expiresAt = new Date(now() + LOST_ANSWERED_MS);
    const digest = fingerprint === null ? null : new Uint8Array(Buffer.from(fingerprint, "hex"));
    // Another loss would take these along as well.
    await ledger
      .insert(lostOperations)
      .values({ id, key, fingerprint: digest, expiresAt })
      .onConflictDoUpdate({ target: lostOperations.id, set: { expiresAt, isNamed: false } });
    if (key === null || digest === null) continue;
    await ledger
      .insert(idempotencyKeys)
      .values({
        integrationId,
        key,
        fingerprint: digest,
        status: failureStatus(LOST),
        body: JSON.stringify(failureBody(LOST, id)),
        createdAt: new Date(now()),
        expiresAt,
      })
      // The ledger may know the key from an operation before, which gave it back, or from one after this one.
      .onConflictDoUpdate({
        target: [idempotencyKeys.integrationId, idempotencyKeys.key],
        set: {
          ...{ operationId: null, bodyBytes: null },
          status: sql`excluded.status`,
          body: sql`excluded.body`,
          fingerprint: sql`excluded.fingerprint`,
          createdAt: sql`excluded.created_at`,
          expiresAt: sql`excluded.expires_at`,
        },
        setWhere: or(isNull(idempotencyKeys.operationId), lte(idempotencyKeys.operationId, id)),
      });
  }
  return lost;
};

const startOfDay = (time: number): Date => new Date(Math.floor(time / DAY_MS) * DAY_MS);

type Ended = Pick<ArchivedOperation["row"], "keyId" | "kind" | "actualCost">;

/** Adds what operations have cost. A payout isn't spending, but for its gas, nor is what the platform pays. */
const withCosts = (costs: Costs, ended: readonly Ended[]): Costs => {
  const sums: Record<string, string> = { ...costs };
  for (const { keyId, kind, actualCost } of ended) {
    if (KINDS[kind].wallet === "platform" || kind === PAYOUT) continue;
    sums[keyId ?? ""] = (BigInt(sums[keyId ?? ""] ?? 0) + BigInt(actualCost ?? 0)).toString();
  }
  return sums;
};

/** Counts what operations of this day have cost for the limits of the day. Storage that counts beyond it isn't known any more. */
const addUpSpending = async (
  { db, now, raise }: Sources,
  ledger: Ledger,
  integrationId: Uuid,
  archived: Costs,
): Promise<void> => {
  const today = startOfDay(now());
  const rows = await ledger
    .select({ keyId: operations.keyId, kind: operations.kind, actualCost: operations.actualCost })
    .from(operations)
    .where(
      and(
        gte(operations.id, uuidAt(new Date(today.getTime() - DAY_MS))),
        gte(operations.finishedAt, today),
        isNotNull(operations.actualCost),
      ),
    );
  const byBudget = new Map<Uuid | null, bigint>();
  const add = (budget: Uuid | null, spent: bigint) =>
    byBudget.set(budget, (byBudget.get(budget) ?? 0n) + spent);
  for (const [key, sum] of Object.entries(withCosts(archived, rows))) {
    const spent = BigInt(sum);
    const keyId = key === "" ? null : (key as Uuid);
    add(null, spent);
    const { budgets } = await readOperationLimits(db, { integrationId, keyId });
    for (const { key: budget } of budgets) add(budget, spent);
  }
  for (const [budget, spent] of byBudget) raise(budget, spent);
};

/** Enters a page of the archive's files. Operations in them leave the ledger, which may be older. */
const relist = async (
  bucket: R2Bucket,
  ledger: Ledger,
  integrationId: Uuid,
  { archivesAfter }: { readonly archivesAfter: string },
): Promise<Cursor> => {
  const page = await bucket.list({
    prefix: archivePrefix(integrationId),
    limit: ARCHIVES,
    include: ["customMetadata"],
    ...(archivesAfter && { startAfter: archivesAfter }),
  });
  for (const object of page.objects) {
    const row = archiveOf(integrationId, object);
    // Of two runs, one may have left a file with a part of the other's operations.
    const [entered] = await ledger
      .insert(archives)
      .values(row)
      .onConflictDoUpdate({
        target: [archives.integrationId, archives.lastId],
        set: row,
        setWhere: sql`excluded.operations > ${archives.operations}`,
      })
      .returning({ lastId: archives.lastId });
    if (entered) await forgetArchived(bucket, ledger, row);
  }
  const last = page.objects.at(-1)?.key;
  return page.truncated && last ? { archivesAfter: last } : { day: null, recordsAfter: null, archived: {} };
};

/** Removes operations of a file from the ledger. */
const forgetArchived = async (bucket: R2Bucket, ledger: Ledger, file: ArchiveRow): Promise<void> => {
  const range = sql`id BETWEEN ${uuidToBytes(file.firstId)} AND ${uuidToBytes(file.lastId)}`;
  const [some] = await ledger.select({ id: operations.id }).from(operations).where(range).limit(1);
  if (!some) return;
  const ids = (await readFile(bucket, file)).map(({ row }) => row.id.replaceAll("-", ""));
  const named = sql`(SELECT unhex(value) FROM json_each(${JSON.stringify(ids)}))`;
  await ledger.batch([
    ledger.delete(transactions).where(sql`operation_id IN ${named}`),
    ledger.delete(operations).where(sql`id IN ${named}`),
    ledger.delete(unshipped).where(sql`operation_id IN ${named}`),
  ]);
};

/** Puts back the operations of the next files of a day, or of the day before it. */
const readRecords = async (
  { bucket, now }: Pick<Sources, "bucket" | "now">,
  ledger: Ledger,
  integrationId: Uuid,
  { day, recordsAfter, archived: before }: Exclude<Cursor, { readonly archivesAfter: string }>,
): Promise<{ readonly count: number; readonly archived: Costs; readonly next: Cursor | null }> => {
  const from = day === null ? await dayBefore(bucket, integrationId, null) : day;
  if (from === null) return { count: 0, archived: before, next: null };
  const page = await bucket.list({
    prefix: from,
    limit: RECORDS,
    ...(recordsAfter !== null && { startAfter: recordsAfter }),
  });
  const isArchived = archiveReader(bucket, ledger, integrationId);
  let count = 0;
  const ended: Ended[] = [];
  for (const { key } of page.objects) {
    for (const operation of operationsOf((await readLines(bucket, key)) ?? [])) {
      const { id, finishedAt } = operation.row;
      // A large ledger archives before keys expire and the day is over.
      if (await isArchived(id)) {
        await runBatch(ledger, putBackAround(ledger, operation));
        if (finishedAt !== null && finishedAt >= startOfDay(now())) ended.push(operation.row);
        continue;
      }
      await putBack(ledger, operation);
      count += 1;
    }
  }
  const archived = withCosts(before, ended);
  const last = page.objects.at(-1)?.key;
  if (page.truncated && last) return { count, archived, next: { day: from, recordsAfter: last, archived } };
  const next = await dayBefore(bucket, integrationId, from);
  return { count, archived, next: next === null ? null : { day: next, recordsAfter: null, archived } };
};

/** The newest day with records, as their prefix, or the last one before another; null: there is none. */
const dayBefore = async (
  bucket: R2Bucket,
  integrationId: Uuid,
  day: string | null,
): Promise<string | null> => {
  let found: string | null = null;
  for (let cursor: string | undefined; ; ) {
    const page: R2Objects = await bucket.list({
      prefix: recordPrefix(integrationId),
      delimiter: "/",
      ...(cursor && { cursor }),
    });
    for (const prefix of page.delimitedPrefixes) {
      if ((day === null || prefix < day) && (found === null || prefix > found)) found = prefix;
    }
    if (!page.truncated) return found;
    cursor = page.cursor;
  }
};

/** Tells whether an operation is in the archive. Each of its files is read once. */
const archiveReader = (bucket: R2Bucket, ledger: Ledger, integrationId: Uuid) => {
  const idsOf = new Map<string, Promise<ReadonlySet<Uuid>>>();
  const read = async (file: ArchiveRow) =>
    new Set((await readFile(bucket, file)).map(({ row }) => row.id) as readonly Uuid[]);
  let newest: Promise<Uuid | null> | undefined;
  return async (id: Uuid): Promise<boolean> => {
    newest ??= newestArchived(ledger);
    const last = await newest;
    if (last === null || id > last) return false;
    for (const file of await filesAround(ledger, integrationId, id)) {
      if (!idsOf.has(file.objectKey)) idsOf.set(file.objectKey, read(file));
      if ((await idsOf.get(file.objectKey)!).has(id)) return true;
    }
    return false;
  };
};

const newestArchived = async (ledger: Ledger): Promise<Uuid | null> => {
  const [row] = await ledger
    .select({ lastId: archives.lastId })
    .from(archives)
    .orderBy(sql`${archives.integrationId} DESC, ${archives.lastId} DESC`)
    .limit(1);
  return row?.lastId ?? null;
};

/** Notes that an emptied ledger doesn't know which claims it has reported (src/operator/jobs/claims.ts). */
const forgetDrops = async (db: Database, ledger: Ledger, integrationId: Uuid): Promise<void> => {
  const own = await db
    .select({ id: contracts.id })
    .from(contracts)
    .where(eq(contracts.integrationId, integrationId));
  for (const { id } of own) {
    const row = { contractId: id, dropId: LOST_DROPS, reported: 0, links: new Uint8Array() };
    await ledger.insert(claimDrops).values(row).onConflictDoNothing();
  }
};

/** @param version that D1 had when it had these counts */
const adoptCounts = async (
  ledger: Ledger,
  counts: readonly (typeof copiedCounts.$inferSelect)[],
  version: number,
): Promise<void> => {
  // Days that were added up since: D1 has their sum alone.
  const first = Math.min(...counts.flatMap(({ day }) => (day === 0 ? [] : [day])));
  const { day, ledgerVersion } = operationCounts;
  if (Number.isFinite(first))
    await ledger.delete(operationCounts).where(and(gt(day, 0), lt(day, first), lte(ledgerVersion, version)));
  for (const row of counts) {
    await ledger
      .insert(operationCounts)
      .values({ ...row, ledgerVersion: 0 })
      .onConflictDoUpdate({
        target: COUNTED,
        set: { count: row.count },
        setWhere: sql`${operationCounts.ledgerVersion} < ${row.ledgerVersion}`,
      });
  }
};

const adoptCopies = async (db: Database, ledger: Ledger, integrationId: Uuid): Promise<void> => {
  for (let after: Uuid | null = null; ; ) {
    const page: (typeof copiedCollections.$inferSelect)[] = await db
      .select()
      .from(copiedCollections)
      .where(
        and(
          eq(copiedCollections.integrationId, integrationId),
          after ? gt(copiedCollections.id, after) : undefined,
        ),
      )
      .orderBy(asc(copiedCollections.id))
      .limit(PAGE);
    for (const { ledgerVersion, ...row } of page) {
      await ledger
        .insert(collections)
        .values(row)
        .onConflictDoUpdate({
          target: collections.id,
          set: row,
          setWhere: sql`${collections.ledgerVersion} < ${ledgerVersion}`,
        });
    }
    if (page.length < PAGE) break;
    after = page.at(-1)!.id;
  }
  const [counts, left, [known], [integration]] = await db.batch([
    db
      .select()
      .from(copiedCounts)
      .where(sql`integration_id = ${uuidToBytes(integrationId)} AND day > -1`),
    db
      .select({ accountId: contracts.accountId, leftAt: contracts.leftAt })
      .from(contracts)
      .where(and(eq(contracts.integrationId, integrationId), isNotNull(contracts.leftAt))),
    db
      .select({ unpaidSales: ledgers.unpaidSales, version: ledgers.version })
      .from(ledgers)
      .where(eq(ledgers.id, integrationId)),
    db
      .select({ suspendedAt: integrations.suspendedAt, payoutAccount: integrations.payoutAccount })
      .from(integrations)
      .where(eq(integrations.id, integrationId)),
  ]);
  await adoptCounts(ledger, counts, known?.version ?? 0);
  for (const { accountId, leftAt } of left) {
    await ledger.insert(leftContracts).values({ accountId, leftAt: leftAt! }).onConflictDoNothing();
  }
  if (integration) await ledger.update(meta).set(integration);
  // D1's sum, unless it is the older one: a payout may have lowered it, and nothing was earned since.
  if (known)
    await ledger
      .update(meta)
      .set({ unpaidSales: known.unpaidSales })
      .where(lte(meta.forgotVersion, known.version));
};

/** The link that an operation claims. */
const linkOf = ({ subjectId, request }: ArchivedOperation["row"]) => {
  const { proof } = request as ClaimOperation;
  return { collectionId: subjectId, dropId: proof.drop_id, link: proof.link };
};

/** Puts back what an operation has besides its row, which may be in the archive: keys, events, registrations, its claim of a link. */
const putBackAround = (
  ledger: Ledger,
  { row, transactions: recorded, keys = [], events: reported }: ArchivedOperation,
) => [
  ...keys.map(({ key, fingerprint, createdAt, expiresAt }) =>
    ledger
      .insert(idempotencyKeys)
      .values({
        integrationId: row.integrationId,
        key,
        fingerprint: fingerprint === null ? null : new Uint8Array(Buffer.from(fingerprint, "hex")),
        operationId: row.id,
        createdAt: new Date(createdAt),
        expiresAt: new Date(expiresAt),
      })
      // A key that a refusal gave back, and that was used again, is the later operation's.
      .onConflictDoUpdate({
        target: [idempotencyKeys.integrationId, idempotencyKeys.key],
        set: {
          ...{ operationId: row.id, status: null, body: null, bodyBytes: null },
          fingerprint: sql`excluded.fingerprint`,
          createdAt: sql`excluded.created_at`,
          expiresAt: sql`excluded.expires_at`,
        },
        setWhere: sql`excluded.created_at > ${idempotencyKeys.createdAt}`,
      }),
  ),
  ...(row.kind === "claim" ? [putClaimBack(ledger, linkOf(row), row.id)] : []),
  ...putRegistrationsBack(ledger, row, recorded),
  ...(reported ? [ledger.insert(events).values(reported).onConflictDoNothing()] : []),
];

const putBack = async (ledger: Ledger, operation: ArchivedOperation) => {
  const { row, transactions: recorded } = operation;
  const { id, integrationId } = row;
  const { state, answerStatus, answerBody, finishedAt, height, actualCost, updatedAt } = row;
  await ledger.batch([
    ledger.insert(operations).values(row).onConflictDoUpdate({
      target: operations.id,
      set: { state, answerStatus, answerBody, finishedAt, height, actualCost, updatedAt },
      setWhere: sql`operations.state IN ('pending', 'unknown') AND operations.updated_at < excluded.updated_at`,
    }),
    ...recorded.map(({ hash, step, result, at }) =>
      ledger
        .insert(transactions)
        .values({
          hash: new Uint8Array(Buffer.from(hash, "hex")),
          operationId: id,
          integrationId,
          step,
          result,
          createdAt: new Date(at),
        })
        .onConflictDoNothing(),
    ),
    ...putBackAround(ledger, operation),
    // R2 has it as it is.
    ledger
      .delete(unshipped)
      .where(
        and(
          eq(unshipped.operationId, id),
          sql`EXISTS (SELECT 1 FROM operations WHERE id = ${uuidToBytes(id)} AND updated_at = ${updatedAt.getTime()})`,
        ),
      ),
  ]);
};
