/** What an intent's operation may cost, and has cost without it. yoctoNEAR. */
export interface Allowance {
  readonly most: bigint;
  readonly spent: bigint;
}

/** How many waiting intents one look at the queue considers. */
export const WINDOW = 512;

/** Splits what a shared transaction took among what it carried, by tokens; what is left over goes to the first. */
export const sharesOf = (taken: bigint, tokens: readonly number[]): bigint[] => {
  const all = BigInt(tokens.reduce((sum, count) => sum + count, 0));
  const shares = tokens.map((count) => (taken * BigInt(count)) / all);
  const rest = shares.reduce((left, share) => left - share, taken);
  return shares.map((share, place) => (place === 0 ? share + rest : share));
};

/** The part of the journal that knows what operations have cost, and what they may. */
export class CostJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * A transaction of the intent's own is over. What it took is known where this release entered the intent.
   * @param burnt yoctoNEAR @param hasMoved whether its deposit has moved
   */
  landed(intentId: number, burnt: bigint, hasMoved: boolean): void {
    const { deposit } = this.#sql
      .exec<{ deposit: string | null }>("SELECT deposit FROM intents WHERE id = ?", intentId)
      .one();
    if (deposit !== null) this.spend(intentId, burnt + (hasMoved ? BigInt(deposit) : 0n));
  }

  /** Something that is over has taken so much for an intent. */
  spend(intentId: number, amount: bigint): void {
    const { spent } = this.#sql
      .exec<{ spent: string | null }>("SELECT spent FROM intents WHERE id = ?", intentId)
      .one();
    if (spent === null) return;
    const sum = (BigInt(spent) + amount).toString();
    this.#sql.exec("UPDATE intents SET spent = ? WHERE id = ?", sum, intentId);
  }

  /** What an operation has spent, and may still spend for what is not over. */
  ofOperation(operation: string): bigint {
    return this.#sql
      .exec<{ spent: string | null; cost: string; state: string }>(
        "SELECT spent, cost, state FROM intents WHERE operation = ?",
        operation,
      )
      .toArray()
      .reduce((sum, { spent, cost, state }) => {
        const mayFollow = state === "queued" || state === "open" ? BigInt(cost) : 0n;
        return sum + BigInt(spent ?? "0") + mayFollow;
      }, 0n);
  }

  /** The first waiting intents whose operations may not cost anything they like, by turn. */
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
