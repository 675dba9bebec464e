import { sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { idsIn } from "../../db/queries/collections.ts";
import { addUpOldDays } from "../../db/queries/operation-counts.ts";
import { events, idempotencyKeys, quotes } from "../../db/schema/ledger.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { textKey } from "../../files/storage/large-texts.ts";

const DAY_MS = 24 * 3_600_000;

/** Expired keys of one batch; R2 deletes as many objects in one call. */
const KEYS = 1_000;

/** Expired quotes of one batch: each may keep a body of 1 MB. */
const QUOTES = 100;

/** Old rows of events of one batch. */
const EVENTS = 2_000;

/** How long an executed quote is kept after its expiry, so that its execution can be repeated as long as its key. Milliseconds. */
const EXECUTED_MS = 26 * 3_600_000;

/**
 * Deletes some of what is too old in a ledger: expired keys and quotes, and events; and adds up counts of old days.
 * @returns whether there may be more
 */
export const tidyLedger = async (
  context: ServiceContext,
  integrationId: Uuid,
  eventsKeptDays: number,
): Promise<boolean> => {
  const { db, env, now } = context;
  const ledger = ledgerOf(context, integrationId);
  const time = now().getTime();
  const oldest = time - eventsKeptDays * DAY_MS;
  const own = sql`integration_id = ${uuidToBytes(integrationId)}`;
  const [keys, quoted, old] = await ledger.batch([
    ledger
      .select({ key: idempotencyKeys.key, body: idempotencyKeys.body })
      .from(idempotencyKeys)
      .where(sql`expires_at <= ${time} AND NOT EXISTS (
        SELECT 1 FROM operations WHERE id = operation_id AND state IN ('pending', 'unknown'))`)
      .limit(KEYS),
    ledger
      .select({ id: quotes.id })
      .from(quotes)
      .where(sql`expires_at <= ${time} AND (executed_by IS NULL OR expires_at <= ${time - EXECUTED_MS})`)
      .limit(QUOTES),
    // Without the inner limit, all rows are read where none is old.
    ledger
      .select({ last: sql<number | null>`max(seq)`, count: sql<number>`count(*)` })
      .from(sql`(SELECT seq, created_at FROM ${events} WHERE ${own} ORDER BY seq LIMIT ${EVENTS})`)
      .where(sql`created_at < ${oldest}`),
  ]);
  const objects = keys.flatMap(({ body }) => (body === null ? [] : (textKey(body) ?? [])));
  if (objects.length > 0) await env.BUCKET.delete(objects);
  const names = JSON.stringify(keys.map(({ key }) => key));
  const last = old[0]?.last ?? null;
  await runBatch(ledger, [
    // Another request may have used a key again in between.
    ...(keys.length === 0
      ? []
      : [
          ledger
            .delete(idempotencyKeys)
            .where(sql`key IN (SELECT value FROM json_each(${names})) AND expires_at <= ${time}`),
        ]),
    ...(quoted.length === 0
      ? []
      : [ledger.delete(quotes).where(sql`id IN ${idsIn(quoted.map(({ id }) => id))}`)]),
    ...(last === null
      ? []
      : [ledger.delete(events).where(sql`${own} AND seq <= ${last} AND created_at < ${oldest}`)]),
    ...addUpOldDays(db, ledger, integrationId, now()),
  ]);
  return keys.length === KEYS || quoted.length === QUOTES || old[0]?.count === EVENTS;
};
