import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import type { Database } from "../../db/client.ts";
import { FIRST } from "../../db/queries/integrations.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import { untoldEvents, webhooks } from "../../db/schema/events.ts";
import type { Uuid } from "../../domain/ids.ts";
import { endpointOf, tellEvent } from "../../events/webhooks/interface.ts";

const SWEEP = "webhooks";

const UNTOLD_SWEEP = "untold_events";

/** Events of one run. */
const EVENTS = 20;

/** Writes events to their ledgers that weren't written with their change. One ledger's failure doesn't block others. */
export const tellUntold = async (context: ServiceContext): Promise<void> => {
  const { db, now } = context;
  const after = (await readSweep(db, UNTOLD_SWEEP)) as Uuid | null;
  const found = await db
    .select()
    .from(untoldEvents)
    .where(gt(untoldEvents.id, after ?? FIRST))
    .orderBy(asc(untoldEvents.id))
    .limit(EVENTS);
  if (found.length === 0 && after === null) return;
  await Promise.all(found.map((event) => tellEvent(context, event)));
  await writeSweep(db, UNTOLD_SWEEP, found.length < EVENTS ? null : (found.at(-1)?.id ?? null), now());
};

/** Endpoints of one run, and how many it wakes at once. */
const ENDPOINTS = 1_000;
const AT_ONCE = 20;

/** Enabled endpoints after an id, with the last event of the integration and the last for which the object was woken. */
export const enabledAfter = (db: Database, after: Uuid | null, limit: number) =>
  db
    .select({
      id: webhooks.id,
      wokenSeq: webhooks.wokenSeq,
      fromSeq: webhooks.fromSeq,
      last: sql<number | null>`(SELECT events_seq FROM ledgers WHERE id = webhooks.integration_id)`,
    })
    .from(webhooks)
    .where(and(sql`state = 'enabled'`, after === null ? undefined : gt(webhooks.id, after)))
    .orderBy(asc(webhooks.id))
    .limit(limit);

/** Wakes endpoints that aren't known to have sent the last event: the wake behind it, or their alarm, may be lost. */
export const wakeForgotten = async (context: ServiceContext): Promise<void> => {
  const { db, now } = context;
  const found = await enabledAfter(db, (await readSweep(db, SWEEP)) as Uuid | null, ENDPOINTS);
  const behind = found.flatMap(({ id, last, wokenSeq, fromSeq }) =>
    last !== null && last !== wokenSeq ? [{ id, last, fromSeq }] : [],
  );
  for (let at = 0; at < behind.length; at += AT_ONCE) {
    await Promise.all(behind.slice(at, at + AT_ONCE).map((endpoint) => wake(context, endpoint)));
  }
  await writeSweep(db, SWEEP, found.length < ENDPOINTS ? null : (found.at(-1)?.id ?? null), now());
};

const wake = async (
  { env, db, log }: ServiceContext,
  { id, last, fromSeq }: { readonly id: Uuid; readonly last: number; readonly fromSeq: number },
): Promise<void> => {
  try {
    const stand = await endpointOf(env, id).wake(id);
    if ((stand.cursor ?? fromSeq) < last || stand.isWaiting) return;
    await db.update(webhooks).set({ wokenSeq: last }).where(eq(webhooks.id, id));
  } catch (error) {
    log("webhook.not_woken", { webhook_uuid: id, error });
  }
};
