import type { ServiceContext } from "../context.ts";
import { deleteExpired, expiredKeys } from "../db/queries/idempotency.ts";
import { textKey } from "../storage/large-texts.ts";

/** Keys of one batch; R2 deletes as many objects in one call. */
const AT_ONCE = 1_000;

/** For so long a run begins a further batch: at 50 ms each, 100,000 keys a minute. Milliseconds. */
const RUN_MS = 5_000;

/** Forgets idempotency keys whose time is over, and the answers that R2 holds for them. */
export const forgetExpiredKeys = async (context: ServiceContext): Promise<void> => {
  const { db, env, now } = context;
  const until = now().getTime() + RUN_MS;
  do {
    const expired = await expiredKeys(db, now(), AT_ONCE);
    const objects = expired.flatMap(({ body }) => (body === null ? [] : (textKey(body) ?? [])));
    if (objects.length > 0) await env.BUCKET.delete(objects);
    if (expired.length > 0) await deleteExpired(db, expired, now());
    if (expired.length < AT_ONCE) return;
  } while (now().getTime() < until);
};
