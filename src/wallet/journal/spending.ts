import { type Cost, lastingOf } from "../../chain/cost.ts";
import type { Reserved } from "../chain-state/funds.ts";
import type { IntentEnding } from "./intents.ts";
import type { Move } from "./machine.ts";

const DAY_MS = 24 * 3_600_000;

/** Number of the day (UTC) that an instant is in, from the Unix epoch. */
const dayOf = (now: number): number => Math.floor(now / DAY_MS);

/** Seconds until the next day begins. */
export const nextDayAfter = (now: number): number => Math.ceil(((dayOf(now) + 1) * DAY_MS - now) / 1_000);

/**
 * What a transaction has taken by the move that ended it, yoctoNEAR: what the chain says it burnt, and what went with it
 * where it succeeded. What nobody can prove counts in full.
 */
export const spentBy = (move: Move, cost: Cost, { result }: Pick<IntentEnding, "result">): bigint => {
  if (move === "give_up") return lastingOf(cost);
  if (move !== "succeed" && move !== "fail") return 0n;
  const burnt = BigInt(result?.tokens_burnt ?? 0);
  return move === "succeed" ? burnt + cost.certain : burnt;
};

/**
 * Whether a cost is within a day's limit. `later`: what waits or is on its way may take too much, but most of that is
 * gas, which comes back. `above`: it wouldn't fit even then.
 */
export const withinDay = (
  limit: bigint,
  spent: bigint,
  reserved: Reserved,
  cost: Cost,
): "enough" | "later" | "above" => {
  const needed = spent + lastingOf(cost);
  if (limit >= needed + reserved.queued + reserved.open) return "enough";
  return limit >= needed + reserved.certain ? "later" : "above";
};

/** Days that a mean is of, and that are kept: a week. */
const DAYS = 7;

/** The part of the journal that knows what was spent on each of the last days. */
export class SpendingJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** What was spent on the day of an instant, yoctoNEAR. */
  of(now: number): bigint {
    const rows = this.#sql.exec<{ spent: string }>("SELECT spent FROM spending WHERE day = ?", dayOf(now));
    return BigInt(rows.toArray()[0]?.spent ?? 0);
  }

  /** What was spent a day, the mean of the last seven or of those since the first of them on which anything was. */
  perDay(now: number): bigint {
    const [first] = this.#sql
      .exec<{ day: number }>("SELECT min(day) AS day FROM spending WHERE day > ?", dayOf(now) - DAYS)
      .toArray();
    if (!first || first.day === null) return 0n;
    const rows = this.#sql.exec<{ spent: string }>("SELECT spent FROM spending WHERE day >= ?", first.day);
    const sum = rows.toArray().reduce((total, { spent }) => total + BigInt(spent), 0n);
    return sum / BigInt(dayOf(now) - first.day + 1);
  }

  /** Adds to a day's spending. Part of the caller's transaction. */
  add(amount: bigint, now: number): void {
    if (amount === 0n) return;
    const spent = (this.of(now) + amount).toString();
    this.#sql.exec("INSERT OR REPLACE INTO spending (day, spent) VALUES (?, ?)", dayOf(now), spent);
    this.#sql.exec("DELETE FROM spending WHERE day <= ?", dayOf(now) - DAYS);
  }
}
