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
