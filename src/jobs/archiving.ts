import { archivePage } from "../archive/write.ts";
import type { ServiceContext } from "../context.ts";
import { integrationsFrom } from "../db/queries/archives.ts";
import { readSweep, writeSweep } from "../db/queries/sweeps.ts";
import type { Uuid } from "../domain/ids.ts";

const SWEEP = "archive";

/** Integrations that one run looks at. */
const INTEGRATIONS = 50;
/** For so long a run begins a further page: 500 operations in about half a second. Milliseconds. */
const RUN_MS = 10_000;

/** Where a round is: at this integration, behind this operation of it; null: at its first. */
interface Place {
  readonly integration: Uuid;
  readonly after: Uuid | null;
}

/** Takes operations that ended long ago out of the database, those of some integrations a run. */
export const archiveOldOperations = async (context: ServiceContext): Promise<void> => {
  const { db, now } = context;
  const until = now().getTime() + RUN_MS;
  const cursor = await readSweep(db, SWEEP);
  const place = cursor === null ? null : (JSON.parse(cursor) as Place);
  const found = await integrationsFrom(db, place?.integration ?? null, INTEGRATIONS + 1);
  const keep = (next: Place | null) =>
    writeSweep(db, SWEEP, next === null ? null : JSON.stringify(next), now());
  for (const integration of found.slice(0, INTEGRATIONS)) {
    let after = integration === place?.integration ? place.after : null;
    do {
      if (now().getTime() >= until) return keep({ integration, after });
      after = await archivePage(context, integration, after);
    } while (after !== null);
  }
  const next = found[INTEGRATIONS];
  return keep(next === undefined ? null : { integration: next, after: null });
};
