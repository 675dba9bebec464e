/** Tasks that run side by side, at most so many at once. */
export class ParallelWork {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  readonly #failures: unknown[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Begins a task as soon as there is a place for it. @throws the failure of an earlier one, and begins no more */
  async start(task: () => Promise<void>): Promise<void> {
    while (this.#running >= this.#limit) await this.#ended();
    this.#throwFailure();
    this.#running++;
    void this.#run(task);
  }

  async #run(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.#failures.push(error);
    }
    this.#running--;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Resolves when one of those that run has ended. */
  #ended(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Waits for all that has begun. @throws the first failure */
  async finish(): Promise<void> {
    await this.idle();
    this.#throwFailure();
  }

  /** Waits until nothing runs, whatever became of it. */
  async idle(): Promise<void> {
    while (this.#running > 0) await this.#ended();
  }

  #throwFailure(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}
