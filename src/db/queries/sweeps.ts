import { eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Database } from "../client.ts";
import { sweeps } from "../schema/index.ts";
import type { Statement } from "../statements.ts";

/** What is noted of some rounds, as a statement for a batch. */
export const selectSweeps = (db: Database, names: readonly string[]) =>
  db
    .select()
    .from(sweeps)
    .where(inArray(sweeps.name, [...names]));

/** Where a round of the scheduled job goes on; null: from the beginning. */
export const readSweep = async (db: Database, name: string): Promise<string | null> => {
  const row = await db.select({ cursor: sweeps.cursor }).from(sweeps).where(eq(sweeps.name, name)).get();
  return row?.cursor ?? null;
};

/** Notes where a round has come to, as a statement for a batch. */
export const sweepStatement = (db: Database, name: string, cursor: string | null, now: Date): Statement => {
  const row = { name, cursor, updatedAt: now };
  return db.insert(sweeps).values(row).onConflictDoUpdate({ target: sweeps.name, set: row });
};

/** Notes where a round has come to. */
export const writeSweep = async (
  db: Database,
  name: string,
  cursor: string | null,
  now: Date,
): Promise<void> => {
  await sweepStatement(db, name, cursor, now);
};

/** Whether what was noted last is still this; null: nothing was. */
export const isSweptTo = (name: string, cursor: string | null): SQL =>
  sql`(SELECT cursor FROM sweeps WHERE name = ${name}) IS ${cursor}`;

/** Condition: a round was recorded after a time. */
export const sweptSince = (name: string, since: Date): SQL =>
  sql`EXISTS (SELECT 1 FROM sweeps WHERE name = ${name} AND updated_at > ${since.getTime()})`;
