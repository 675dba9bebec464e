import { DurableObject } from "cloudflare:workers";
import { REQUEST_PERIOD_S } from "../domain/quota.ts";
import type { Bindings } from "../env.ts";
import { type Ask, type Counter, type Ended, type Grant, RequestWindow } from "./request-counter.ts";

/** How long a grant lasts. Milliseconds. */
const GRANT_MS = 1_000;
/** After this time, a grant that wasn't returned counts as used. Milliseconds. */
const GRACE_MS = 500;
/** A surplus grant is at most this part of the remaining requests, and of those that the key used in the period. */
const SPARE_PART = 10;

/** A grant of which an isolate may give something back. What was wanted is used, since those requests were made. */
interface Lent {
  /** When it was counted, on the window's clock. */
  readonly at: number;
  readonly until: number;
}

/**
 * Counts the requests of one key, for all isolates of the world. An isolate is granted a few more than it asks for, so
 * that most requests need no call; grants that are out are waited for before a request is refused. Nothing is stored:
 * an object that starts again has forgotten at most one period.
 */
export class RequestCounter extends DurableObject<Bindings> implements Counter {
  readonly #window = new RequestWindow(REQUEST_PERIOD_S * 1_000);
  readonly #lent = new Map<number, Lent>();
  #grants = 0;
  #waiting: (() => void)[] = [];

  async take({ limit, wanted, ended }: Ask): Promise<Grant> {
    if (ended) await this.end(ended);
    while (this.#left(limit) < wanted && this.#isOut()) await this.#change();
    const now = Date.now();
    const left = this.#left(limit);
    const granted = Math.min(wanted, left);
    const at = this.#window.add(granted, now);
    const spare = this.#spare(left - granted, now);
    this.#window.add(spare, now);
    const id = ++this.#grants;
    if (spare > 0) this.#lent.set(id, { at, until: now + GRANT_MS + GRACE_MS });
    return {
      id,
      count: granted + spare,
      lastsMs: GRANT_MS,
      remaining: left - granted - spare,
      freeAfterMs: this.#window.freeAfter(now),
    };
  }

  async end({ id, unused }: Ended): Promise<void> {
    const lent = this.#lent.get(id);
    if (lent === undefined) return;
    this.#lent.delete(id);
    this.#window.giveBack(unused, lent.at, Date.now());
    this.#wake();
  }

  #left(limit: number): number {
    return Math.max(limit - this.#window.used(Date.now()), 0);
  }

  #spare(left: number, now: number): number {
    return Math.floor(Math.min(left, this.#window.used(now)) / SPARE_PART);
  }

  /** Whether an isolate may yet give something back. */
  #isOut(): boolean {
    const now = Date.now();
    for (const [id, { until }] of this.#lent) if (until <= now) this.#lent.delete(id);
    return this.#lent.size > 0;
  }

  /** Resolves when a grant has ended or the first one that is out has run out. */
  #change(): Promise<void> {
    const first = Math.min(...[...this.#lent.values()].map(({ until }) => until));
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(first - Date.now(), 1));
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
