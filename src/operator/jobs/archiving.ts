import type { ServiceContext } from "../../context.ts";
import { isForgotten } from "../../db/ledger.ts";
import { integrationIds } from "../../db/queries/integrations.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import type { Uuid } from "../../domain/ids.ts";
import { archivePage } from "../../operations/engine/archive-pages.ts";

const DAY_MS = 24 * 3_600_000;

/** Name of the sweep over all integrations, whose cursor `countRefused` reads. */
export const ARCHIVE = "archive";

const INTEGRATIONS = 50;
/** How long a run begins further pages: 500 operations take about half a second. Milliseconds. */
const RUN_MS = 10_000;
const MOST_REFUSED = 100;

interface Round {
  /** The integration to continue with; null: the first. */
  readonly integration: Uuid | null;
  /** Its operation to continue after; null: from the first. */
  readonly after: Uuid | null;
  readonly refused: readonly Uuid[];
}

const roundOf = (cursor: string | null): Round =>
  cursor === null ? { integration: null, after: null, refused: [] } : (JSON.parse(cursor) as Round);

/** How many integrations have old operations that could not be moved at the last attempt. */
export const countRefused = (cursor: string | null): number => roundOf(cursor).refused.length;

/** Moves old operations of some integrations to R2. What can't be moved is tried again in the next round. */
export const archiveOldOperations = async (context: ServiceContext): Promise<void> => {
  const { db, log, now } = context;
  const until = now().getTime() + RUN_MS;
  // Whole days, so that a day of an integration is few files.
  const days = Math.floor(now().getTime() / DAY_MS) - context.settings.OPERATIONS_KEPT_DAYS;
  const before = new Date(days * DAY_MS);
  const round = roundOf(await readSweep(db, ARCHIVE));
  const found = await integrationIds(db, { from: round.integration }, INTEGRATIONS + 1);
  const refused = new Set(round.refused);
  const keep = async (integration: Uuid | null, after: Uuid | null) => {
    const next: Round = { integration, after, refused: [...refused].slice(0, MOST_REFUSED) };
    await writeSweep(db, ARCHIVE, JSON.stringify(next), now());
  };
  for (const integration of found.slice(0, INTEGRATIONS)) {
    let after = integration === round.integration ? round.after : null;
    // A round that continues after an operation doesn't try those before it again.
    let isRefused = after !== null && refused.has(integration);
    do {
      if (now().getTime() >= until) return keep(integration, after);
      try {
        const page = await archivePage(context, integration, { after, before });
        after = page.last;
        isRefused ||= page.isRefused;
      } catch (error) {
        // A lost ledger needs attention for itself, and has nothing to move until it is activated.
        if (isForgotten(error)) break;
        log("archive.page_failed", { integration_uuid: integration, after, error });
        after = null;
        isRefused = true;
      }
      if (isRefused) refused.add(integration);
    } while (after !== null);
    if (!isRefused) refused.delete(integration);
  }
  return keep(found[INTEGRATIONS] ?? null, null);
};
