import { within } from "../waiting.ts";

/** How answers are kept. Milliseconds. */
interface Keeping {
  /** How long an answer is told again, from when it came. */
  readonly lastsMs: number;
  /** How long a question is waited for, from when it was asked: its request may be gone. */
  readonly patienceMs: number;
  /** Answers that are kept; beyond it the oldest goes. */
  readonly most: number;
}

/** How long a failure is told again. Milliseconds. */
const FAILURE_LASTS_MS = 1_000;

/** Who asks. */
interface Asker {
  /** Answers are kept for requests with the same settings. */
  readonly settings: object;
  readonly now: () => Date;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

interface Kept<T> {
  readonly answer: Promise<T>;
  /** Until when it is told, or waited for. */
  until: number;
}

const toldBy = async <T>({ answer }: Kept<T>): Promise<{ readonly answer: T }> => ({ answer: await answer });

/**
 * Answers of other machines that an isolate tells again for a while: one question serves all that ask meanwhile, however
 * long its answer takes. A failure is told again for a second, so that no question follows another where none is answered.
 */
export class SharedReads<T> {
  readonly #keeping: Keeping;
  readonly #kept = new WeakMap<object, Map<string, Kept<T>>>();

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  /**
   * @param name of the question: all that its answer depends on
   * @param admit is waited for before this asker's own question, and may refuse it by what it throws. That concerns this
   *   asker alone: nobody else waits for it or is told of it
   */
  async get(asker: Asker, name: string, ask: () => Promise<T>, admit?: () => Promise<void>): Promise<T> {
    const kept = this.#of(asker.settings);
    // Nothing is waited for between a look that finds nothing and the question: of many one asks.
    for (let admitted = admit === undefined; ; ) {
      const entry = kept.get(name);
      const left = entry ? entry.until - asker.now().getTime() : 0;
      if (entry && left > 0) {
        const told = await within(left, toldBy(entry));
        if (told !== null) return told.answer;
        if (kept.get(name) === entry) kept.delete(name);
      } else if (admitted) return this.#ask(asker, name, ask);
      else {
        await admit?.();
        admitted = true;
      }
    }
  }

  #ask(asker: Asker, name: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.#of(asker.settings);
    const time = () => asker.now().getTime();
    const answer = ask();
    const entry = { answer, until: time() + this.#keeping.patienceMs };
    kept.delete(name);
    const oldest = kept.size >= this.#keeping.most ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(name, entry);
    const lasts = (milliseconds: number) => () => {
      entry.until = time() + milliseconds;
    };
    asker.waitUntil(answer.then(lasts(this.#keeping.lastsMs), lasts(FAILURE_LASTS_MS)));
    return answer;
  }

  #of(settings: object): Map<string, Kept<T>> {
    const kept = this.#kept.get(settings) ?? new Map<string, Kept<T>>();
    this.#kept.set(settings, kept);
    return kept;
  }
}
