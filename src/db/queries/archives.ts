import { and, asc, desc, eq, gte, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Uuid, uuidAt } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { archives } from "../schema/index.ts";

/** A row of an archive file. */
export type ArchiveRow = typeof archives.$inferSelect;

const DAY_MS = 24 * 3_600_000;

/** The latest time of a version 7 UUID. A caller may send any UUID. */
const LAST_MOMENT = 2 ** 48 - 1;

/** The smallest UUID. */
const NIL = "00000000-0000-0000-0000-000000000000" as Uuid;

/** The start of the next day (UTC). Every file covers one day. */
const nextDay = (moment: number): Date =>
  new Date(Math.min((Math.floor(moment / DAY_MS) + 1) * DAY_MS, LAST_MOMENT));

/** The time of a version 7 UUID: its first 48 bits are milliseconds since the epoch (RFC 9562). */
export const madeAt = (id: Uuid): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const own = (integrationId: Uuid): SQL => eq(archives.integrationId, integrationId);

/** Files that may have an operation: same day, with its id in their range. */
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

/** A range of an integration's archive, newest first. */
export interface ArchiveRange<Place> {
  /** Null: starts at the newest. */
  readonly before: Place | null;
  /** Null: to the oldest. */
  readonly floor: Place | null;
}

/** The columns and limits that select the files of a range. */
interface Reach {
  /** The columns with a file's first and last entry. */
  readonly first: SQLiteColumn;
  readonly last: SQLiteColumn;
  readonly from: Uuid | Date;
  /** The part's end, and the end of its day, at which every file of the day has ended; null: there is no end. */
  readonly before: Uuid | Date | null;
  readonly dayEnd: Uuid | Date | null;
}

/** Files that may have entries of a range, latest end first. A statement for a batch. */
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

/** Files that may have operations of a range. */
export const filesOfOperations = (
  db: Database,
  integrationId: Uuid,
  { before, floor }: ArchiveRange<Uuid>,
  limit: number,
) => {
  const dayEnd = before && uuidAt(nextDay(madeAt(before)));
  const reach = { first: archives.firstId, last: archives.lastId, from: floor ?? NIL, before, dayEnd };
  return filesIn(db, integrationId, reach, limit);
};

/** Files that may have transactions of a time range. Files without transactions have no times and aren't included. */
export const filesOfTransactions = (
  db: Database,
  integrationId: Uuid,
  { before, floor }: ArchiveRange<Date>,
  limit: number,
) => {
  const dayEnd = before && nextDay(before.getTime());
  const from = floor ?? new Date(0);
  const reach = { first: archives.firstAt, last: archives.lastAt, from, before, dayEnd };
  return filesIn(db, integrationId, reach, limit);
};

/** The keys of a list that no row refers to. */
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
