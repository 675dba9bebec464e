import { asc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { auditEntries, integrations, sweeps } from "../schema/index.ts";
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

/** Stores a cursor, unless it isn't as it was read; a statement for a batch. */
export const changeSweep = (
  db: Database,
  name: string,
  { before, after, now }: { readonly before: string | null; readonly after: string; readonly now: Date },
) => {
  const row = { name, cursor: after, updatedAt: now };
  return db
    .insert(sweeps)
    .values(row)
    .onConflictDoUpdate({ target: sweeps.name, set: row, setWhere: sql`${sweeps.cursor} IS ${before}` });
};

/** Condition: a cursor is as it was read. */
export const hasCursor = (name: string, cursor: string | null): SQL =>
  sql`(SELECT cursor FROM sweeps WHERE name = ${name}) IS ${cursor}`;

/** The next integrations behind an id, and when the oldest entry of their audit log was written; null: they have none. */
export const oldestAudit = (db: Database, after: Uuid | null, limit: number) =>
  db
    .select({
      id: integrations.id,
      oldest: sql<number | null>`(SELECT created_at FROM audit_entries WHERE integration_id = integrations.id
        ORDER BY seq LIMIT 1)`,
    })
    .from(integrations)
    .where(after === null ? undefined : gt(integrations.id, after))
    .orderBy(asc(integrations.id))
    .limit(limit);

/** Deletes entries written before a time, oldest first. The newest stays, because it has the last number. */
export const deleteOldAudit = (
  db: Database,
  {
    integrationId,
    before,
    limit,
  }: { readonly integrationId: Uuid; readonly before: Date; readonly limit: number },
): Statement => {
  const own = sql`integration_id = ${uuidToBytes(integrationId)}`;
  return db.delete(auditEntries).where(sql`${own} AND seq IN (
    SELECT seq FROM (SELECT seq, created_at FROM audit_entries WHERE ${own} ORDER BY seq LIMIT ${limit})
    WHERE created_at < ${before.getTime()} AND seq < (SELECT max(seq) FROM audit_entries WHERE ${own}))`);
};
