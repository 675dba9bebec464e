import type { ServiceContext } from "../context.ts";
import { textKey } from "../db/large-texts.ts";
import { deleteExpired, expiredKeys } from "../db/queries/idempotency.ts";
import type { Uuid } from "../domain/ids.ts";

/** Keys of one run. */
const MAX_KEYS = 1000;

/** Forgets idempotency keys whose time is over, and the answers that R2 holds for them. */
export const forgetExpiredKeys = async (context: ServiceContext): Promise<void> => {
  const { db, env } = context;
  const now = context.now();
  const expired = await expiredKeys(db, now, MAX_KEYS);
  const objects = expired.flatMap(({ body }) => (body === null ? [] : (textKey(body) ?? [])));
  if (objects.length > 0) await env.BUCKET.delete(objects);
  const keys = new Map<Uuid, string[]>();
  for (const { integrationId, key } of expired) {
    const known = keys.get(integrationId);
    if (known) known.push(key);
    else keys.set(integrationId, [key]);
  }
  for (const [integrationId, names] of keys) await deleteExpired(db, integrationId, names, now);
};
