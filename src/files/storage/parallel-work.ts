/** Runs a limited number of tasks concurrently. */
export class ParallelWork {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts a task once fewer than the limit run. @throws the first failure of an earlier task; starts none then */
  async start(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#limit) await Promise.race(this.#running);
    this.#throwFailure();
    const run: Promise<void> = task()
      .catch((error: unknown) => void this.#failures.push(error))
      .finally(() => void this.#running.delete(run));
    this.#running.add(run);
  }

  /** Waits for all tasks. @throws the first failure */
  async finish(): Promise<void> {
    await this.idle();
    this.#throwFailure();
  }

  /** Waits until no task runs; failures are ignored. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #throwFailure(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}
