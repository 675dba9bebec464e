import { and, asc, eq, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import type { Database } from "../../db/client.ts";
import { hadOperationSince } from "../../db/queries/operations.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import { collections, integrations } from "../../db/schema/index.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { tryOperation } from "../../operations/engine/run.ts";
import { proposeReveal } from "../../operations/kinds/collection-reveal.ts";

/** Collections of one run. */
const AT_ONCE = 20;
const SWEEP = "due_reveals";

/** Pause after a reveal that failed, for example because the wallet can't pay. Milliseconds. */
const NOT_AGAIN_MS = 10 * 60_000;

/** Where a round is: behind this collection. */
interface Cursor {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly id: Uuid;
}

/** Collections of working integrations whose time to be revealed has come, the earliest first, behind a cursor. */
const dueReveals = (db: Database, now: Date, after: Cursor | null) =>
  db
    .select({ id: collections.id, integrationId: collections.integrationId, at: collections.revealAt })
    .from(collections)
    .innerJoin(integrations, eq(integrations.id, collections.integrationId))
    .where(
      and(
        isNotNull(collections.revealAt),
        lte(collections.revealAt, now),
        isNull(integrations.suspendedAt),
        isNull(integrations.deletedAt),
        after ? sql`(reveal_at, collections.id) > (${after.at}, ${uuidToBytes(after.id)})` : undefined,
      ),
    )
    .orderBy(asc(collections.revealAt), asc(collections.id))
    .limit(AT_ONCE)
    .all();

/** The next collections of the round; from the start behind its end. */
const nextDue = async ({ db, now }: ServiceContext) => {
  const after = JSON.parse((await readSweep(db, SWEEP)) ?? "null") as Cursor | null;
  let rows = await dueReveals(db, now(), after);
  if (rows.length === 0 && after !== null) rows = await dueReveals(db, now(), null);
  const last = rows.length < AT_ONCE ? undefined : rows.at(-1);
  const cursor = last ? JSON.stringify({ at: last.at!.getTime(), id: last.id } satisfies Cursor) : null;
  if (last || after !== null) await writeSweep(db, SWEEP, cursor, now());
  return rows;
};

/** Reveals collections at their time. One that fails is tried again later, and stops no other. */
export const revealDue = async (context: ServiceContext): Promise<void> => {
  const { now } = context;
  for (const { id, integrationId } of await nextDue(context)) {
    try {
      const proposal = await proposeReveal(context, { integrationId }, id, undefined);
      const failed = new Date(now().getTime() - NOT_AGAIN_MS);
      const isTooSoon = hadOperationSince(id, "collection_reveal", { failed, any: now() });
      const condition = sql`${proposal.condition} AND NOT ${isTooSoon}`;
      const caller = { integrationId, requestKey: null, respondAsync: true };
      // A refusal ends it with a row, which `isTooSoon` looks for.
      await tryOperation(context, caller, { ...proposal, condition, acceptFirst: true });
    } catch (error) {
      context.log("reveal.failed", { collection_uuid: id, error });
    }
  }
};
