import { and, asc, isNotNull, lte, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import type { Database } from "../../db/client.ts";
import { hadOperationSince } from "../../db/queries/operations.ts";
import { collections } from "../../db/schema/index.ts";
import { tryOperation } from "../../operations/engine/run.ts";
import { proposeReveal } from "../../operations/kinds/collection-reveal.ts";

/** Collections of one run. */
const AT_ONCE = 20;

/** Pause after a reveal that failed, for example because the wallet can't pay. Milliseconds. */
const NOT_AGAIN_MS = 10 * 60_000;

/** Collections whose time to be revealed has come, the earliest first. */
const dueReveals = (db: Database, now: Date, limit: number) =>
  db
    .select({ id: collections.id, integrationId: collections.integrationId })
    .from(collections)
    .where(and(isNotNull(collections.revealAt), lte(collections.revealAt, now)))
    .orderBy(asc(collections.revealAt))
    .limit(limit)
    .all();

/** Reveals collections at their time. One that fails is tried again later, and stops no other. */
export const revealDue = async (context: ServiceContext): Promise<void> => {
  const { db, now } = context;
  for (const { id, integrationId } of await dueReveals(db, now(), AT_ONCE)) {
    try {
      const proposal = await proposeReveal(context, { integrationId }, id, undefined);
      const failed = new Date(now().getTime() - NOT_AGAIN_MS);
      const isTooSoon = hadOperationSince(id, "collection_reveal", { failed, any: now() });
      const condition = sql`${proposal.condition} AND NOT ${isTooSoon}`;
      const caller = { integrationId, requestKey: null, respondAsync: true };
      await tryOperation(context, caller, { ...proposal, condition });
    } catch (error) {
      context.log("reveal.failed", { collection_uuid: id, error });
    }
  }
};
