import { and, asc, desc, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { MOST_WEBHOOKS } from "../../domain/webhooks.ts";
import type { Database } from "../client.ts";
import { webhooks } from "../schema/index.ts";
import { insertEvents, lastSeq } from "./events.ts";
import { type KeyWithResponse, runWithResponse } from "./idempotency.ts";

export type WebhookRow = typeof webhooks.$inferSelect;

export type NewWebhook = Pick<
  WebhookRow,
  "id" | "integrationId" | "url" | "types" | "description" | "secret" | "secretVersion" | "createdAt"
>;

/**
 * Stores an endpoint, whose events begin after the last one, with its response; false: there are too many already.
 * @throws ServiceError idempotency_key_in_flight
 */
export const insertWebhook = async (
  db: Database,
  row: NewWebhook,
  answered: KeyWithResponse | null,
): Promise<boolean> => {
  const { integrationId, createdAt } = row;
  const condition = sql`(SELECT count(*) FROM webhooks WHERE integration_id = ${uuidToBytes(integrationId)}) < ${MOST_WEBHOOKS}`;
  const seq = lastSeq(integrationId);
  const insertion = db
    .insert(webhooks)
    .select(sql`SELECT ${uuidToBytes(row.id)}, ${uuidToBytes(integrationId)}, ${row.url},
      ${row.types === null ? null : JSON.stringify(row.types)}, ${row.description}, 'enabled', NULL, ${row.secret},
      NULL, NULL, ${row.secretVersion}, ${seq}, ${seq}, ${createdAt.getTime()}, ${createdAt.getTime()}
      WHERE ${condition}`)
    .returning({ id: webhooks.id });
  return (await runWithResponse(db, { answered, condition }, insertion)).length > 0;
};

/** An integration's endpoint; undefined if there is none. */
export const findWebhook = (db: Database, integrationId: Uuid, id: Uuid): Promise<WebhookRow | undefined> =>
  db.select().from(webhooks).where(own(integrationId, id)).get();

/** An endpoint of any integration by its id. */
export const webhookById = (db: Database, id: Uuid): Promise<WebhookRow | undefined> =>
  db.select().from(webhooks).where(eq(webhooks.id, id)).get();

const own = (integrationId: Uuid, id: Uuid): SQL | undefined =>
  and(eq(webhooks.id, id), eq(webhooks.integrationId, integrationId));

export const listWebhooks = (db: Database, integrationId: Uuid, after: Uuid | null, limit: number) =>
  db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.integrationId, integrationId), after ? lt(webhooks.id, after) : undefined))
    .orderBy(desc(webhooks.id))
    .limit(limit)
    .all();

export const enabledWebhooks = async (db: Database, integrationId: Uuid): Promise<Uuid[]> => {
  const rows = await db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(and(eq(webhooks.integrationId, integrationId), eq(webhooks.state, "enabled")))
    .all();
  return rows.map(({ id }) => id);
};

/** Changes an endpoint. @returns the changed row; undefined if there is none */
export const updateWebhook = async (
  db: Database,
  integrationId: Uuid,
  id: Uuid,
  changes: Partial<WebhookRow>,
): Promise<WebhookRow | undefined> => {
  const [row] = await db.update(webhooks).set(changes).where(own(integrationId, id)).returning();
  return row;
};

/** Cursor of a round over the endpoints' secrets: after this endpoint with this version. */
export interface SecretCursor {
  readonly version: number;
  readonly id: Uuid;
}

/** Endpoints whose secrets are sealed under an older version, oldest first, after a cursor. */
export const secretsBefore = (db: Database, version: number, after: SecretCursor | null, limit: number) =>
  db
    .select()
    .from(webhooks)
    .where(
      and(
        lt(webhooks.secretVersion, version),
        after ? sql`(secret_version, id) > (${after.version}, ${uuidToBytes(after.id)})` : undefined,
      ),
    )
    .orderBy(asc(webhooks.secretVersion), asc(webhooks.id))
    .limit(limit)
    .all();

/** How many endpoints' secrets are sealed under an older version. */
export const countSecretsBefore = async (db: Database, version: number): Promise<number> => {
  const counted = sql<number>`count(*)`;
  const query = db.select({ counted }).from(webhooks).where(lt(webhooks.secretVersion, version));
  return (await query.get())?.counted ?? 0;
};

/** Stores secrets that were sealed again, unless the endpoint has got a new secret in between. */
export const storeSecrets = (
  db: Database,
  { id, secret }: Pick<WebhookRow, "id" | "secret">,
  sealed: Pick<WebhookRow, "secret" | "oldSecret" | "secretVersion">,
) =>
  db
    .update(webhooks)
    .set(sealed)
    .where(and(eq(webhooks.id, id), eq(webhooks.secret, secret)));

/** Columns that the owner can see, other than ids and times. */
const SHOWN = ["url", "types", "description", "state", "disabledReason"] as const;

/** Changes an endpoint unless it has changed since it was read. @throws ServiceError idempotency_key_in_flight */
export const changeAsRead = async (
  db: Database,
  read: WebhookRow,
  changes: Partial<WebhookRow>,
  answered: KeyWithResponse | null,
): Promise<boolean> => {
  const asRead = SHOWN.map((name) => {
    const value = read[name];
    return value === null ? isNull(webhooks[name]) : eq(webhooks[name], value);
  });
  const isAsRead = and(own(read.integrationId, read.id), eq(webhooks.secret, read.secret), ...asRead) as SQL;
  const condition = sql`EXISTS (SELECT 1 FROM webhooks WHERE ${isAsRead})`;
  const change = db.update(webhooks).set(changes).where(isAsRead).returning({ id: webhooks.id });
  return (await runWithResponse(db, { answered, condition }, change)).length > 0;
};

/** Deletes an endpoint and stores the response; false: there is none. @throws ServiceError idempotency_key_in_flight */
export const deleteWebhook = async (
  db: Database,
  integrationId: Uuid,
  id: Uuid,
  answered: KeyWithResponse | null,
): Promise<boolean> => {
  const which = own(integrationId, id);
  const condition = sql`EXISTS (SELECT 1 FROM webhooks WHERE ${which})`;
  const deletion = db.delete(webhooks).where(which).returning({ id: webhooks.id });
  return (await runWithResponse(db, { answered, condition }, deletion)).length > 0;
};

/** Disables an enabled endpoint and inserts the event, with the resource after the change. */
export const disableWebhook = (
  db: Database,
  { id, integrationId }: Pick<WebhookRow, "id" | "integrationId">,
  { reason, data, now }: { readonly reason: string; readonly data: object; readonly now: Date },
) => {
  const isEnabled = sql`EXISTS (SELECT 1 FROM webhooks WHERE id = ${uuidToBytes(id)} AND state = 'enabled')`;
  return db.batch([
    insertEvents(db, { integrationId, runs: [["webhook.disabled", 1]], data, at: now }, isEnabled),
    db
      .update(webhooks)
      .set({ state: "disabled", disabledReason: reason, updatedAt: now })
      .where(and(eq(webhooks.id, id), eq(webhooks.state, "enabled"))),
  ] as const);
};

/** Enabled endpoints after an id, with the last event of the integration and the last for which the object was woken. */
export const enabledAfter = (db: Database, after: Uuid | null, limit: number) =>
  db
    .select({
      id: webhooks.id,
      wokenSeq: webhooks.wokenSeq,
      fromSeq: webhooks.fromSeq,
      last: sql<number | null>`(SELECT max(seq) FROM events WHERE integration_id = webhooks.integration_id)`,
    })
    .from(webhooks)
    .where(and(sql`state = 'enabled'`, after === null ? undefined : gt(webhooks.id, after)))
    .orderBy(asc(webhooks.id))
    .limit(limit)
    .all();

/** Records the last event for which an endpoint's object was woken. */
export const noteWoken = (db: Database, id: Uuid, seq: number) =>
  db.update(webhooks).set({ wokenSeq: seq }).where(eq(webhooks.id, id));
