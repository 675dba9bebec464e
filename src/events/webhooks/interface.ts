import { and, eq } from "drizzle-orm";
import type { Delivery } from "../../api/resources/event.ts";
import type { ServiceContext } from "../../context.ts";
import type { Database } from "../../db/client.ts";
import { moveEvent } from "../../db/queries/events.ts";
import { type UntoldEvent, webhooks } from "../../db/schema/events.ts";
import { objectFailure } from "../../db/statements.ts";
import { setBounded } from "../../domain/bounded-map.ts";
import type { Page } from "../../domain/cursors.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { Bindings } from "../../env.ts";
import { retry } from "../../waiting.ts";

export interface Replay {
  /** Numbers, both exclusive; `before` null: to the last. */
  readonly after: number;
  readonly before: number | null;
  /** Only events whose delivery was given up. */
  readonly onlyFailed: boolean;
}

export interface Progress {
  /** Number of the last event that was attempted or skipped; null: none yet. */
  readonly cursor: number | null;
  readonly isWaiting: boolean;
}

/** A request's Idempotency-Key with its fingerprint, and until when it stands for that request, milliseconds since the epoch. */
export interface KeyedRequest {
  readonly id: string;
  readonly until: number;
}

/** The object of an endpoint. Each method is safe to repeat. */
export interface Endpoint {
  /** There may be events to send. */
  wake(webhook: Uuid): Promise<Progress>;
  /** Sends an event of the type `webhook.test` now; null while another one is in progress. */
  sendTest(webhook: Uuid): Promise<Delivery | null>;
  /** Starts a replay, once for a request with a key; false while the most replays allowed are in progress. */
  replay(webhook: Uuid, replay: Replay, request: KeyedRequest | null): Promise<boolean>;
  deliveries(before: number | null, limit: number): Promise<Page<Delivery>>;
  /** Deletes all data: the endpoint was deleted. */
  forget(): Promise<void>;
}

/** Retry policy of calls that are safe to repeat. An overloaded object is not called again. */
const ATTEMPTS = {
  tries: 3,
  firstPauseMs: 50,
  isLasting: (error: unknown) => (error as { readonly overloaded?: boolean }).overloaded === true,
};

/** The object of an endpoint. An exception breaks a stub, so each try has a new one. Calls that send aren't retried. */
export const endpointOf = (env: Bindings, webhook: Uuid): Endpoint => {
  const stub = () => env.WEBHOOK.getByName(webhook) as unknown as Endpoint;
  return {
    wake: (id) => again(() => stub().wake(id)),
    sendTest: (id) => once(() => stub().sendTest(id)),
    replay: (...replay) => once(() => stub().replay(...replay)),
    deliveries: (before, limit) => again(() => stub().deliveries(before, limit)),
    forget: () => again(() => stub().forget()),
  };
};

const once = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    throw objectFailure(error);
  }
};

const again = <T>(call: () => Promise<T>): Promise<T> => once(() => retry(ATTEMPTS, call));

/** How long an isolate caches an integration's endpoints; the job wakes newer ones. Milliseconds. */
const CACHE_MS = 10_000;
const MOST_CACHED = 1_000;
const cache = new Map<Uuid, { readonly ids: readonly Uuid[]; readonly until: number }>();

/** Wakes an integration's endpoints after the response. If that fails, the scheduled job does so within a minute. */
export const wakeEndpoints = (context: ServiceContext, integrationId: Uuid): void => {
  const { env, log, waitUntil } = context;
  const wake = async () => {
    const ids = await idsOf(context, integrationId);
    await Promise.all(ids.map((id) => endpointOf(env, id).wake(id)));
  };
  waitUntil(
    wake().catch((error: unknown) => log("webhooks.not_woken", { integration_uuid: integrationId, error })),
  );
};

/** Writes a noted event to its ledger. Never rejects: the scheduled job repeats it. */
export const tellEvent = async (context: ServiceContext, event: UntoldEvent): Promise<void> => {
  const { id, integrationId, type } = event;
  try {
    await moveEvent(context, event);
    wakeEndpoints(context, integrationId);
  } catch (error) {
    context.log("event.not_told", { integration_uuid: integrationId, event_uuid: id, type, error });
  }
};

export const enabledWebhooks = async (db: Database, integrationId: Uuid): Promise<Uuid[]> => {
  const rows = await db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(and(eq(webhooks.integrationId, integrationId), eq(webhooks.state, "enabled")));
  return rows.map(({ id }) => id);
};

const idsOf = async ({ db, now }: ServiceContext, integrationId: Uuid): Promise<readonly Uuid[]> => {
  const time = now().getTime();
  const kept = cache.get(integrationId);
  if (kept !== undefined && kept.until > time) return kept.ids;
  const ids = await enabledWebhooks(db, integrationId);
  setBounded(cache, MOST_CACHED, integrationId, { ids, until: time + CACHE_MS });
  return ids;
};

/** Clears this isolate's cache of an integration's endpoints. */
export const endpointsChanged = (integrationId: Uuid): void => {
  cache.delete(integrationId);
};
