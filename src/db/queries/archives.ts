import { and, asc, desc, eq, gte, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Uuid, uuidAt } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { archives } from "../schema/index.ts";

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
export interface ArchiveRange<Place> {
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
  { before, floor }: ArchiveRange<Uuid>,
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
  { before, floor }: ArchiveRange<Date>,
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
