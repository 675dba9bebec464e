import { and, desc, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Delivery, Webhook, WebhookWithSecret } from "../../api/resources/event.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import type { Database } from "../../db/client.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { type AuditedChange, recordChange } from "../../db/queries/audit.ts";
import { readLastSeq } from "../../db/queries/events.ts";
import {
  type KeyWithResponse,
  keepWithEffect,
  runKeyedBatch,
  runWithResponse,
} from "../../db/queries/idempotency.ts";
import { type WebhookRow, webhooks } from "../../db/schema/events.ts";
import { cursorUuid, type Page, pageOf, unknownCursor } from "../../domain/cursors.ts";
import { rateLimited, ServiceError } from "../../domain/errors.ts";
import type { EventType } from "../../domain/events.ts";
import { newUuid, toHex, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { mediaUrlFault, spellingFault } from "../../domain/media-url.ts";
import { ATTEMPT_MS, MOST_WEBHOOKS, OLD_SECRET_MS } from "../../domain/webhooks.ts";
import type { Settings } from "../../env.ts";
import { endpointOf, endpointsChanged, type Replay } from "./interface.ts";
import { MOST_REPLAYS } from "./journal.ts";
import { newSecret, replacedSecret, shownSecret } from "./secrets.ts";

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Why a URL can't be an endpoint, as a sentence; null: it can. Checked again before each attempt. The platform ensures that a
 * public name doesn't resolve to a private address.
 * @param settings LOCAL_WEBHOOKS allows http to this machine, for receivers of `npm start`
 * @param addresses the service's addresses other than PUBLIC_URL
 */
export const urlFault = (
  settings: Pick<Settings, "PUBLIC_URL" | "LOCAL_WEBHOOKS">,
  text: string,
  addresses: readonly string[],
): string | null => {
  const own = settings.PUBLIC_URL === undefined ? addresses : [settings.PUBLIC_URL, ...addresses];
  const local = settings.LOCAL_WEBHOOKS === "on";
  const spelling = spellingFault(text);
  if (spelling !== null) return spelling;
  const url = URL.parse(text);
  if (url !== null && own.some((address) => sameHost(url, URL.parse(address)))) {
    return "Give an address of your own: events aren't sent to this service.";
  }
  if (local && url?.protocol === "http:" && isLocal(url)) {
    // Not every resolver finds this machine by a name with a dot.
    if (url.hostname.endsWith(".")) return "Write localhost without a dot at its end.";
    return url.username === "" && url.password === ""
      ? null
      : "Remove the user name and password from the URL.";
  }
  return mediaUrlFault(text);
};

/** Compares hosts; on this machine ports, because several services run on it. */
const sameHost = (url: URL, own: URL | null): boolean => {
  if (own === null) return false;
  return isLocal(own) && isLocal(url) ? url.port === own.port : hostOf(url) === hostOf(own);
};

const isLocal = (url: URL): boolean => LOCAL_HOSTS.includes(hostOf(url));

/** The host without the dot that may end a name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "");

/** Columns of an endpoint that its response needs. */
type ShownRow = Omit<
  WebhookRow,
  "integrationId" | "secret" | "oldSecret" | "secretVersion" | "fromSeq" | "wokenSeq"
>;

export const toWebhook = (row: ShownRow, now: Date): Webhook => ({
  webhook_uuid: row.id,
  url: row.url,
  types: row.types,
  description: row.description,
  enabled: row.state === "enabled",
  disabled_reason: row.disabledReason,
  old_secret_until:
    row.oldSecretUntil !== null && row.oldSecretUntil > now ? row.oldSecretUntil.toISOString() : null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

/** Changes of an endpoint. Absent: unchanged; null: cleared. */
export interface WebhookChanges {
  readonly url?: string;
  readonly types?: readonly EventType[] | null;
  readonly description?: string | null;
  readonly enabled?: boolean;
}

const REPLAY_RETRY_AFTER = 60;

type Owner = Pick<Caller, "integrationId" | "baseUrl">;
type Writer = Owner & Pick<Caller, "requestKey">;

const requireUrl = ({ settings }: ServiceContext, { baseUrl }: Owner, url: string): void => {
  const fault = urlFault(settings, url, [baseUrl]);
  if (fault === null) return;
  throw new ServiceError("invalid_request", `Correct url: ${fault}`, {
    issues: [{ path: ["url"], message: fault }],
  });
};

const own = (integrationId: Uuid, id: Uuid): SQL | undefined =>
  and(eq(webhooks.id, id), eq(webhooks.integrationId, integrationId));

const missing = (): ServiceError =>
  new ServiceError("not_found", "There is no such webhook. Check its webhook_uuid.");

const required = async ({ db }: ServiceContext, { integrationId }: Owner, id: Uuid) => {
  const row = await db.select().from(webhooks).where(own(integrationId, id)).get();
  if (!row) throw missing();
  return row;
};

/**
 * Creates an endpoint for events from now on. Only this response shows its secret.
 * @throws ServiceError invalid_request (url), conflict if the integration has the most endpoints allowed
 */
export const createWebhook = async (
  context: ServiceContext,
  caller: Writer,
  body: WebhookChanges & { readonly url: string },
): Promise<WebhookWithSecret> => {
  requireUrl(context, caller, body.url);
  const id = newUuid();
  const { secret, sealed } = await newSecret(context, id);
  const { integrationId } = caller;
  const { url, types = null, description = null } = body;
  const now = context.now();
  const row = { ...BEGINNING, id, url, types, description, createdAt: now, updatedAt: now };
  const made = { ...toWebhook(row, now), secret: shownSecret(secret) };
  const answered = await kept(caller, 201, made);
  const { db } = context;
  const condition = sql`(SELECT count(*) FROM webhooks WHERE integration_id = ${uuidToBytes(integrationId)}) < ${MOST_WEBHOOKS}`;
  const seq = await readLastSeq(ledgerOf(context, integrationId));
  const insertion = db
    .insert(webhooks)
    .select(sql`SELECT ${uuidToBytes(id)}, ${uuidToBytes(integrationId)}, ${url},
      ${types && JSON.stringify(types)}, ${description}, 'enabled', NULL, ${sealed.secret},
      NULL, NULL, ${sealed.secretVersion}, ${seq}, ${seq}, ${now.getTime()}, ${now.getTime()}
      WHERE ${condition}`)
    .returning({ id: webhooks.id });
  const entry = recordChange(
    context,
    integrationId,
    { action: "webhook.created", subjectId: id, changes: { url, types, description } },
    condition,
  );
  if ((await runWithResponse(db, { answered, condition }, insertion, entry)).length === 0) {
    const message = `An integration has at most ${MOST_WEBHOOKS} webhooks. Delete one first.`;
    throw new ServiceError("conflict", message);
  }
  endpointsChanged(integrationId);
  return made;
};

const BEGINNING = { state: "enabled", disabledReason: null, oldSecretUntil: null } as const;

/** A response to store for the caller's key; it is sealed if it shows a secret. */
const kept = async ({ requestKey }: Writer, status: number, answer: Webhook | WebhookWithSecret) =>
  requestKey && (await requestKey.keeps(status, JSON.stringify(answer), { isSecret: "secret" in answer }));

/** Stores the response of a request whose effect is in the endpoint's object. @throws ServiceError idempotency_key_in_flight */
const keepAfter = async (
  { db }: ServiceContext,
  { requestKey }: Writer,
  status: number,
  body: string | null,
) => {
  if (requestKey === null) return;
  await runKeyedBatch(db, keepWithEffect(db, await requestKey.keeps(status, body), sql`true`));
};

/** One endpoint. @throws ServiceError not_found */
export const readWebhook = async (context: ServiceContext, caller: Owner, id: Uuid): Promise<Webhook> =>
  toWebhook(await required(context, caller, id), context.now());

/** Endpoints, newest first. @throws ServiceError invalid_request (cursor) */
export const listWebhooks = async (
  context: ServiceContext,
  { integrationId }: Owner,
  cursor: string | null,
  size: number,
): Promise<Page<Webhook>> => {
  const rows = await pageOfWebhooks(context.db, integrationId, cursorUuid(cursor), size + 1);
  const views = rows.map((row) => toWebhook(row, context.now()));
  return pageOf(views, size, ({ webhook_uuid }) => webhook_uuid);
};

export const pageOfWebhooks = (db: Database, integrationId: Uuid, after: Uuid | null, limit: number) =>
  db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.integrationId, integrationId), after ? lt(webhooks.id, after) : undefined))
    .orderBy(desc(webhooks.id))
    .limit(limit);

/** Changes an endpoint. If it is enabled again, it continues at its cursor. @throws ServiceError not_found, invalid_request (url) */
export const updateWebhook = async (
  context: ServiceContext,
  caller: Writer,
  id: Uuid,
  { enabled, ...given }: WebhookChanges,
): Promise<Webhook> => {
  if (given.url !== undefined) requireUrl(context, caller, given.url);
  const now = context.now();
  const state =
    enabled === undefined ? {} : ({ state: enabled ? "enabled" : "disabled", disabledReason: null } as const);
  const changes = { ...given, ...state, updatedAt: now };
  const shown = { ...given, ...(enabled !== undefined && { enabled }) };
  const audited = { action: "webhook.changed", subjectId: id, changes: shown } as const;
  const change = async () => {
    const { db } = context;
    const which = own(caller.integrationId, id);
    const condition = sql`EXISTS (SELECT 1 FROM webhooks WHERE ${which})`;
    const update = db.update(webhooks).set(changes).where(which).returning();
    const entry = recordChange(context, caller.integrationId, audited, differs(which, changes));
    return (await runWithResponse(db, { answered: null, condition }, update, entry))[0];
  };
  const asRead = () => changedAsRead(context, caller, id, { changes, audited });
  const row = await (caller.requestKey === null ? change() : asRead());
  if (!row) throw missing();
  endpointsChanged(caller.integrationId);
  if (row.state === "enabled") await endpointOf(context.env, id).wake(id);
  return toWebhook(row, now);
};

/** Condition: an endpoint, by a condition on its row, isn't as a change would leave it. */
const differs = (
  which: SQL | undefined,
  { url, types, description, state, secret }: Partial<WebhookRow>,
): SQL => {
  const values = { url, types: types && JSON.stringify(types), description, state, secret };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const isSame = given.map(([column, value]) => sql`${sql.identifier(column)} IS ${value}`);
  return sql`EXISTS (SELECT 1 FROM webhooks WHERE ${which} AND NOT (${sql.join([sql`true`, ...isSame], sql` AND `)}))`;
};

/** A change of an endpoint, and its entry in the audit log. */
interface AuditedUpdate {
  readonly changes: Partial<WebhookRow>;
  readonly audited: AuditedChange;
}

/** Changes an endpoint together with its stored response, which also shows unchanged fields. @throws ServiceError not_found */
const changedAsRead = async (
  context: ServiceContext,
  caller: Writer,
  id: Uuid,
  { changes, audited }: AuditedUpdate,
): Promise<WebhookRow> => {
  for (;;) {
    const read = await required(context, caller, id);
    const row = { ...read, ...changes };
    const answered = await kept(caller, 200, toWebhook(row, row.updatedAt));
    if (await changeAsRead(context, read, { changes, audited }, answered)) return row;
  }
};

/** Columns that the owner can see, other than ids and times. */
const SHOWN = ["url", "types", "description", "state", "disabledReason"] as const;

/** Changes an endpoint unless it has changed since it was read. @throws ServiceError idempotency_key_in_flight */
const changeAsRead = async (
  context: ServiceContext,
  read: WebhookRow,
  { changes, audited }: AuditedUpdate,
  answered: KeyWithResponse | null,
): Promise<boolean> => {
  const { db } = context;
  const asRead = SHOWN.map((name) => {
    const value = read[name];
    return value === null ? isNull(webhooks[name]) : eq(webhooks[name], value);
  });
  const isAsRead = and(own(read.integrationId, read.id), eq(webhooks.secret, read.secret), ...asRead) as SQL;
  const condition = sql`EXISTS (SELECT 1 FROM webhooks WHERE ${isAsRead})`;
  const change = db.update(webhooks).set(changes).where(isAsRead).returning({ id: webhooks.id });
  const entry = recordChange(context, read.integrationId, audited, differs(isAsRead, changes));
  return (await runWithResponse(db, { answered, condition }, change, entry)).length > 0;
};

/** Deletes an endpoint and its object's data. @throws ServiceError not_found */
export const deleteWebhook = async (context: ServiceContext, caller: Writer, id: Uuid): Promise<void> => {
  const answered = caller.requestKey && (await caller.requestKey.keeps(204, null));
  const { db } = context;
  const which = own(caller.integrationId, id);
  const condition = sql`EXISTS (SELECT 1 FROM webhooks WHERE ${which})`;
  const deletion = db.delete(webhooks).where(which).returning({ id: webhooks.id });
  const change = { action: "webhook.deleted", subjectId: id } as const;
  const entry = recordChange(context, caller.integrationId, change, condition);
  if ((await runWithResponse(db, { answered, condition }, deletion, entry)).length === 0) throw missing();
  endpointsChanged(caller.integrationId);
  await endpointOf(context.env, id).forget();
};

/** Replaces an endpoint's secret; the previous one also signs for a day. @throws ServiceError not_found, conflict */
export const rotateSecret = async (
  context: ServiceContext,
  caller: Writer,
  id: Uuid,
): Promise<WebhookWithSecret> => {
  const first = await required(context, caller, id);
  // The response, which is stored with the new secret, must include changes of other requests.
  const isNow = toHex(first.secret);
  for (let row = first; toHex(row.secret) === isNow; row = await required(context, caller, id)) {
    const { secret, sealed } = await replacedSecret(context, row);
    const now = context.now();
    const changes = { ...sealed, oldSecretUntil: new Date(now.getTime() + OLD_SECRET_MS), updatedAt: now };
    const rotated = { ...toWebhook({ ...row, ...changes }, now), secret: shownSecret(secret) };
    const answered = await kept(caller, 200, rotated);
    const audited = { action: "webhook.secret_rotated", subjectId: id } as const;
    if (await changeAsRead(context, row, { changes, audited }, answered)) return rotated;
  }
  const message =
    "Another request has just replaced the secret. Use the secret of its response, or rotate again.";
  throw new ServiceError("conflict", message);
};

/**
 * Sends a test now and returns its result. Tests are limited (`admit`), because they could target a host of someone else.
 * @throws ServiceError not_found, rate_limited while another test of the endpoint is in progress
 */
export const testWebhook = async (
  context: ServiceContext,
  caller: Writer,
  id: Uuid,
  admit: () => Promise<void>,
): Promise<Delivery> => {
  await required(context, caller, id);
  await admit();
  const delivery = await endpointOf(context.env, id).sendTest(id);
  if (delivery === null) {
    throw rateLimited("Another test of this webhook is being sent.", ATTEMPT_MS / 1_000);
  }
  await keepAfter(context, caller, 200, JSON.stringify(delivery));
  return delivery;
};

/** Replays events. @throws ServiceError not_found, conflict (disabled), rate_limited (the most replays are in progress) */
export const replayWebhook = async (
  context: ServiceContext,
  caller: Writer,
  id: Uuid,
  replay: Replay,
): Promise<void> => {
  const { state } = await required(context, caller, id);
  if (state === "disabled") {
    throw new ServiceError("conflict", "Enable the webhook first: PUT it with enabled true.");
  }
  const { requestKey: key } = caller;
  const request = key && { id: `${toHex(key.fingerprint)} ${key.key}`, until: key.expiresAt.getTime() };
  if (!(await endpointOf(context.env, id).replay(id, replay, request))) {
    throw rateLimited(`${MOST_REPLAYS} replays of this webhook are in progress.`, REPLAY_RETRY_AFTER);
  }
  await keepAfter(context, caller, 204, null);
};

/** Attempts, newest first. @throws ServiceError not_found, invalid_request (cursor) */
export const listDeliveries = async (
  context: ServiceContext,
  caller: Owner,
  id: Uuid,
  { cursor, size }: { readonly cursor: string | null; readonly size: number },
): Promise<Page<Delivery>> => {
  await required(context, caller, id);
  if (cursor !== null && !/^[1-9]\d{0,14}$/.test(cursor)) throw unknownCursor();
  const before = cursor === null ? null : Number(cursor);
  return endpointOf(context.env, id).deliveries(before, size);
};
