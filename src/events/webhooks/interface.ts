import type { Delivery } from "../../api/resources/webhook.ts";
import type { ServiceContext } from "../../context.ts";
import { enabledWebhooks } from "../../db/queries/webhooks.ts";
import { setBounded } from "../../domain/bounded-map.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { Bindings } from "../../env.ts";
import { retry } from "../../waiting.ts";

/** Which events are sent again. */
export interface Replay {
  /** Numbers, both excluded; `before` null: to the last. */
  readonly after: number;
  readonly before: number | null;
  /** Only those that were given up. */
  readonly onlyFailed: boolean;
}

/** Attempts from a place on, newest first. */
export interface DeliveryPage {
  readonly items: readonly Delivery[];
  /** The place of the last, where there are more. */
  readonly next: number | null;
}

/** How far an endpoint has come before it is woken. */
export interface Stand {
  /** The number of the last event that was attempted or passed over; null: none yet. */
  readonly cursor: number | null;
  /** An event is to be tried again, or a replay is under way. */
  readonly isWaiting: boolean;
}

/** The object of an endpoint. Each method is safe to repeat. */
export interface Endpoint {
  /** There may be something to send. */
  wake(webhook: Uuid): Promise<Stand>;
  /** Sends an event of the type `webhook.test` now; null while another is on its way. */
  sendTest(webhook: Uuid): Promise<Delivery | null>;
  /** Has events sent again; false while as many replays are under way as may be. */
  replay(webhook: Uuid, replay: Replay): Promise<boolean>;
  /** @param before the place of the last of the page before; null: from the newest on */
  deliveries(before: number | null, limit: number): Promise<DeliveryPage>;
  /** Forgets everything: the endpoint was deleted. */
  forget(): Promise<void>;
}

/** Tries of a call that does no harm twice; one after the object said that it is overloaded. */
const ATTEMPTS = {
  tries: 3,
  firstPauseMs: 50,
  isLasting: (error: unknown) => (error as { readonly overloaded?: boolean }).overloaded === true,
};

/**
 * The object of an endpoint. An exception, such as that of a reset, spoils a stub, so that each try takes a new one. What
 * would be sent twice isn't tried again.
 */
export const endpointOf = (env: Bindings, webhook: Uuid): Endpoint => {
  const stub = () => env.WEBHOOK.getByName(webhook) as unknown as Endpoint;
  return {
    wake: (id) => retry(ATTEMPTS, () => stub().wake(id)),
    sendTest: (id) => stub().sendTest(id),
    replay: (id, replay) => stub().replay(id, replay),
    deliveries: (before, limit) => retry(ATTEMPTS, () => stub().deliveries(before, limit)),
    forget: () => retry(ATTEMPTS, () => stub().forget()),
  };
};

/** How long an isolate believes what it read of an integration's endpoints; a newer one waits for the job. Milliseconds. */
const TRUST_MS = 10_000;
const MOST_KNOWN = 1_000;
const known = new Map<Uuid, { readonly ids: readonly Uuid[]; readonly until: number }>();

/**
 * Tells an integration's endpoints that there are events, behind the answer. What is lost here the scheduled job does
 * within a minute.
 */
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

const idsOf = async ({ db, now }: ServiceContext, integrationId: Uuid): Promise<readonly Uuid[]> => {
  const time = now().getTime();
  const kept = known.get(integrationId);
  if (kept !== undefined && kept.until > time) return kept.ids;
  const ids = await enabledWebhooks(db, integrationId);
  setBounded(known, MOST_KNOWN, integrationId, { ids, until: time + TRUST_MS });
  return ids;
};

/** Forgets what this isolate read of an integration's endpoints. */
export const endpointsChanged = (integrationId: Uuid): void => {
  known.delete(integrationId);
};
