import type { Bindings } from "../env.ts";

interface Entry {
  /** Milliseconds. */
  readonly at: number;
  count: number;
}

/**
 * The requests of the last period, counted exactly: a key that sends at most the limit in any period is never refused,
 * and no period has more. Times are milliseconds.
 */
export class RequestWindow {
  readonly #periodMs: number;
  /** Ascending by time; those before `#first` have left. */
  #entries: Entry[] = [];
  #first = 0;
  #used = 0;
  #latest = 0;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Requests in the period that ends now. */
  used(now: number): number {
    this.#slide(now);
    return this.#used;
  }

  /** Adds requests. @returns the time they are counted at, which `giveBack` takes; a clock never goes back here */
  add(count: number, now: number): number {
    this.#slide(now);
    const last = this.#entries.at(-1);
    if (last !== undefined && last.at === this.#latest) last.count += count;
    else if (count > 0) this.#entries.push({ at: this.#latest, count });
    this.#used += count;
    return this.#latest;
  }

  /** Returns requests that were counted at a time and not made. Those that have left the window since have no effect. */
  giveBack(count: number, at: number, now: number): void {
    this.#slide(now);
    const entry = this.#entries.find((each, index) => index >= this.#first && each.at === at);
    if (entry === undefined) return;
    const taken = Math.min(count, entry.count);
    entry.count -= taken;
    this.#used -= taken;
  }

  /** Milliseconds until the oldest request leaves the window; 0 if the window is empty. */
  freeAfter(now: number): number {
    this.#slide(now);
    for (let index = this.#first; index < this.#entries.length; index++) {
      const entry = this.#entries[index]!;
      if (entry.count > 0) return entry.at + this.#periodMs - this.#latest;
    }
    return 0;
  }

  #slide(now: number): void {
    this.#latest = Math.max(this.#latest, now);
    for (let entry = this.#entries[this.#first]; entry !== undefined; entry = this.#entries[this.#first]) {
      if (entry.at + this.#periodMs > this.#latest) break;
      this.#used -= entry.count;
      this.#first += 1;
    }
    if (this.#first * 2 <= this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }
}

export interface Ask {
  readonly limit: number;
  readonly wanted: number;
  /** The grant that this isolate had before, which ends with this call. */
  readonly ended?: Ended;
}

export interface Ended {
  readonly id: number;
  readonly unused: number;
}

/** Requests that an isolate may let pass without asking again. */
export interface Grant {
  readonly id: number;
  /** May be more than was wanted, and less where the limit is reached. */
  readonly count: number;
  /** Milliseconds until the rest of it must be returned. */
  readonly lastsMs: number;
  /** Requests that the key has left beyond this grant. */
  readonly remaining: number;
  /** Milliseconds until the key may make more. */
  readonly freeAfterMs: number;
}

export interface Counter {
  /** Allows as many requests as the limit leaves, at most a few more than wanted. */
  take(ask: Ask): Promise<Grant>;
  /** Returns the rest of a grant. */
  end(ended: Ended): Promise<void>;
}

/** The counter of a key or another name. An exception breaks a stub, so each call needs a new one. */
export const counterOf = (env: Bindings, key: string): Counter =>
  env.REQUEST_COUNTER.getByName(key) as unknown as Counter;
