import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maxSpent } from "../../src/chain/cost.ts";
import { nextDayAfter, SpendingJournal, spentBy, withinDay } from "../../src/wallet/journal/spending.ts";

const amount = fc.bigInt({ min: 0n, max: 10n ** 27n });
const cost = fc.record({ certain: amount, gas: amount, ahead: amount });
const reserved = fc
  .record({ certain: amount, gas: amount, open: amount })
  .map(({ certain, gas, open }) => ({ certain, queued: certain + gas, open }));

/** The outcome of a transaction that burnt so much. */
const burning = (burnt: bigint) => ({ result: { tokens_burnt: burnt.toString() } as never });

describe("a day's limit", () => {
  test("rejects everything that could exceed it, however reservations end", () => {
    fc.assert(
      fc.property(amount, amount, reserved, cost, (limit, spent, promised, wanted) => {
        const within = withinDay(limit, spent, promised, wanted);
        const most = spent + promised.queued + promised.open + maxSpent(wanted);
        expect(within === "enough").toBe(most <= limit);
        // It alone wouldn't fit: no time helps today.
        if (spent + maxSpent(wanted) > limit) expect(within).toBe("above");
      }),
    );
  });

  test("doesn't count gas purchased in advance, because it is refunded", () => {
    const wanted = { certain: 1n, gas: 2n, ahead: 1_000n };
    expect(withinDay(3n, 0n, { queued: 0n, certain: 0n, open: 0n }, wanted)).toBe("enough");
  });

  test("ends at midnight UTC, in whole seconds", () => {
    expect(nextDayAfter(Date.UTC(2026, 10, 22))).toBe(86_400);
    expect(nextDayAfter(Date.UTC(2026, 10, 22, 23, 59, 59, 1))).toBe(1);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (now) => {
        const seconds = nextDayAfter(now);
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(86_400);
        const then = new Date(now + seconds * 1_000);
        expect(then.getUTCDate()).not.toBe(new Date(now).getUTCDate());
      }),
    );
  });
});

describe("the mean spending per day", () => {
  const DAY = 86_400_000;
  const today = Date.UTC(2026, 10, 22, 9);
  const spending = (...amounts: readonly (readonly [days: number, amount: bigint])[]) => {
    const database = new DatabaseSync(":memory:");
    const exec = (text: string, ...values: SQLInputValue[]) => {
      const rows = database.prepare(text).all(...values);
      return { toArray: () => rows };
    };
    exec("CREATE TABLE spending (day INTEGER PRIMARY KEY, spent TEXT NOT NULL)");
    const journal = new SpendingJournal({ exec } as unknown as SqlStorage);
    for (const [days, amount] of amounts) journal.add(amount, today + days * DAY);
    return journal.perDay(today);
  };

  test("covers the last seven days, or those since the first with spending", () => {
    expect(spending()).toBe(0n);
    expect(spending([0, 7n])).toBe(7n);
    expect(spending([-1, 6n], [0, 2n])).toBe(4n);
    expect(spending([-6, 7n], [0, 7n])).toBe(2n);
    expect(spending([-7, 7n])).toBe(0n);
  });

  test("leaves out days after today, which a clock that was ahead has left", () => {
    expect(spending([1, 7n])).toBe(0n);
    expect(spending([0, 3n], [2, 9n])).toBe(3n);
  });
});

describe("the amount a transaction has spent", () => {
  test("is the burnt tokens plus moved deposits", () => {
    const paid = { certain: 5n, gas: 100n, ahead: 7n };
    expect(spentBy("succeed", paid, burning(3n))).toBe(8n);
    expect(spentBy("fail", paid, burning(3n))).toBe(3n);
    expect(spentBy("refuse", paid, { result: null })).toBe(0n);
    expect(spentBy("lose", paid, { result: null })).toBe(0n);
  });

  test("is its maximum if its outcome can't be proven", () => {
    expect(spentBy("give_up", { certain: 5n, gas: 100n, ahead: 7n }, { result: null })).toBe(105n);
  });
});
