import { eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Database } from "../client.ts";
import { sweeps } from "../schema/index.ts";

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
