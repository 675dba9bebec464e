import { ChainUnavailableError } from "./errors.ts";

/** A Worker may have six connections waiting for an answer at once (Workers limits, "simultaneous open connections"). */
export const MAX_CONNECTIONS = 6;

/** A call that found no free connection for so long is given up. Milliseconds. */
export const LONGEST_QUEUE_MS = 30_000;

/** The connections of one request or object: six at once, the others wait their turn, in order. */
export class Connections {
  #free = MAX_CONNECTIONS;
  readonly #waiting = new Set<() => void>();

  /**
   * Does work on a connection. The work's own time limit starts when it has one.
   * @throws ChainUnavailableError when none became free in time
   */
  async use<T>(work: () => Promise<T>): Promise<T> {
    await this.#admit();
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  async #admit(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(admit);
        reject(new ChainUnavailableError(null, 5, "Too many calls are waiting for the chain's nodes"));
      }, LONGEST_QUEUE_MS);
      this.#waiting.add(admit);
    });
  }

  /** Hands the connection to who has waited longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
