import { asc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { type auditEntries, type events, integrations, sweeps } from "../schema/index.ts";
import type { Statement } from "../statements.ts";

/** Reads cursors of some rounds; a statement for a batch. */
export const selectSweeps = (db: Database, names: readonly string[]) =>
  db
    .select()
    .from(sweeps)
    .where(inArray(sweeps.name, [...names]));

/** Cursor of a round of the scheduled job; null: the beginning. */
export const readSweep = async (db: Database, name: string): Promise<string | null> => {
  const row = await db.select({ cursor: sweeps.cursor }).from(sweeps).where(eq(sweeps.name, name)).get();
  return row?.cursor ?? null;
};

/** Stores the cursor of a round; also a statement for a batch. */
export const writeSweep = (db: Database, name: string, cursor: string | null, now: Date) => {
  const row = { name, cursor, updatedAt: now };
  return db.insert(sweeps).values(row).onConflictDoUpdate({ target: sweeps.name, set: row });
};

/** Condition: the stored cursor is still this one; null: none. */
export const isSweptTo = (name: string, cursor: string | null): SQL =>
  sql`(SELECT cursor FROM sweeps WHERE name = ${name}) IS ${cursor}`;

/** Condition: a round was recorded after a time. */
export const sweptSince = (name: string, since: Date): SQL =>
  sql`EXISTS (SELECT 1 FROM sweeps WHERE name = ${name} AND updated_at > ${since.getTime()})`;

/** Tables whose rows an integration has under ascending numbers, for a time. */
type Numbered = typeof events | typeof auditEntries;

/** The next integrations behind an id, and when the oldest of their rows was written; null: they have none. */
export const oldestNumbered = (db: Database, table: Numbered, after: Uuid | null, limit: number) =>
  db
    .select({
      id: integrations.id,
      oldest: sql<number | null>`(SELECT created_at FROM ${table} WHERE integration_id = integrations.id
        ORDER BY seq LIMIT 1)`,
    })
    .from(integrations)
    .where(after === null ? undefined : gt(integrations.id, after))
    .orderBy(asc(integrations.id))
    .limit(limit);

/** An integration's rows of a table written before a time, oldest first. The newest row stays, because it has the last number. */
const oldNumbered = (
  table: Numbered,
  {
    integrationId,
    before,
    limit,
  }: { readonly integrationId: Uuid; readonly before: Date; readonly limit: number },
): SQL => {
  const own = sql`integration_id = ${uuidToBytes(integrationId)}`;
  return sql`${own} AND seq IN (
    SELECT seq FROM (SELECT seq, created_at FROM ${table} WHERE ${own} ORDER BY seq LIMIT ${limit})
    WHERE created_at < ${before.getTime()} AND seq < (SELECT max(seq) FROM ${table} WHERE ${own}))`;
};

/** Deletes such rows. */
export const deleteOldNumbered = (
  db: Database,
  table: Numbered,
  rows: Parameters<typeof oldNumbered>[1],
): Statement => db.delete(table).where(oldNumbered(table, rows));
