import { type Cost, maxSpent } from "../../chain/cost.ts";
import type { Reserved } from "../chain-state/funds.ts";
import type { IntentEnding } from "./intents.ts";
import type { Move } from "./machine.ts";

const DAY_MS = 24 * 3_600_000;

/** Number of the day (UTC) since the Unix epoch. */
export const dayOf = (now: number): number => Math.floor(now / DAY_MS);

/** Seconds until the next day begins. */
export const nextDayAfter = (now: number): number => Math.ceil(((dayOf(now) + 1) * DAY_MS - now) / 1_000);

/**
 * What an ended transaction has spent, yoctoNEAR: the tokens burnt, and on success the certain cost. An unprovable
 * transaction counts in full.
 */
export const spentBy = (move: Move, cost: Cost, { result }: Pick<IntentEnding, "result">): bigint => {
  if (move === "give_up") return maxSpent(cost);
  if (move !== "succeed" && move !== "fail") return 0n;
  const burnt = BigInt(result?.tokens_burnt ?? 0);
  return move === "succeed" ? burnt + cost.certain : burnt;
};

/**
 * Whether a cost fits into the daily limit. `later`: reservations may take too much, but most of that is gas that is
 * refunded. `above`: it wouldn't fit even then.
 */
export const withinDay = (
  limit: bigint,
  spent: bigint,
  reserved: Reserved,
  cost: Cost,
): "enough" | "later" | "above" => {
  const needed = spent + maxSpent(cost);
  if (limit >= needed + reserved.queued + reserved.open) return "enough";
  return limit >= needed + reserved.certain ? "later" : "above";
};

/** Number of days that are kept and averaged. */
const DAYS = 7;

/** The part of the journal that records the spending of the last days. */
export class SpendingJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Amount spent on the day of a time, yoctoNEAR. */
  of(now: number): bigint {
    const rows = this.#sql.exec<{ spent: string }>("SELECT spent FROM spending WHERE day = ?", dayOf(now));
    return BigInt(rows.toArray()[0]?.spent ?? 0);
  }

  /**
   * Mean spending per day over the last seven days, or since the first of them with spending. Days after today, which a
   * clock that was ahead has left, don't count.
   */
  perDay(now: number): bigint {
    const today = dayOf(now);
    const rows = this.#sql
      .exec<{ day: number; spent: string }>(
        "SELECT day, spent FROM spending WHERE day > ? AND day <= ? ORDER BY day",
        today - DAYS,
        today,
      )
      .toArray();
    const [first] = rows;
    if (!first) return 0n;
    const sum = rows.reduce((total, { spent }) => total + BigInt(spent), 0n);
    return sum / BigInt(today - first.day + 1);
  }

  /** A day's spending is at least this much, of which an object that was set back knows less. */
  raise(amount: bigint, now: number): void {
    const known = this.of(now);
    if (amount > known) this.add(amount - known, now);
  }

  /** Adds to a day's spending. Part of the caller's transaction. */
  add(amount: bigint, now: number): void {
    if (amount === 0n) return;
    const spent = (this.of(now) + amount).toString();
    this.#sql.exec("INSERT OR REPLACE INTO spending (day, spent) VALUES (?, ?)", dayOf(now), spent);
    this.#sql.exec("DELETE FROM spending WHERE day <= ?", dayOf(now) - DAYS);
  }
}
