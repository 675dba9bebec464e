// webhooks/: endpoints that events are sent to, and the Durable Object that sends them.

import type { ServiceContext } from "../context.ts";
import { enabledWebhooks } from "../db/queries/webhooks.ts";
import { setBounded } from "../domain/bounded-map.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Bindings } from "../env.ts";
import { persistently } from "../waiting.ts";
import type { Endpoint } from "./interface.ts";

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
    wake: (id) => persistently(ATTEMPTS, () => stub().wake(id)),
    sendTest: (id) => stub().sendTest(id),
    replay: (id, replay) => stub().replay(id, replay),
    deliveries: (before, limit) => persistently(ATTEMPTS, () => stub().deliveries(before, limit)),
    forget: () => persistently(ATTEMPTS, () => stub().forget()),
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
