import { sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import { type SizeSample, withSample } from "../../domain/database-growth.ts";

const SWEEP = "database_size";

/** How large the database was at some moments of the last month. */
export const sizeSamples = async ({ db }: Pick<ServiceContext, "db">): Promise<readonly SizeSample[]> =>
  JSON.parse((await readSweep(db, SWEEP)) ?? "[]") as SizeSample[];

/** Notes how large the database is, a few times a day. */
export const noteSize = async (context: ServiceContext): Promise<void> => {
  const { db, now } = context;
  const before = await sizeSamples(context);
  const { meta } = await db.run(sql`SELECT 1`);
  const samples = withSample(before, [now().getTime(), meta.size_after]);
  if (samples !== before) await writeSweep(db, SWEEP, JSON.stringify(samples), now());
};
