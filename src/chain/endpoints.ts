/** Health of the RPC endpoints, shared by all of an isolate: failures, rate limits and lag. It makes no calls. */

export interface SeenBlock {
  readonly height: number;
  /** Block timestamp, milliseconds since the Unix epoch; null if the response has none. */
  readonly time: number | null;
  /** Whether the block is final. The head can be reorganized, a final block can't. */
  readonly isFinal: boolean;
}

/** Endpoints to try first and last. */
export interface Preference {
  readonly endpoint?: string | null;
  readonly avoid?: string | null;
}

interface Endpoint {
  failures: number;
  /** Consecutive internal errors: one may be caused by the request, several by the node. */
  internalErrors: number;
  lags: number;
  /** Until then other endpoints are tried first. Milliseconds since the epoch, as all times here. */
  restsUntil: number;
  refusals: number;
  /** Until then it isn't called at all. */
  refusesUntil: number;
  /** When its final block was last checked. */
  lookedAt: number;
  height: number;
  movedAt: number;
}

/** The highest final height that any endpoint of a network returned. */
interface Peak {
  height: number;
  reachedAt: number;
}

const endpoints = new Map<string, Endpoint>();
const peaks = new Map<string, Peak>();
const FIRST_REST_MS = 2_000;
const FIRST_LAG_REST_MS = 5_000;
const LONGEST_REST_MS = 60_000;
/** Pause after a 429 without Retry-After; doubles each time. */
const FIRST_REFUSAL_MS = 1_000;
/** Upper limit of an accepted Retry-After. */
const LONGEST_REFUSAL_MS = 3_600_000;
const INTERNAL_ERRORS_OF_A_NODE = 3;
/** Blocks that an endpoint may be behind: nodes of one load balancer differ by a few. About six seconds. */
export const TOLERATED_BLOCKS = 10;
/** A final block is about two seconds old when read. If it is older, other endpoints are checked. */
const OLD_MS = 10_000;
/** Interval at which an endpoint in use is asked for its final block. */
const LOOK_EVERY_MS = 10_000;
/** A peak that no endpoint reaches is dropped then: one wrong response can't block all reads. */
const PEAK_KEPT_MS = 60_000;

const doubled = (first: number, times: number, longest: number): number =>
  Math.min(first * 2 ** Math.min(times - 1, 20), longest);

/** The endpoints of one network, or its archival endpoints. */
export class Endpoints {
  readonly urls: readonly string[];
  readonly #now: () => number;
  readonly #peak: Peak;

  constructor(urls: readonly string[], now: () => number) {
    this.urls = urls;
    this.#now = now;
    const name = urls.join();
    const peak = peaks.get(name) ?? { height: 0, reachedAt: now() };
    peaks.set(name, peak);
    this.#peak = peak;
  }

  #of(url: string): Endpoint {
    const known = endpoints.get(url);
    if (known) return known;
    const fresh: Endpoint = {
      failures: 0,
      internalErrors: 0,
      lags: 0,
      restsUntil: 0,
      refusals: 0,
      refusesUntil: 0,
      lookedAt: Number.NEGATIVE_INFINITY,
      height: 0,
      movedAt: 0,
    };
    endpoints.set(url, fresh);
    return fresh;
  }

  /** All endpoints in order: the preferred one, the others, those that failed or lag, those that are rate-limited. */
  order({ endpoint, avoid }: Preference): string[] {
    const now = this.#now();
    const rank = (url: string): number => {
      const { refusesUntil, restsUntil } = this.#of(url);
      const trouble = refusesUntil > now ? 8 : restsUntil > now ? 4 : 0;
      return trouble + (url === avoid ? 2 : 0) + (url === endpoint ? 0 : 1);
    };
    return [...this.urls].sort((a, b) => rank(a) - rank(b));
  }

  /** Milliseconds until an endpoint accepts requests; 0 if it does now. */
  refusesFor(url: string): number {
    return Math.max(this.#of(url).refusesUntil - this.#now(), 0);
  }

  answered(url: string): void {
    const endpoint = this.#of(url);
    if (endpoint.lags === 0) endpoint.restsUntil = 0;
    endpoint.failures = 0;
    endpoint.internalErrors = 0;
    endpoint.refusals = 0;
  }

  /** Records a missing or malformed response. Concurrent failures count as one. */
  failed(url: string): void {
    const endpoint = this.#of(url);
    if (endpoint.restsUntil > this.#now()) return;
    endpoint.failures += 1;
    endpoint.restsUntil = this.#now() + doubled(FIRST_REST_MS, endpoint.failures, LONGEST_REST_MS);
  }

  /** Records INTERNAL_ERROR, which may have been caused by the request. */
  erred(url: string): void {
    const endpoint = this.#of(url);
    endpoint.internalErrors += 1;
    if (endpoint.internalErrors >= INTERNAL_ERRORS_OF_A_NODE) this.failed(url);
  }

  /** Records a rate limit. @param milliseconds from Retry-After; null if absent */
  refused(url: string, milliseconds: number | null): void {
    const endpoint = this.#of(url);
    const now = this.#now();
    if (milliseconds === null && endpoint.refusesUntil > now) return;
    endpoint.refusals += 1;
    const pause = milliseconds ?? doubled(FIRST_REFUSAL_MS, endpoint.refusals, LONGEST_REST_MS);
    endpoint.refusesUntil = Math.max(endpoint.refusesUntil, now + Math.min(pause, LONGEST_REFUSAL_MS));
  }

  /** The lowest accepted height: the highest final height seen, minus the tolerated difference between nodes. */
  get floor(): number {
    if (this.#now() - this.#peak.reachedAt > PEAK_KEPT_MS) this.#peak.height = 0;
    return this.#peak.height - TOLERATED_BLOCKS;
  }

  /** Records the block of a response. @param floor when the call was made @returns whether it is up to date */
  saw(url: string, block: SeenBlock, floor: number): boolean {
    const now = this.#now();
    const endpoint = this.#of(url);
    if (block.time !== null) endpoint.lookedAt = now;
    if (block.isFinal && block.height > endpoint.height) {
      endpoint.height = block.height;
      endpoint.movedAt = now;
    }
    if (block.height < floor) {
      if (this.urls.length > 1) this.#lags(endpoint);
      return false;
    }
    this.#peak.reachedAt = now;
    if (!block.isFinal) return true;
    this.#peak.height = Math.max(this.#peak.height, block.height);
    if (endpoint.lags > 0) endpoint.restsUntil = 0;
    endpoint.lags = 0;
    return true;
  }

  #lags(endpoint: Endpoint): void {
    if (endpoint.lags > 0 && endpoint.restsUntil > this.#now()) return;
    endpoint.lags += 1;
    endpoint.restsUntil = this.#now() + doubled(FIRST_LAG_REST_MS, endpoint.lags, LONGEST_REST_MS);
  }

  looked(url: string): void {
    this.#of(url).lookedAt = this.#now();
  }

  /** Whether its final block must be checked before a response without a block is trusted. */
  wantsLook(url: string): boolean {
    if (this.urls.length < 2 || this.refusesFor(url) > 0) return false;
    const { lookedAt, lags } = this.#of(url);
    return lags > 0 || this.#now() - lookedAt >= LOOK_EVERY_MS;
  }

  /** Whether it was behind others at the last check. A single endpoint never is. */
  isBehind(url: string): boolean {
    return this.#of(url).lags > 0;
  }

  /** Whether a final block is so old that others may have newer ones, by its time or since it didn't change. */
  isOld(url: string, { time, height, isFinal }: SeenBlock): boolean {
    if (time === null || !isFinal) return false;
    const endpoint = this.#of(url);
    const now = this.#now();
    return now - time > OLD_MS || (height <= endpoint.height && now - endpoint.movedAt > OLD_MS);
  }
}
