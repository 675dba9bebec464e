import type { Context } from "hono";
import { type ClientNetworks, clientNetworks } from "../domain/client-address.ts";
import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "./app-env.ts";
import { AttemptCounts } from "./attempts.ts";

/** Seconds in which the bindings of wrangler.toml count an address, at each location of the network. */
export const ADDRESS_PERIOD_S = 10;

/**
 * Attempts with unknown keys or tokens, of one address in a period: failed ones and those under way. wrangler.toml
 * has the same number for all isolates of a location.
 */
export const MOST_ATTEMPTS = 200;

/** How many times as much as one address all addresses of an IPv6 site may do; in wrangler.toml too. */
export const SITE_FACTOR = 10;

/** Where a request comes from. Cloudflare sets the header, whatever the client sends. */
export const networksOf = (c: Context<AppEnv>): ClientNetworks =>
  clientNetworks(c.req.header("CF-Connecting-IP") ?? "");

/** The narrower of a request's networks. */
export const addressOf = (c: Context<AppEnv>): string => networksOf(c).client;

const refusal = (what: string): ServiceError =>
  new ServiceError("rate_limited", `${what} Wait ${duration(ADDRESS_PERIOD_S)}.`, {
    retryAfter: ADDRESS_PERIOD_S,
  });

const tooManyAttempts = () => refusal("This address tried too many unknown keys or tokens.");

const PERIOD_MS = ADDRESS_PERIOD_S * 1_000;
const ofClients = new AttemptCounts(MOST_ATTEMPTS, PERIOD_MS);
const ofSites = new AttemptCounts(SITE_FACTOR * MOST_ATTEMPTS, PERIOD_MS);

/** A network whose attempts are counted: in this isolate, and at this location by a binding. */
type Counted = ReturnType<typeof countedFor>;

const countedFor = (
  counts: AttemptCounts,
  binding: "ADDRESS_LIMIT" | "ADDRESS_SITE_LIMIT",
  network: string,
  now: number,
) => ({ attempts: counts.of(network, now), binding, network });

/**
 * Looks something up by what an unknown client sent, unless its address or site has failed too often.
 * @param digest of what was sent; the same one at the same time counts once
 * @returns what was found; null counts as a failure
 * @throws ServiceError rate_limited
 */
export async function attempt<Found>(
  c: Context<AppEnv>,
  digest: string,
  lookUp: () => Promise<Found | null>,
): Promise<Found | null> {
  const { client, site } = networksOf(c);
  const now = c.get("context").now().getTime();
  const counted: Counted[] = [];
  const count = (each: Counted) => {
    if (each.attempts.refuses(digest, now)) throw tooManyAttempts();
    counted.push(each);
  };
  // The site comes first: one that is refused leaves no entry for each of its addresses.
  if (site !== null) count(countedFor(ofSites, "ADDRESS_SITE_LIMIT", site, now));
  count(countedFor(ofClients, "ADDRESS_LIMIT", client, now));
  for (const { attempts } of counted) attempts.begin(digest);
  try {
    const found = await lookUp();
    if (found === null) for (const each of counted) countFailure(c, each);
    return found;
  } finally {
    for (const { attempts } of counted) attempts.end(digest);
  }
}

/** Counts an attempt that failed, here and at this location. */
function countFailure(c: Context<AppEnv>, { attempts, binding, network }: Counted): void {
  attempts.fail();
  const context = c.get("context");
  const count = async () => {
    if (await passes(c, c.env[binding], `attempt:${network}`)) return;
    attempts.refuse(context.now().getTime());
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

/** Requests without a key that cost the service something, with the bindings that count an address and its site. */
const PUBLIC_WORK = {
  /** A file or a block that the cache doesn't have. */
  file: ["GATEWAY_LIMIT", "GATEWAY_SITE_LIMIT"],
  /** What reads many blocks: a CAR, or the page of a directory. */
  walk: ["WALK_LIMIT", "WALK_SITE_LIMIT"],
  ready: ["ADDRESS_LIMIT", "ADDRESS_SITE_LIMIT"],
  /** What a page for collectors reads, unless it was read a moment ago. */
  page: ["ADDRESS_LIMIT", "ADDRESS_SITE_LIMIT"],
} as const;

/**
 * Counts a request that needs no key against its address and its site.
 * @throws ServiceError rate_limited
 */
export async function countPublic(c: Context<AppEnv>, work: keyof typeof PUBLIC_WORK): Promise<void> {
  const { client, site } = networksOf(c);
  const [forClient, forSite] = PUBLIC_WORK[work];
  const passed =
    (await passes(c, c.env[forClient], `${work}:${client}`)) &&
    (site === null || (await passes(c, c.env[forSite], `${work}:${site}`)));
  if (!passed) throw refusal("This address sends too many requests.");
}
