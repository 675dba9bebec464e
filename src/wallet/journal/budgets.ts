import type { Cost } from "../../chain/cost.ts";
import type { Budget } from "../../domain/key-rights.ts";
import type { Reserved } from "../chain-state/funds.ts";
import { type CostRow, Reserve, toCost } from "./intents.ts";
import type { IntentState } from "./machine.ts";
import { dayOf } from "./spending.ts";

/** A cost with the storage that counts beyond it for budgets, yoctoNEAR. */
export const withStorage = (cost: Cost, storage: bigint): Cost => ({
  ...cost,
  certain: cost.certain + storage,
});

/** The part of the journal that records the spending of API keys with a budget of a day. */
export class BudgetJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Counts a new intent for budgets, until it is over. Part of the caller's transaction.
   * @param storage counts beyond its cost if it succeeds, yoctoNEAR
   */
  count(intentId: number, budgets: readonly Budget[], storage: bigint): void {
    for (const { key } of budgets) {
      this.#sql.exec(
        "INSERT OR IGNORE INTO budget_intents (key, intent, storage) VALUES (?, ?, ?)",
        key,
        intentId,
        storage.toString(),
      );
    }
  }

  /**
   * Upper bound of what the intents that count for a budget may still take, storage included. Of one in a shared
   * transaction it is its own cost, which the transaction has taken over.
   */
  reserved(key: string): Reserved {
    const reserve = new Reserve();
    const rows = this.#sql.exec<{ state: IntentState; storage: string } & CostRow>(
      `SELECT intents.state, budget_intents.storage, coalesce(carried.cost, intents.cost) AS cost,
         coalesce(carried.certain, intents.certain) AS certain, coalesce(carried.ahead, intents.ahead) AS ahead
       FROM budget_intents JOIN intents ON intents.id = budget_intents.intent
       LEFT JOIN carried ON carried.intent = intents.id
       WHERE budget_intents.key = ? AND intents.state IN ('queued', 'open')`,
      key,
    );
    for (const row of rows) {
      const cost = withStorage(toCost(row), BigInt(row.storage));
      reserve.moved(null, { state: row.state, cost });
    }
    return reserve.sums;
  }

  /** Amount that counts for a budget on the day of a time, yoctoNEAR. */
  spent(key: string, now: number): bigint {
    const rows = this.#sql.exec<{ spent: string }>(
      "SELECT spent FROM budgets WHERE key = ? AND day = ?",
      key,
      dayOf(now),
    );
    return BigInt(rows.toArray()[0]?.spent ?? 0);
  }

  /**
   * Adds what a transaction cost its intents to their budgets. Part of the caller's transaction.
   * @param amounts yoctoNEAR, by intent
   * @param hasStored it has, or may have, taken its storage
   */
  spend(amounts: ReadonlyMap<number, bigint>, hasStored: boolean, now: number): void {
    const counted = this.#sql
      .exec<{ key: string; intent: number; storage: string }>(
        "SELECT key, intent, storage FROM budget_intents WHERE intent IN (SELECT value FROM json_each(?))",
        JSON.stringify([...amounts.keys()]),
      )
      .toArray();
    for (const { key, intent, storage } of counted) {
      const amount = amounts.get(intent)! + (hasStored ? BigInt(storage) : 0n);
      this.#set(key, this.spent(key, now) + amount, now);
    }
  }

  /** At least this much counts for a budget, of which an object that was set back knows less; yoctoNEAR. */
  raise(key: string, amount: bigint, now: number): void {
    if (amount > this.spent(key, now)) this.#set(key, amount, now);
  }

  #set(key: string, spent: bigint, now: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO budgets (key, day, spent) VALUES (?, ?, ?)",
      key,
      dayOf(now),
      spent.toString(),
    );
  }

  /** Intents are over: they reserve nothing more. Part of the caller's transaction. */
  over(intents: readonly number[]): void {
    this.#sql.exec(
      "DELETE FROM budget_intents WHERE intent IN (SELECT value FROM json_each(?))",
      JSON.stringify(intents),
    );
  }
}
