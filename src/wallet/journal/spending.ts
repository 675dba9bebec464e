import { gte, lte } from "drizzle-orm";
import { type Cost, maxSpent } from "../../chain/cost.ts";
import type { Reserved } from "../chain-state/funds.ts";
import { JournalPart } from "./database.ts";
import type { IntentEnding } from "./intents.ts";
import type { Move } from "./machine.ts";
import { spending } from "./schema.ts";

const DAY_MS = 24 * 3_600_000;

/** Number of the day (UTC) since the Unix epoch. */
const dayOf = (now: number): number => Math.floor(now / DAY_MS);

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
export class SpendingJournal extends JournalPart {
  readonly #since = this.rows((day: number) => this.db.select().from(spending).where(gte(spending.day, day)));
  readonly #set = this.run((day: number, spent: bigint) =>
    this.db
      .insert(spending)
      .values({ day, spent })
      .onConflictDoUpdate({ target: spending.day, set: { spent } }),
  );
  readonly #forget = this.run((day: number) => this.db.delete(spending).where(lte(spending.day, day)));

  /** Amount spent on the day of a time, yoctoNEAR. */
  of(now: number): bigint {
    return this.#since(dayOf(now)).find(({ day }) => day === dayOf(now))?.spent ?? 0n;
  }

  /** Mean spending per day over the last seven days, or since the first of them with spending. */
  perDay(now: number): bigint {
    const days = this.#since(dayOf(now) - DAYS + 1);
    if (days.length === 0) return 0n;
    const first = Math.min(...days.map(({ day }) => day));
    return days.reduce((total, { spent }) => total + spent, 0n) / BigInt(dayOf(now) - first + 1);
  }

  /** Adds to a day's spending. Part of the caller's transaction. */
  add(amount: bigint, now: number): void {
    if (amount === 0n) return;
    this.#set(dayOf(now), this.of(now) + amount);
    this.#forget(dayOf(now) - DAYS);
  }
}
