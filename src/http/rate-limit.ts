import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import type { ServiceContext } from "../services/context.ts";
import { describeError } from "./log.ts";

/** Seconds of the rate-limiting binding's period (wrangler.toml); when it is over a new one begins. */
export const RATE_LIMIT_PERIOD = 10;

/**
 * Requests that one count of the binding stands for. An isolate counts in stretches, so that nine requests in ten
 * need not ask; a key whose requests are spread over many isolates reaches its limit somewhat early.
 */
export const REQUESTS_A_COUNT = 10;

/** How long a key that was over its limit is refused without asking again. Milliseconds. */
const REFUSED_MS = 1_000;

/** Keys that an isolate keeps count of; beyond it, it begins anew. */
const CAPACITY = 10_000;

interface Stretch {
  /** Requests left of it. */
  left: number;
  /** The key was over its limit: nothing passes until the stretch ends. */
  readonly refused: boolean;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const stretches = new Map<Uuid, Stretch>();

/** Counts a request of a key. False where it is one too many: known at once, or when the promise settles. */
export const countRequest = (context: ServiceContext, key: Uuid, now: number): boolean | Promise<boolean> => {
  const stretch = stretches.get(key);
  if (stretch === undefined || stretch.until <= now) return begin(context, key, now);
  if (stretch.refused) return false;
  if (stretch.left === 0) return begin(context, key, now);
  stretch.left -= 1;
  return true;
};

const begin = async (context: ServiceContext, key: Uuid, now: number): Promise<boolean> => {
  const allowed = await ask(context, key);
  if (stretches.size >= CAPACITY) stretches.clear();
  const lasts = allowed ? RATE_LIMIT_PERIOD * 1_000 : REFUSED_MS;
  stretches.set(key, { left: REQUESTS_A_COUNT - 1, refused: !allowed, until: now + lasts });
  return allowed;
};

/** Asks the binding. Where it fails, everybody passes: the API does not depend on it. */
const ask = async (context: ServiceContext, key: Uuid): Promise<boolean> => {
  try {
    return (await context.env.RATE_LIMIT.limit({ key })).success;
  } catch (error) {
    context.log("rate_limit.failed", describeError(error));
    return true;
  }
};

/** What a request too many is answered with. */
export const rateLimited = () =>
  new ServiceError("rate_limited", `This key sends too many requests. Wait ${RATE_LIMIT_PERIOD} seconds.`, {
    retryAfter: RATE_LIMIT_PERIOD,
  });
