import { and, asc, desc, eq, gte, lt, lte, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidAt, uuidToBytes } from "../../domain/ids.ts";
import type { Ledger } from "../ledger.ts";
import { archives } from "../schema/ledger.ts";

export type ArchiveRow = typeof archives.$inferSelect;

const DAY_MS = 24 * 3_600_000;

/** The latest time of a version 7 UUID. A caller may send any UUID. */
const LAST_MOMENT = 2 ** 48 - 1;

/** The start of the next day (UTC). Every file covers one day. */
const nextDay = (moment: number): Date =>
  new Date(Math.min((Math.floor(moment / DAY_MS) + 1) * DAY_MS, LAST_MOMENT));

/** The time of a version 7 UUID: its first 48 bits are milliseconds since the epoch (RFC 9562). */
export const madeAt = (id: Uuid): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const own = (integrationId: Uuid): SQL => eq(archives.integrationId, integrationId);

/** Condition: an archived operation has a transaction that was recorded since a time. */
export const isArchivedSince = (integrationId: Uuid, time: number): SQL => sql`EXISTS (
  SELECT 1 FROM archives WHERE integration_id = ${uuidToBytes(integrationId)} AND last_at >= ${time})`;

/** Files that may have an operation: same day, with its id in their range. */
export const filesAround = (db: Ledger, integrationId: Uuid, id: Uuid): Promise<ArchiveRow[]> =>
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
    .orderBy(asc(archives.lastId));

/** Those of some operations of an integration that aren't in the archive alone: the ledger has them, or nothing has. */
export const notOnlyArchived = async (
  db: Ledger,
  integrationId: Uuid,
  ids: readonly Uuid[],
): Promise<ReadonlySet<Uuid>> => {
  const hex = (id: Uuid) => id.replaceAll("-", "");
  const ranges = ids.map((id) => [hex(id), hex(uuidAt(nextDay(madeAt(id)))), id]);
  const rows = await db.all<{ id: Uuid }>(sql`
    SELECT value ->> 2 AS id FROM json_each(${JSON.stringify(ranges)}) AS given
    WHERE EXISTS (SELECT 1 FROM operations WHERE id = unhex(given.value ->> 0))
      OR NOT EXISTS (SELECT 1 FROM archives WHERE integration_id = ${uuidToBytes(integrationId)}
        AND last_id >= unhex(given.value ->> 0) AND last_id < unhex(given.value ->> 1)
        AND first_id <= unhex(given.value ->> 0))`);
  return new Set(rows.map(({ id }) => id));
};

/** A range of an integration's archive, newest first; null: starts at the newest, or goes to the oldest. */
export interface ArchiveRange<Place> {
  readonly before: Place | null;
  readonly floor: Place | null;
}

/** Files that may have operations of a range, latest end first; a statement for a batch. */
export const filesOfOperations = (
  db: Ledger,
  integrationId: Uuid,
  { before, floor }: ArchiveRange<Uuid>,
  limit: number,
) => {
  const { firstId: first, lastId: last } = archives;
  // All files of a day end before the next.
  const below = before && and(lt(last, uuidAt(nextDay(madeAt(before)))), lte(first, before));
  const which = and(own(integrationId), floor === null ? undefined : gte(last, floor), below ?? undefined);
  return db.select().from(archives).where(which).orderBy(desc(last)).limit(limit);
};

/** Files that may have transactions of a time range. Those without transactions have no times and aren't included. */
export const filesOfTransactions = (
  db: Ledger,
  integrationId: Uuid,
  { before, floor }: ArchiveRange<Date>,
  limit: number,
) => {
  const { firstAt: first, lastAt: last } = archives;
  const below = before && and(lt(last, nextDay(before.getTime())), lte(first, before));
  const which = and(own(integrationId), gte(last, floor ?? new Date(0)), below ?? undefined);
  return db.select().from(archives).where(which).orderBy(desc(last)).limit(limit);
};
