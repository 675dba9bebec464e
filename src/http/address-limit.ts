import type { Context } from "hono";
import { clientNetwork } from "../domain/client-address.ts";
import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "./app-env.ts";

/** Seconds in which the bindings of wrangler.toml count an address, at each location of the network. */
export const ADDRESS_PERIOD_S = 10;

/**
 * Attempts with unknown keys or tokens, of one address in a period: failed ones and those under way. wrangler.toml
 * has the same number for all isolates of a location.
 */
export const MOST_ATTEMPTS = 200;

/** Addresses that an isolate counts; beyond it the oldest is dropped. */
const CAPACITY = 10_000;

/** Where a request comes from. Cloudflare sets the header, whatever the client sends. */
const networkOf = (c: Context<AppEnv>): string => clientNetwork(c.req.header("CF-Connecting-IP") ?? "");

const refusal = (what: string): ServiceError =>
  new ServiceError("rate_limited", `${what} Wait ${duration(ADDRESS_PERIOD_S)}.`, {
    retryAfter: ADDRESS_PERIOD_S,
  });

const tooManyAttempts = () => refusal("This address tried too many unknown keys or tokens.");

/** Attempts of one address. Times are milliseconds. */
interface Attempts {
  failed: number;
  /** Begin of the period that `failed` counts in. */
  since: number;
  refusedUntil: number;
  /** Digests that are being looked up, with how many requests wait for each. */
  readonly open: Map<string, number>;
}

const attempts = new Map<string, Attempts>();

const attemptsOf = (network: string, now: number): Attempts => {
  const known = attempts.get(network);
  if (known) {
    if (now - known.since >= ADDRESS_PERIOD_S * 1_000) Object.assign(known, { failed: 0, since: now });
    return known;
  }
  const oldest = attempts.size >= CAPACITY ? attempts.keys().next().value : undefined;
  if (oldest !== undefined) attempts.delete(oldest);
  const fresh: Attempts = { failed: 0, since: now, refusedUntil: 0, open: new Map() };
  attempts.set(network, fresh);
  return fresh;
};

/**
 * Looks something up by what an unknown client sent, unless its address has failed too often.
 * @param digest of what was sent; the same one at the same time counts once
 * @returns what was found; null counts as a failure
 * @throws ServiceError rate_limited
 */
export async function attempt<Found>(
  c: Context<AppEnv>,
  digest: string,
  lookUp: () => Promise<Found | null>,
): Promise<Found | null> {
  const network = networkOf(c);
  const now = c.get("context").now().getTime();
  const state = attemptsOf(network, now);
  const waiting = state.open.get(digest) ?? 0;
  const isTooMany = waiting === 0 && state.failed + state.open.size >= MOST_ATTEMPTS;
  if (now < state.refusedUntil || isTooMany) throw tooManyAttempts();
  state.open.set(digest, waiting + 1);
  try {
    const found = await lookUp();
    if (found === null) countFailure(c, network, state);
    return found;
  } finally {
    const left = (state.open.get(digest) ?? 1) - 1;
    if (left === 0) state.open.delete(digest);
    else state.open.set(digest, left);
  }
}

/** Counts an attempt that failed, here and at this location. */
function countFailure(c: Context<AppEnv>, network: string, state: Attempts): void {
  state.failed += 1;
  const context = c.get("context");
  const count = async () => {
    if (await passes(c, c.env.ADDRESS_LIMIT, `attempt:${network}`)) return;
    state.refusedUntil = context.now().getTime() + ADDRESS_PERIOD_S * 1_000;
  };
  context.waitUntil(count());
}

/** Asks a binding. If it fails, everybody passes: the service doesn't depend on it. */
async function passes(c: Context<AppEnv>, binding: RateLimit, key: string): Promise<boolean> {
  try {
    return (await binding.limit({ key })).success;
  } catch (error) {
    c.get("context").log("address_limit.failed", { error });
    return true;
  }
}

/** Requests without a key that cost the service something. */
export type PublicWork = "file" | "car" | "ready";

/**
 * Counts a request that needs no key against its address.
 * @throws ServiceError rate_limited
 */
export async function countPublic(c: Context<AppEnv>, work: PublicWork): Promise<void> {
  const binding = work === "file" ? c.env.GATEWAY_LIMIT : c.env.ADDRESS_LIMIT;
  if (await passes(c, binding, `${work}:${networkOf(c)}`)) return;
  throw refusal("This address sends too many requests.");
}
