import type { Acknowledgement } from "./interface.ts";
import type { Journal } from "./journal/journal.ts";
import { Waiters } from "./waiters.ts";

/** Operations whose effects are written, as this wallet is told, and who waits to learn it. */
export class Acknowledgements {
  readonly #journal: Journal;
  readonly #waiters = new Waiters();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The effects of these operations are written. */
  note(acknowledgements: readonly Acknowledgement[]): void {
    this.#journal.acknowledge(acknowledgements, Date.now());
    for (const { operationUuid } of acknowledgements) this.#waiters.notify(operationUuid);
  }

  /** Whether the operation's effects are written, once they are or the time is up. Milliseconds. */
  async of(operation: string, timeoutMs: number): Promise<boolean> {
    const { operations } = this.#journal;
    if (operations.isAcknowledged(operation)) return true;
    return this.#waiters.wait(operation, timeoutMs);
  }
}
