/** Who waits inside this object for something to happen to an operation, such as that its rows are over. Lost with the object: callers ask again. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Wakes everybody who waits for the operation. */
  notify(operation: string): void {
    const waiting = this.#waiting.get(operation);
    this.#waiting.delete(operation);
    for (const wake of waiting ?? []) wake();
  }

  /** Whether anybody waits for one of these operations. */
  areFor(operations: readonly string[]): boolean {
    return operations.some((operation) => this.#waiting.has(operation));
  }

  /** Resolves when the operation is notified or the time is up, with whether it was notified. Milliseconds. */
  wait(operation: string, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(operation) ?? new Set();
      this.#waiting.set(operation, waiting);
      const timer = setTimeout(() => {
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(operation) === waiting) this.#waiting.delete(operation);
        resolve(false);
      }, timeoutMs);
      const wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
      waiting.add(wake);
    });
  }
}
