import { sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import { type SizeSample, withSample } from "../../domain/database-growth.ts";

export const DATABASE_SIZE = "database_size";

/** How large the database was at some moments of the last month. @param cursor as noted */
export const sizeSamples = (cursor: string | null): readonly SizeSample[] =>
  JSON.parse(cursor ?? "[]") as SizeSample[];

/** A few times a day: notes how large the database is. */
export const keepStatistics = async ({ db, now }: Pick<ServiceContext, "db" | "now">): Promise<void> => {
  const before = sizeSamples(await readSweep(db, DATABASE_SIZE));
  const { meta } = await db.run(sql`SELECT 1`);
  const samples = withSample(before, [now().getTime(), meta.size_after]);
  if (samples === before) return;
  await writeSweep(db, DATABASE_SIZE, JSON.stringify(samples), now());
};
