/** How long a key is looked for, by the chain's clock, before it is said not to be there. Milliseconds. */
const SOUGHT_MS = 10_000;
/** First and longest pause before a missing key is looked for again. Milliseconds. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 60_000;

interface Sought {
  readonly lookAt: number;
  readonly pause: number;
  /** When it was first seen not to be there; null: nobody could look yet. */
  readonly since: number | null;
}

/**
 * When keys that aren't known yet are looked for, and for how long: each by itself, so that one that has been missing
 * for long neither delays the look for a new one nor shortens its time. Moments are milliseconds since the epoch.
 */
export class KeySearch {
  readonly #sought = new Map<string, Sought>();

  /** When the first of these lanes' keys is looked for next; null if there are no lanes. */
  next(lanes: readonly string[]): number | null {
    return lanes.length === 0 ? null : Math.min(...lanes.map((id) => this.#sought.get(id)?.lookAt ?? 0));
  }

  /** Whether a lane's key is to be looked for now. */
  isDue(id: string, now: number): boolean {
    return (this.#sought.get(id)?.lookAt ?? 0) <= now;
  }

  /** A lane's key is being looked for: for a while nobody else does. */
  begin(id: string, now: number): void {
    const known = this.#sought.get(id);
    const pause = known?.pause ?? FIRST_PAUSE_MS;
    this.#sought.set(id, {
      lookAt: now + pause,
      pause: Math.min(pause * 2, LONGEST_PAUSE_MS),
      since: known?.since ?? null,
    });
  }

  /** A look that was begun didn't show the key. */
  missed(id: string, now: number): void {
    const known = this.#sought.get(id);
    if (known) this.#sought.set(id, { ...known, since: known.since ?? now });
  }

  /** A lane's key is there, or is looked for no more. */
  end(id: string): void {
    this.#sought.delete(id);
  }

  /** Whether a key that isn't there at a block of this time was looked for long enough. */
  isOver(id: string, blockTime: number): boolean {
    const since = this.#sought.get(id)?.since ?? null;
    return since !== null && blockTime >= since + SOUGHT_MS;
  }
}
