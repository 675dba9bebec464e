import { within } from "./waiting.ts";

/** How answers are kept. Milliseconds. */
interface Keeping {
  /** How long an answer is told again, from when it was asked for. */
  readonly lastsMs: number;
  /** How long an answer is waited for that another request has asked for, and perhaps not lived to see. */
  readonly patienceMs: number;
  /** Answers that are kept; beyond it the oldest goes. */
  readonly most: number;
}

/** Who asks. */
interface Asker {
  /** Answers are kept for requests with the same settings. */
  readonly settings: object;
  readonly now: () => Date;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

interface Kept<T> {
  readonly answer: Promise<T>;
  readonly until: number;
}

/**
 * Answers of other machines that an isolate tells again for a while: one question serves all that ask meanwhile. A
 * failure is told to those who wait for it, and not kept.
 */
export class KeptAnswers<T> {
  readonly #keeping: Keeping;
  readonly #kept = new WeakMap<object, Map<string, Kept<T>>>();

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  /** @param name of the question: all that its answer depends on */
  async get(asker: Asker, name: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.#of(asker.settings);
    const now = asker.now().getTime();
    const known = kept.get(name);
    if (known && now < known.until) {
      const told = await within(
        this.#keeping.patienceMs,
        known.answer.then((answer) => ({ answer })),
      );
      if (told !== null) return told.answer;
    }
    const answer = ask();
    const entry = { answer, until: now + this.#keeping.lastsMs };
    kept.delete(name);
    const oldest = kept.size >= this.#keeping.most ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(name, entry);
    const failed = () => {
      if (kept.get(name) === entry) kept.delete(name);
    };
    asker.waitUntil(answer.catch(failed));
    return answer;
  }

  #of(settings: object): Map<string, Kept<T>> {
    const kept = this.#kept.get(settings) ?? new Map<string, Kept<T>>();
    this.#kept.set(settings, kept);
    return kept;
  }
}
