/**
 * Calls inside this object that wait for an event of an operation, such as the end of its rows. Lost with the object;
 * callers retry.
 */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Wakes all calls waiting for the operation. */
  notify(operation: string): void {
    const waiting = this.#waiting.get(operation);
    this.#waiting.delete(operation);
    for (const wake of waiting ?? []) wake();
  }

  /** Whether any call waits for one of these operations. */
  areFor(operations: readonly string[]): boolean {
    return operations.some((operation) => this.#waiting.has(operation));
  }

  /** Waits for a notification of the operation or the timeout; true if notified. Milliseconds. */
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
