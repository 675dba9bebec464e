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
/** Integrations with operations that R2 hasn't taken which are remembered, at most. */
const MOST_REFUSED = 100;

/** Where a round is: at this integration, behind this operation of it; null: at its first. */
interface Place {
  readonly integration: Uuid;
  readonly after: Uuid | null;
}

/** What the database stores of the rounds. The release before has a place alone. */
interface Round {
  /** Null: a round is to begin. */
  readonly place: Place | null;
  /** Integrations with old operations that could not be moved when they were last tried. */
  readonly refused: readonly Uuid[];
}

const readRound = async ({ db }: Pick<ServiceContext, "db">): Promise<Round> => {
  const cursor = await readSweep(db, SWEEP);
  if (cursor === null) return { place: null, refused: [] };
  const {
    integration,
    after,
    refused = [],
  } = JSON.parse(cursor) as {
    readonly integration: Uuid | null;
    readonly after: Uuid | null;
    readonly refused?: readonly Uuid[];
  };
  return { place: integration === null ? null : { integration, after }, refused };
};

const writeRound = ({ db, now }: ServiceContext, { place, refused }: Round): Promise<void> => {
  const isAtRest = place === null && refused.length === 0;
  const cursor = isAtRest
    ? null
    : JSON.stringify({ integration: place?.integration ?? null, after: place?.after ?? null, refused });
  return writeSweep(db, SWEEP, cursor, now());
};

/** How many integrations have old operations that R2 or the database refused to move when they were last tried. */
export const countRefused = async (context: Pick<ServiceContext, "db">): Promise<number> =>
  (await readRound(context)).refused.length;

/**
 * Takes operations that ended long ago out of the database, those of some integrations a run. What fails is an
 * integration's own: the round goes on with the next, and the next round tries it again.
 */
export const archiveOldOperations = async (context: ServiceContext): Promise<void> => {
  const { db, log, now } = context;
  const until = now().getTime() + RUN_MS;
  const { place, refused: before } = await readRound(context);
  const found = await integrationsFrom(db, place?.integration ?? null, INTEGRATIONS + 1);
  const refused = new Set(before);
  const keep = (next: Place | null) =>
    writeRound(context, { place: next, refused: [...refused].slice(0, MOST_REFUSED) });
  for (const integration of found.slice(0, INTEGRATIONS)) {
    let after = integration === place?.integration ? place.after : null;
    // A round that goes on behind an operation doesn't know what comes of those before.
    let isRefused = after !== null && refused.has(integration);
    do {
      if (now().getTime() >= until) return keep({ integration, after });
      try {
        const page = await archivePage(context, integration, after);
        after = page.last;
        isRefused ||= page.isRefused;
      } catch (error) {
        log("archive.page_failed", { integration_uuid: integration, after, error });
        after = null;
        isRefused = true;
      }
      if (isRefused) refused.add(integration);
    } while (after !== null);
    if (!isRefused) refused.delete(integration);
  }
  const next = found[INTEGRATIONS];
  return keep(next === undefined ? null : { integration: next, after: null });
};
