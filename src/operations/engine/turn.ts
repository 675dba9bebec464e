import type { Uuid } from "../../domain/ids.ts";
import { pause } from "../../waiting.ts";
import type { Wallet } from "../../wallet/interface.ts";

/** Pause before the next look at whether the operation before has ended, unless its wallet tells; it doubles. Milliseconds. */
const FIRST_MS = 1_000;
const MOST_MS = 8_000;

/**
 * Waits for the end of an operation that goes before. Their wallet is told of it, and tells; but only the database knows,
 * and what the wallet is told may be lost: it is looked at again after pauses that grow.
 */
export class Turn {
  readonly #wallet: Wallet;
  /** The operation of which the wallet was told, so that nothing more comes from it. */
  #told: Uuid | null = null;
  #looks = 0;

  constructor(wallet: Wallet) {
    this.#wallet = wallet;
  }

  /** Returns when it is time to look whether the operation has ended. @param leftMs at most so long; milliseconds */
  async after(operation: Uuid, leftMs: number): Promise<void> {
    const patience = Math.min(FIRST_MS * 2 ** this.#looks, MOST_MS, leftMs);
    this.#looks += 1;
    if (patience <= 0) return;
    // The wallet is told behind the batch that writes the end: a database without it was rolled back.
    if (this.#told === operation) return pause(patience);
    if (!(await this.#wallet.acknowledged(operation, patience))) return;
    this.#told = operation;
    this.#looks = 0;
  }
}
