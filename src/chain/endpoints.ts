/**
 * What an isolate knows of the endpoints that it asks: which of them fail, which have asked to be left alone, and which
 * have fallen behind the chain. Plain data, shared by the connections of all requests and objects of the isolate, so
 * that none of them has to learn it again. Nothing here waits or asks.
 */

/** A block that an answer speaks of. */
export interface Sighting {
  readonly height: number;
  /** The block's timestamp, milliseconds since the Unix epoch; null if the answer doesn't tell. */
  readonly time: number | null;
  /** Whether the block is final. The head of the chain may go back, a final block doesn't. */
  readonly isFinal: boolean;
}

/** Which endpoint to begin with, and which to end with. */
export interface Preference {
  readonly endpoint?: string | null;
  readonly avoid?: string | null;
}

interface Endpoint {
  /** Failures in a row. */
  failures: number;
  /** Internal errors in a row: one may be the request's own, several are the node's. */
  internalErrors: number;
  /** Times in a row that it was found behind. */
  lags: number;
  /** Until then others are asked first. Milliseconds since the epoch, as all times here. */
  restsUntil: number;
  /** 429 in a row. */
  refusals: number;
  /** Until then it is not asked at all, because it said so. */
  refusesUntil: number;
  /** When its final block was last looked at. */
  lookedAt: number;
  /** The highest final height that it has shown, and when it showed it first. */
  height: number;
  movedAt: number;
}

/** The highest final height that any endpoint of a network has shown. */
interface Peak {
  height: number;
  /** When an answer last reached it, or nearly. */
  reachedAt: number;
}

const endpoints = new Map<string, Endpoint>();
const peaks = new Map<string, Peak>();

const FIRST_REST_MS = 2_000;
const FIRST_LAG_REST_MS = 5_000;
const LONGEST_REST_MS = 60_000;
/** How long an endpoint that answers 429 without saying for how long is left alone at first; doubles each time. */
const FIRST_REFUSAL_MS = 1_000;
/** The longest Retry-After that is believed. */
const LONGEST_REFUSAL_MS = 3_600_000;
const INTERNAL_ERRORS_OF_A_NODE = 3;
/** Nodes behind one address differ by a few blocks; one that is further behind is left. Some six seconds of blocks. */
export const TOLERATED_BLOCKS = 10;
/** A final block is two seconds old when it is read. An older one is worth a look at other endpoints. */
const OLD_MS = 10_000;
/** An endpoint in use is asked for its final block at least so often. */
const LOOK_EVERY_MS = 10_000;
/** A peak that nobody reaches any more is given up after this long, so that one wrong answer doesn't end all reading. */
const PEAK_KEPT_MS = 60_000;

const doubled = (first: number, times: number, longest: number): number =>
  Math.min(first * 2 ** Math.min(times - 1, 20), longest);

/** The endpoints of one network, or its archival ones. */
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

  /** All endpoints: the preferred one first, then the others, those at rest, and those that refuse. */
  order({ endpoint, avoid }: Preference): string[] {
    const now = this.#now();
    const rank = (url: string): number => {
      const { refusesUntil, restsUntil } = this.#of(url);
      const trouble = refusesUntil > now ? 8 : restsUntil > now ? 4 : 0;
      return trouble + (url === avoid ? 2 : 0) + (url === endpoint ? 0 : 1);
    };
    return [...this.urls].sort((a, b) => rank(a) - rank(b));
  }

  /** Milliseconds for which an endpoint wants no request; 0 if it takes them. */
  refusesFor(url: string): number {
    return Math.max(this.#of(url).refusesUntil - this.#now(), 0);
  }

  /** It answered as a node should. */
  answered(url: string): void {
    const endpoint = this.#of(url);
    if (endpoint.lags === 0) endpoint.restsUntil = 0;
    endpoint.failures = 0;
    endpoint.internalErrors = 0;
    endpoint.refusals = 0;
  }

  /** It didn't answer, or with nonsense. Calls that fail side by side count as one failure. */
  failed(url: string): void {
    const endpoint = this.#of(url);
    if (endpoint.restsUntil > this.#now()) return;
    endpoint.failures += 1;
    endpoint.restsUntil = this.#now() + doubled(FIRST_REST_MS, endpoint.failures, LONGEST_REST_MS);
  }

  /** It answered INTERNAL_ERROR, which may be about what was asked. */
  erred(url: string): void {
    const endpoint = this.#of(url);
    endpoint.internalErrors += 1;
    if (endpoint.internalErrors >= INTERNAL_ERRORS_OF_A_NODE) this.failed(url);
  }

  /** It takes no requests for a while. @param milliseconds as it said; null: it didn't say */
  refused(url: string, milliseconds: number | null): void {
    const endpoint = this.#of(url);
    const now = this.#now();
    if (milliseconds === null && endpoint.refusesUntil > now) return;
    endpoint.refusals += 1;
    const pause = milliseconds ?? doubled(FIRST_REFUSAL_MS, endpoint.refusals, LONGEST_REST_MS);
    endpoint.refusesUntil = Math.max(endpoint.refusesUntil, now + Math.min(pause, LONGEST_REFUSAL_MS));
  }

  /** The lowest height that is believed: the highest final one seen, less what nodes may differ by. */
  get floor(): number {
    if (this.#now() - this.#peak.reachedAt > PEAK_KEPT_MS) this.#peak.height = 0;
    return this.#peak.height - TOLERATED_BLOCKS;
  }

  /**
   * It showed a block.
   * @param floor as it was when the endpoint was asked
   * @returns whether the endpoint keeps up
   */
  saw(url: string, block: Sighting, floor: number): boolean {
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

  /** Its final block was asked for, whatever came of it. */
  looked(url: string): void {
    this.#of(url).lookedAt = this.#now();
  }

  /** Whether its final block has to be looked at before what it says without naming a block is believed. */
  wantsLook(url: string): boolean {
    if (this.urls.length < 2 || this.refusesFor(url) > 0) return false;
    const { lookedAt, lags } = this.#of(url);
    return lags > 0 || this.#now() - lookedAt >= LOOK_EVERY_MS;
  }

  /** Whether it was last found behind others. A lone endpoint never is: there is nobody fresher. */
  isBehind(url: string): boolean {
    return this.#of(url).lags > 0;
  }

  /**
   * Whether an endpoint's final block is so old that others may have newer ones: by its timestamp, or, whatever the
   * clocks differ by, because the endpoint has shown no higher one for as long.
   */
  isOld(url: string, { time, height, isFinal }: Sighting): boolean {
    if (time === null || !isFinal) return false;
    const endpoint = this.#of(url);
    const now = this.#now();
    return now - time > OLD_MS || (height <= endpoint.height && now - endpoint.movedAt > OLD_MS);
  }
}
