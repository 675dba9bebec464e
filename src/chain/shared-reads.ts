import { setBounded } from "../domain/bounded-map.ts";
import { within } from "../waiting.ts";

/** Cache limits. Milliseconds. */
interface CacheLimits {
  readonly ttlMs: number;
  /** How long a pending read is waited for: its request may have been cancelled. */
  readonly pendingMs: number;
  readonly most: number;
}

/** How long a failure is served. Milliseconds. */
const FAILURE_LASTS_MS = 1_000;

interface Reader {
  /** Results are shared by requests with the same settings. */
  readonly settings: object;
  readonly now: () => Date;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

interface Kept<T> {
  readonly answer: Promise<T>;
  /** Until when the result is served, or awaited. */
  until: number;
}

/** Caches results of other services for the isolate: one read serves all requests; a failure is served for a second. */
export class SharedReads<T> {
  readonly #keeping: CacheLimits;
  readonly #kept = new WeakMap<object, Map<string, Kept<T>>>();

  constructor(keeping: CacheLimits) {
    this.#keeping = keeping;
  }

  /** @param name everything the result depends on @param admit awaited before this request's own read; may throw */
  async get(asker: Reader, name: string, ask: () => Promise<T>, admit?: () => Promise<void>): Promise<T> {
    const kept = this.#of(asker.settings);
    // There is no await between finding no entry and starting the read, so only one request reads.
    for (let admitted = admit === undefined; ; ) {
      const entry = kept.get(name);
      const left = entry ? entry.until - asker.now().getTime() : 0;
      if (entry && left > 0) {
        const outcome = await within(
          left,
          entry.answer.then((answer) => ({ answer })),
        );
        if (outcome !== null) return outcome.answer;
        if (kept.get(name) === entry) kept.delete(name);
      } else if (admitted) return this.#ask(asker, name, ask);
      else {
        await admit?.();
        admitted = true;
      }
    }
  }

  #ask(asker: Reader, name: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.#of(asker.settings);
    const time = () => asker.now().getTime();
    const answer = ask();
    const entry = { answer, until: time() + this.#keeping.pendingMs };
    kept.delete(name);
    setBounded(kept, this.#keeping.most, name, entry);
    const lasts = (milliseconds: number) => () => {
      entry.until = time() + milliseconds;
    };
    asker.waitUntil(answer.then(lasts(this.#keeping.ttlMs), lasts(FAILURE_LASTS_MS)));
    return answer;
  }

  #of(settings: object): Map<string, Kept<T>> {
    const kept = this.#kept.get(settings) ?? new Map<string, Kept<T>>();
    this.#kept.set(settings, kept);
    return kept;
  }
}
