import type { Context } from "hono";
import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "./app-env.ts";

/** The networks that a client's address counts for. */
export interface ClientNetworks {
  /** An IPv4 address, or the first 64 bits of an IPv6 address; anything else stays as it is. */
  readonly client: string;
  /** The first 48 bits of an IPv6 address; null for any other. */
  readonly site: string | null;
}

/**
 * The networks of an address. 64 bits of an IPv6 address are the least that a customer of a network is given (RFC 6177),
 * but many have 56 or 48 (RIPE-690), and then 256 or 65,536 networks of 64. A network of 48 bits may also be many
 * customers' together, so that it counts beside the others, with a larger allowance, as Let's Encrypt does it
 * (https://letsencrypt.org/docs/rate-limits/, "New Registrations per IPv6 Range").
 */
export function clientNetworks(address: string): ClientNetworks {
  if (!address.includes(":")) return { client: address, site: null };
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return { client: mapped[1], site: null };
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const left = groupsOf(head);
  const right = groupsOf(tail ?? "");
  const zeros = tail === undefined ? 0 : Math.max(8 - left.length - right.length, 0);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  return { client: networkOf(groups, 64), site: networkOf(groups, 48) };
}

const networkOf = (groups: readonly string[], bits: 48 | 64): string => {
  const first = groups.slice(0, bits / 16).map((group) => Number.parseInt(group, 16).toString(16));
  return `${first.join(":")}::/${bits}`;
};

/** The groups of 16 bits in a part of an IPv6 address; an IPv4 address at its end stands for two. */
const groupsOf = (text: string): string[] =>
  text === "" ? [] : text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));

/** Networks that are counted; beyond it the one that was idle longest is dropped. */
const CAPACITY = 10_000;

/** Attempts of one network with unknown keys or tokens. Times are milliseconds. */
class Attempts {
  readonly #most: number;
  readonly #periodMs: number;
  #failed = 0;
  /** Begin of the period that failures count in. */
  #since: number;
  #refusedUntil = 0;
  /** Digests that are being looked up since the period began, with how many requests wait for each. */
  readonly #open = new Map<string, number>();

  constructor(most: number, periodMs: number, now: number) {
    this.#most = most;
    this.#periodMs = periodMs;
    this.#since = now;
  }

  /** Whether a digest may not be looked up now; the same one at the same time counts once. */
  refuses(digest: string, now: number): boolean {
    if (now - this.#since >= this.#periodMs) {
      this.#failed = 0;
      this.#since = now;
      // The platform ends a request whose client has gone without running another line of it: nobody reports its end.
      this.#open.clear();
    }
    const isTooMany = !this.#open.has(digest) && this.#failed + this.#open.size >= this.#most;
    return now < this.#refusedUntil || isTooMany;
  }

  begin(digest: string): void {
    this.#open.set(digest, (this.#open.get(digest) ?? 0) + 1);
  }

  end(digest: string): void {
    const left = (this.#open.get(digest) ?? 1) - 1;
    if (left === 0) this.#open.delete(digest);
    else this.#open.set(digest, left);
  }

  fail(): void {
    this.#failed += 1;
  }

  /** The location has counted enough of them, at all isolates. */
  refuse(now: number): void {
    this.#refusedUntil = now + this.#periodMs;
  }
}

/** Attempts of networks of one size, each of which may have so many failed and under way in a period. */
export class AttemptCounts {
  readonly #most: number;
  readonly #periodMs: number;
  readonly #networks = new Map<string, Attempts>();

  constructor(most: number, periodMs: number) {
    this.#most = most;
    this.#periodMs = periodMs;
  }

  of(network: string, now: number): Attempts {
    const attempts = this.#networks.get(network) ?? new Attempts(this.#most, this.#periodMs, now);
    this.#networks.delete(network);
    const idle = this.#networks.size >= CAPACITY ? this.#networks.keys().next().value : undefined;
    if (idle !== undefined) this.#networks.delete(idle);
    this.#networks.set(network, attempts);
    return attempts;
  }
}

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
  /** The page of a directory, which reads many blocks. */
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
