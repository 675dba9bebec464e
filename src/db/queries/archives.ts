import { and, asc, desc, eq, gt, gte, inArray, lt, lte, notInArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Uuid, uuidAt, uuidToBytes } from "../../domain/ids.ts";
import { PLATFORM_KINDS } from "../../domain/operations.ts";
import type { Database } from "../client.ts";
import { archives, broughtFiles, integrations, operations, transactions } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { unhexed } from "./blobs.ts";
import { keepFor, RESULT } from "./operation-transactions.ts";
import { archivedWeight, weigh } from "./usage.ts";

/** A file of archived operations. */
export type ArchiveRow = typeof archives.$inferSelect;

const DAY_MS = 24 * 3_600_000;

/** The last moment that a version 7 UUID can say. A caller may ask for any UUID. */
const LAST_MOMENT = 2 ** 48 - 1;

/** The least UUID. */
const NIL = "00000000-0000-0000-0000-000000000000" as Uuid;

/** The beginning of the day (UTC) after a moment. Every file is of one day. */
const nextDay = (moment: number): Date =>
  new Date(Math.min((Math.floor(moment / DAY_MS) + 1) * DAY_MS, LAST_MOMENT));

/** When a version 7 UUID was made: its first 48 bits are milliseconds since the epoch (RFC 9562). */
export const madeAt = (id: Uuid): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Integrations in the order of their ids, from one on. */
export const integrationsFrom = async (db: Database, from: Uuid | null, limit: number): Promise<Uuid[]> => {
  const rows = await db
    .select({ id: integrations.id })
    .from(integrations)
    .where(from === null ? undefined : gte(integrations.id, from))
    .orderBy(asc(integrations.id))
    .limit(limit)
    .all();
  return rows.map(({ id }) => id);
};

/** What tells whether an operation may be archived, and how much of a file it takes. */
export interface OldOperation {
  readonly id: Uuid;
  readonly kind: (typeof operations.$inferSelect)["kind"];
  readonly state: (typeof operations.$inferSelect)["state"];
  readonly finishedAt: Date | null;
  /** When the records of its transactions were written: the first and the last, milliseconds since the epoch; null: none. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  /** Of its texts and its transactions'. */
  readonly bytes: number;
}

/** What its transactions come to together, for a row of operations. */
const ofTransactions = <Value>(value: SQL): SQL<Value> =>
  sql<Value>`(SELECT ${value} FROM transactions WHERE operation_id = operations.id)`;

/**
 * Operations of an integration that were accepted before a time, in the order of their ids, behind one. The operation with
 * the highest row number is never among them: SQLite would give its number again, and numbers are in the order of acceptance.
 */
export const oldOperations = (
  db: Database,
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
        sql`operations.rowid < (SELECT max(rowid) FROM operations)`,
        after === null ? undefined : gt(operations.id, after),
      ),
    )
    .orderBy(asc(operations.id))
    .limit(limit)
    .all();

/** The oldest id among the newest `count` operations that an integration's own wallet signs; null: there are fewer. */
export const newestFrom = async (db: Database, integrationId: Uuid, count: number): Promise<Uuid | null> => {
  const row = await db
    .select({ id: operations.id })
    .from(operations)
    .where(and(eq(operations.integrationId, integrationId), notInArray(operations.kind, PLATFORM_KINDS)))
    .orderBy(desc(operations.id))
    .limit(1)
    .offset(count - 1)
    .get();
  return row?.id ?? null;
};

/** Operations by their ids, and their transactions in the order of their steps. */
export const operationsWithTransactions = async (db: Database, ids: readonly Uuid[]) => {
  const named = unhexed(hexesOf(ids));
  const [rows, results] = await db.batch([
    db.select().from(operations).where(sql`id IN ${named}`),
    db
      .select({
        operationId: transactions.operationId,
        hash: transactions.hash,
        step: transactions.step,
        result: RESULT.mapWith(transactions.result),
        createdAt: transactions.createdAt,
        rowNumber: sql<number>`rowid`,
      })
      .from(transactions)
      .where(sql`operation_id IN ${named}`),
  ]);
  return { rows, results: results.toSorted((one, other) => one.rowNumber - other.rowNumber) };
};

const hexesOf = (ids: readonly Uuid[]): string => JSON.stringify(ids.map((id) => id.replaceAll("-", "")));

/** Which files a failed operation brought to its collection: hexadecimal of the three parts of their key. */
export type BroughtFile = readonly [collection: string, sha256: string, operation: string];

/**
 * Replaces operations that have ended by the file that has them, in one batch. Nothing happens unless all of them are
 * there still: of two runs that wrote a file of the same, one counts.
 * @param brought by those that failed: a file that they brought is no longer held for them
 */
export const replaceByFile = async (
  db: Database,
  file: ArchiveRow,
  ids: readonly Uuid[],
  brought: readonly BroughtFile[],
): Promise<boolean> => {
  const named = unhexed(hexesOf(ids));
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
  const files = sql`(SELECT unhex(value ->> 0), unhex(value ->> 1), unhex(value ->> 2)
    FROM json_each(${JSON.stringify(brought)}))`;
  const [inserted] = await db.batch([
    insert,
    weigh(db, file.integrationId, archivedWeight(named, isIn), -1),
    db.delete(broughtFiles).where(sql`(collection_id, sha256, operation_id) IN ${files} AND ${isIn}`),
    keepFor(db, sql`operation_id NOT IN ${named}`, sql`operation_id IN ${named} AND ${isIn}`),
    db.delete(transactions).where(sql`operation_id IN ${named} AND ${isIn}`),
    db.delete(operations).where(sql`id IN ${named} AND ${isIn}`),
  ] as unknown as [typeof insert, ...Statement[]]);
  return inserted.length > 0;
};

const own = (integrationId: Uuid): SQL => eq(archives.integrationId, integrationId);

/** Files that may have an operation: those of its day around its id. */
export const filesAround = (db: Database, integrationId: Uuid, id: Uuid): Promise<ArchiveRow[]> =>
  db
    .select()
    .from(archives)
    .where(
      and(
        own(integrationId),
        gte(archives.lastId, id),
        lt(archives.lastId, uuidAt(nextDay(madeAt(id)))),
        lte(archives.firstId, id),
      ),
    )
    .orderBy(asc(archives.lastId))
    .all();

/** A part of an integration's archive, from its newest on. */
export interface ArchivePart<Place> {
  /** Null: from the newest on. */
  readonly before: Place | null;
  /** Null: to the oldest. */
  readonly floor: Place | null;
}

/** Which files reach into a part of a list. */
interface Reach {
  /** Where a file begins and ends in the list. */
  readonly first: SQLiteColumn;
  readonly last: SQLiteColumn;
  readonly from: Uuid | Date;
  /** The part's end, and the end of its day, at which every file of the day has ended; null: there is no end. */
  readonly before: Uuid | Date | null;
  readonly dayEnd: Uuid | Date | null;
}

/** Files that may have something of a part, those that end last first. A statement for a batch. */
const filesIn = (
  db: Database,
  integrationId: Uuid,
  { first, last, from, before, dayEnd }: Reach,
  limit: number,
) =>
  db
    .select()
    .from(archives)
    .where(
      and(
        own(integrationId),
        gte(last, from),
        before === null ? undefined : and(lt(last, dayEnd), lte(first, before)),
      ),
    )
    .orderBy(desc(last))
    .limit(limit);

/** Files that may have operations of a part of the list of operations. */
export const filesOfOperations = (
  db: Database,
  integrationId: Uuid,
  { before, floor }: ArchivePart<Uuid>,
  limit: number,
) => {
  const dayEnd = before && uuidAt(nextDay(madeAt(before)));
  const reach = { first: archives.firstId, last: archives.lastId, from: floor ?? NIL, before, dayEnd };
  return filesIn(db, integrationId, reach, limit);
};

/** Files that may have transactions of a part of time. Those without any are left out: they have no times. */
export const filesOfTransactions = (
  db: Database,
  integrationId: Uuid,
  { before, floor }: ArchivePart<Date>,
  limit: number,
) => {
  const dayEnd = before && nextDay(before.getTime());
  const from = floor ?? new Date(0);
  const reach = { first: archives.firstAt, last: archives.lastAt, from, before, dayEnd };
  return filesIn(db, integrationId, reach, limit);
};

/** Which keys of a list no row names. */
export const withoutArchiveRow = async (db: Database, keys: readonly string[]): Promise<string[]> => {
  if (keys.length === 0) return [];
  const rows = await db
    .select({ key: archives.objectKey })
    .from(archives)
    .where(inArray(archives.objectKey, sql`(SELECT value FROM json_each(${JSON.stringify(keys)}))`))
    .all();
  const named = new Set(rows.map(({ key }) => key));
  return keys.filter((key) => !named.has(key));
};
