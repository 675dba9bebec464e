/** Tasks that run side by side, at most so many at once. */
export class ParallelWork {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Begins a task as soon as there is a place for it. @throws the failure of an earlier one, and begins no more */
  async start(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#limit) await Promise.race(this.#running);
    this.#throwFailure();
    const running = task()
      .catch((error: unknown) => {
        this.#failures.push(error);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all that has begun. @throws the first failure */
  async finish(): Promise<void> {
    await this.settle();
    this.#throwFailure();
  }

  /** Waits until nothing runs, whatever became of it. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  #throwFailure(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}
