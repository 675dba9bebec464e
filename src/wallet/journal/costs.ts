/** The maximum cost of an intent's operation, and its cost without the intent. yoctoNEAR. */
export interface Allowance {
  readonly most: bigint;
  readonly spent: bigint;
}

/** Number of queued intents considered at once. */
export const WINDOW = 512;

/** Splits the cost of a shared transaction among its intents by tokens; the remainder goes to the first. */
export const sharesOf = (taken: bigint, tokens: readonly number[]): bigint[] => {
  const all = BigInt(tokens.reduce((sum, count) => sum + count, 0));
  const shares = tokens.map((count) => (taken * BigInt(count)) / all);
  const rest = shares.reduce((left, share) => left - share, taken);
  return shares.map((share, place) => (place === 0 ? share + rest : share));
};

/** The part of the journal that records the cost of operations and their maximum. */
export class CostJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Records the cost of an intent's own transaction.
   * @param burnt yoctoNEAR
   * @param hasMoved whether its deposit has moved
   */
  landed(intentId: number, burnt: bigint, hasMoved: boolean): void {
    const { deposit } = this.#sql
      .exec<{ deposit: string }>("SELECT deposit FROM intents WHERE id = ?", intentId)
      .one();
    this.spend(intentId, burnt + (hasMoved ? BigInt(deposit) : 0n));
  }

  /** Adds an amount that a transaction cost an intent. */
  spend(intentId: number, amount: bigint): void {
    // Most have one transaction.
    const first = this.#sql.exec(
      "UPDATE intents SET spent = ? WHERE id = ? AND spent = '0' RETURNING id",
      amount.toString(),
      intentId,
    );
    if (first.toArray().length > 0) return;
    const { spent } = this.#sql
      .exec<{ spent: string }>("SELECT spent FROM intents WHERE id = ?", intentId)
      .one();
    const sum = (BigInt(spent) + amount).toString();
    this.#sql.exec("UPDATE intents SET spent = ? WHERE id = ?", sum, intentId);
  }

  /** What an operation has spent, plus the maximum of what isn't over. */
  ofOperation(operation: string): bigint {
    return this.#sql
      .exec<{ spent: string; cost: string; state: string }>(
        "SELECT spent, cost, state FROM intents WHERE operation = ?",
        operation,
      )
      .toArray()
      .reduce((sum, { spent, cost, state }) => {
        const mayFollow = state === "queued" || state === "open" ? BigInt(cost) : 0n;
        return sum + BigInt(spent) + mayFollow;
      }, 0n);
  }

  /** The first queued intents whose operations have a maximum cost, in queue order. */
  limited(): (Allowance & { readonly intentId: number })[] {
    return this.#sql
      .exec<{ intentId: number; operation: string; most: string; cost: string }>(
        `SELECT id AS intentId, operation, most, cost FROM intents INDEXED BY intents_limited
         WHERE state = 'queued' AND most IS NOT NULL ORDER BY turn, id LIMIT ?`,
        WINDOW,
      )
      .toArray()
      .map(({ intentId, operation, most, cost }) => ({
        intentId,
        most: BigInt(most),
        spent: this.ofOperation(operation) - BigInt(cost),
      }));
  }
}
