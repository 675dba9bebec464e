import { and, asc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { type Results, runBatch } from "../../db/client.ts";
import { type Ledger, ledgerOf } from "../../db/ledger.ts";
import { type ArchiveRow, madeAt } from "../../db/queries/archives.ts";
import { idsIn } from "../../db/queries/collections.ts";
import { copySharedResult, RESULT } from "../../db/queries/operation-transactions.ts";
import { archives, operations, transactions } from "../../db/schema/ledger.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { newUuid, toHex, type Uuid, uuidAt, uuidToBytes } from "../../domain/ids.ts";
import { KINDS } from "../../domain/operations.ts";
import { type ArchivedOperation, linesOf, listedAs } from "../../files/archive/file.ts";
import { archiveKey } from "../../files/storage/keys.ts";
import { MOST_BYTES, MOST_LINES, putLines } from "../../files/storage/line-files.ts";

const DAY_MS = 24 * 3_600_000;

const PAGE = 500;
/** Consecutive files of a page that may fail before the round continues with the next page. */
const MOST_REFUSED_FILES = 5;

/** Properties that decide whether an operation may be archived, and its size in a file. */
interface OldOperation {
  readonly id: Uuid;
  readonly kind: (typeof operations.$inferSelect)["kind"];
  readonly state: (typeof operations.$inferSelect)["state"];
  readonly finishedAt: Date | null;
  /** 1 if its record in R2 is as it is now. */
  readonly isShipped: number;
  /** When the first and the last record of its transactions was written, milliseconds since the epoch; null: none. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  /** Of its texts and its transactions'. */
  readonly bytes: number;
}

const ofTransactions = <Value>(value: SQL): SQL<Value> =>
  sql<Value>`(SELECT ${value} FROM transactions WHERE operation_id = operations.id)`;

/** Operations of an integration from before a time, by id. */
const oldOperations = (
  db: Ledger,
  integrationId: Uuid,
  { after, before }: { readonly after: Uuid | null; readonly before: Date },
  limit: number,
): Promise<OldOperation[]> =>
  db
    .select({
      id: operations.id,
      kind: operations.kind,
      state: operations.state,
      finishedAt: operations.finishedAt,
      isShipped: sql<number>`NOT EXISTS (SELECT 1 FROM unshipped WHERE operation_id = operations.id)`,
      firstAt: ofTransactions<number | null>(sql`min(created_at)`),
      lastAt: ofTransactions<number | null>(sql`max(created_at)`),
      bytes: sql<number>`octet_length(request) + coalesce(octet_length(answer_body), 0)
        + ${ofTransactions(sql`coalesce(sum(octet_length(result)), 0)`)}`,
    })
    .from(operations)
    .where(
      and(
        eq(operations.integrationId, integrationId),
        lt(operations.id, uuidAt(before)),
        after === null ? undefined : gt(operations.id, after),
      ),
    )
    .orderBy(asc(operations.id))
    .limit(limit);

/** Reads operations, and their transactions in the order of their steps: statements of a batch. @param named a list of ids */
export const selectRecorded = (ledger: Ledger, named: SQL) =>
  [
    ledger.select().from(operations).where(sql`id IN ${named}`),
    ledger
      .select({
        operationId: transactions.operationId,
        hash: transactions.hash,
        step: transactions.step,
        result: RESULT.mapWith(transactions.result),
        createdAt: transactions.createdAt,
        rowNumber: sql<number>`rowid`,
      })
      .from(transactions)
      .where(sql`operation_id IN ${named}`)
      .orderBy(sql`rowid`),
  ] as const;

type Recorded = Results<ReturnType<typeof selectRecorded>>;

/** Operations that were read, with their transactions, as files have them. */
export const recorded = ([rows, results]: Recorded): Pick<ArchivedOperation, "row" | "transactions">[] => {
  const byOperation = Map.groupBy(results, ({ operationId }) => operationId);
  return rows.map((row) => ({
    row,
    transactions: (byOperation.get(row.id) ?? []).map(({ hash, step, result, createdAt, rowNumber }) => ({
      hash: toHex(hash),
      step,
      result,
      at: createdAt.getTime(),
      rowNumber,
    })),
  }));
};

/**
 * Replaces ended operations by the file that has them, in one batch, if all of them are still there: of two runs, one counts.
 */
const replaceByFile = async (db: Ledger, file: ArchiveRow, ids: readonly Uuid[]): Promise<boolean> => {
  const named = idsIn(ids);
  const isIn = sql`EXISTS (SELECT 1 FROM archives WHERE integration_id = ${uuidToBytes(file.integrationId)}
    AND last_id = ${uuidToBytes(file.lastId)} AND object_key = ${file.objectKey})`;
  const insert = db
    .insert(archives)
    .select(sql`
      SELECT ${uuidToBytes(file.integrationId)}, ${uuidToBytes(file.firstId)}, ${uuidToBytes(file.lastId)},
        ${file.firstAt?.getTime() ?? null}, ${file.lastAt?.getTime() ?? null}, ${file.objectKey}, ${file.operations},
        ${file.bytes}, ${file.createdAt.getTime()}
      WHERE (SELECT count(*) FROM operations WHERE id IN ${named} AND finished_at IS NOT NULL) = ${ids.length}`)
    .returning({ lastId: archives.lastId });
  const [inserted] = await runBatch(db, [
    insert,
    copySharedResult(db, sql`operation_id NOT IN ${named}`, sql`operation_id IN ${named} AND ${isIn}`),
    db.delete(transactions).where(sql`operation_id IN ${named} AND ${isIn}`),
    db.delete(operations).where(sql`id IN ${named} AND ${isIn}`),
  ]);
  return inserted.length > 0;
};

export interface ArchivedPage {
  /** The last operation of the page; null at the end. */
  readonly last: Uuid | null;
  readonly isRefused: boolean;
}

/**
 * Moves a page of operations that ended before a time to files in R2, with their transactions. A file is written before its row, so
 * an interrupted run leaves only an unnamed file. A failure is logged, and the others continue.
 */
export const archivePage = async (
  context: ServiceContext,
  integrationId: Uuid,
  { after, before }: { readonly after: Uuid | null; readonly before: Date },
): Promise<ArchivedPage> => {
  const { log, now, settings } = context;
  const db = ledgerOf(context, integrationId);
  const page = await oldOperations(db, integrationId, { after, before }, PAGE);
  const keptSince = new Date(now().getTime() - settings.OPERATIONS_KEPT_DAYS * DAY_MS);
  const due = page.filter((operation) => isDue(operation, before, keptSince));
  let isRefused = false;
  let inRow = 0;
  if (due.length > 0) {
    for (const group of groupsOf(due)) {
      try {
        await archive(context, integrationId, group);
        inRow = 0;
      } catch (error) {
        isRefused = true;
        inRow += 1;
        log("archive.file_refused", {
          integration_uuid: integrationId,
          first_operation_uuid: group[0]?.id,
          operations: group.length,
          error,
        });
        // R2 may be failing altogether: the rest of the page is left to the next round.
        if (inRow === MOST_REFUSED_FILES) break;
      }
    }
  }
  const last = page.length < PAGE ? null : (page.at(-1)?.id ?? null);
  return { last, isRefused };
};

const dayOf = (moment: number): number => Math.floor(moment / DAY_MS);

/**
 * An operation whose transactions were recorded on several days stays: a file covers one day. One that failed stays until
 * `keptSince` (`OPERATIONS_KEPT_DAYS`) even in a large ledger: it may have freed its key, which only its row says.
 */
const isDue = (operation: OldOperation, before: Date, keptSince: Date): boolean => {
  const { kind, state, finishedAt, isShipped, firstAt, lastAt } = operation;
  const isOld = finishedAt !== null && finishedAt < keptSince;
  const isOver = state === "succeeded" || (state === "failed" && isOld);
  const isOfOneDay = firstAt === null || lastAt === null || dayOf(firstAt) === dayOf(lastAt);
  return (
    KINDS[kind].isArchived &&
    isOver &&
    isShipped === 1 &&
    isOfOneDay &&
    finishedAt !== null &&
    finishedAt < before
  );
};

/** Operations of one file each: accepted on one day, recorded on one, and few enough to read at once. */
const groupsOf = (operations: readonly OldOperation[]): OldOperation[][] => {
  const full: OldOperation[][] = [];
  const open = new Map<string, { readonly group: OldOperation[]; bytes: number }>();
  for (const operation of operations) {
    const days = `${dayOf(madeAt(operation.id))} ${dayOf(operation.lastAt ?? operation.finishedAt!.getTime())}`;
    const last = open.get(days);
    if (last && last.group.length < MOST_LINES && last.bytes + operation.bytes <= MOST_BYTES) {
      last.group.push(operation);
      last.bytes += operation.bytes;
      continue;
    }
    const group = [operation];
    full.push(group);
    open.set(days, { group, bytes: operation.bytes });
  }
  return full;
};

const archive = async (
  context: ServiceContext,
  integrationId: Uuid,
  group: readonly OldOperation[],
): Promise<void> => {
  const { env, log, now } = context;
  const ledger = ledgerOf(context, integrationId);
  const ids = group.map(({ id }) => id);
  const read = await ledger.batch(selectRecorded(ledger, idsIn(ids)));
  const operations = recorded(read).toSorted((one, other) => (one.row.id < other.row.id ? -1 : 1));
  const times = operations.flatMap(({ transactions }) => transactions.map(({ at }) => at));
  const objectKey = archiveKey(integrationId, new Date(madeAt(ids[0]!)), newUuid());
  const listed = {
    firstId: ids[0]!,
    lastId: ids.at(-1)!,
    firstAt: times.length === 0 ? null : new Date(Math.min(...times)),
    lastAt: times.length === 0 ? null : new Date(Math.max(...times)),
    operations: ids.length,
  };
  checkpoint("archive.before_file");
  const bytes = await putLines(env.BUCKET, objectKey, linesOf(operations), listedAs(listed));
  checkpoint("archive.file_written");
  const file: ArchiveRow = { ...listed, integrationId, objectKey, bytes, createdAt: now() };
  const isReplaced = await replaceByFile(ledger, file, ids);
  checkpoint("archive.rows_replaced");
  log("archive.written", { key: file.objectKey, operations: ids.length, replaced: isReplaced });
};
