import type { ServiceContext } from "../context.ts";
import { deleteOldEvents, oldestEvents } from "../db/queries/events.ts";
import { readSweep, writeSweep } from "../db/queries/sweeps.ts";
import type { Uuid } from "../domain/ids.ts";

const SWEEP = "events";

const DAY_MS = 24 * 3_600_000;

/** Integrations that one run looks at, and rows that it deletes of each. */
const INTEGRATIONS = 50;
const ROWS = 2_000;

/** Deletes old events, of some integrations a run. */
export const forgetOldEvents = async (context: ServiceContext): Promise<void> => {
  const { db, now, settings } = context;
  const before = new Date(now().getTime() - settings.EVENTS_KEPT_DAYS * DAY_MS);
  const after = (await readSweep(db, SWEEP)) as Uuid | null;
  const found = await oldestEvents(db, after, INTEGRATIONS);
  for (const { id, oldest } of found) {
    if (oldest !== null && oldest < before.getTime()) await deleteOldEvents(db, id, before, ROWS);
  }
  await writeSweep(db, SWEEP, found.length < INTEGRATIONS ? null : (found.at(-1)?.id ?? null), now());
};
