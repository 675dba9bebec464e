/** A request that waits. */
interface Waiter {
  /** Until when it counts, unless it says again that it waits. */
  until: number;
}

/**
 * Counts requests that wait. The platform ends a request whose client has gone without running another line of it: one
 * that says nothing for a while counts no longer. Times are milliseconds.
 */
export class WaitCounter {
  readonly #lapsesAfterMs: number;
  readonly #waiting = new Set<Waiter>();

  constructor(lapsesAfterMs: number) {
    this.#lapsesAfterMs = lapsesAfterMs;
  }

  /** A request begins to wait. */
  join(now: number): Waiter {
    const waiter = { until: now + this.#lapsesAfterMs };
    this.#waiting.add(waiter);
    return waiter;
  }

  /** It still waits, also where it had lapsed. */
  renew(waiter: Waiter, now: number): void {
    waiter.until = now + this.#lapsesAfterMs;
    this.#waiting.add(waiter);
  }

  /** It waits no longer. */
  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  /** How many wait. */
  count(now: number): number {
    for (const waiter of this.#waiting) if (waiter.until <= now) this.#waiting.delete(waiter);
    return this.#waiting.size;
  }
}
