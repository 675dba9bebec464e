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

  /**
   * @param name of the question: all that its answer depends on
   * @param admit is waited for before this asker's own question, and may refuse it by what it throws. That concerns this
   *   asker alone: nobody else waits for it or is told of it
   */
  async get(asker: Asker, name: string, ask: () => Promise<T>, admit?: () => Promise<void>): Promise<T> {
    const kept = this.#of(asker.settings);
    const known = kept.get(name);
    const told = this.#isInForce(asker, known) ? await this.#told(known) : null;
    if (told !== null) return told.answer;
    if (admit) {
      await admit();
      const other = kept.get(name);
      const meanwhile = other !== known && this.#isInForce(asker, other) ? await this.#told(other) : null;
      if (meanwhile !== null) return meanwhile.answer;
    }
    return this.#ask(asker, name, ask);
  }

  #isInForce(asker: Asker, known: Kept<T> | undefined): known is Kept<T> {
    return known !== undefined && asker.now().getTime() < known.until;
  }

  /** What is kept, if it comes in time. */
  #told({ answer: kept }: Kept<T>): Promise<{ readonly answer: T } | null> {
    return within(
      this.#keeping.patienceMs,
      kept.then((answer) => ({ answer })),
    );
  }

  #ask(asker: Asker, name: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.#of(asker.settings);
    const answer = ask();
    const entry = { answer, until: asker.now().getTime() + this.#keeping.lastsMs };
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
