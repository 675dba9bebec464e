import fc from "fast-check";
import { expect, it } from "vitest";
import { CallBudget, type Payer } from "../../src/http/node-calls.ts";

const PERIOD = 1_000;
const MOST: Readonly<Record<string, number>> = { a: 3, b: 5, all: 7 };
const payersOf = (names: readonly string[]): Payer[] => names.map((name) => ({ name, most: MOST[name]! }));

const calls = fc.array(
  fc.record({
    after: fc.integer({ min: 0, max: 600 }),
    names: fc.subarray(Object.keys(MOST), { minLength: 1 }),
  }),
  { maxLength: 80 },
);

it("lets a call pass exactly where each payer has one left, and counts a refused one against nobody", () => {
  fc.assert(
    fc.property(calls, (asked) => {
      const budget = new CallBudget(PERIOD);
      const passed: { at: number; names: readonly string[] }[] = [];
      let now = 0;
      const usedBy = (name: string, at: number) =>
        passed.filter((call) => call.names.includes(name) && call.at > at - PERIOD).length;
      for (const { after, names } of asked) {
        now += after;
        const fits = names.every((name) => usedBy(name, now) < MOST[name]!);
        expect(budget.take(payersOf(names), now)).toBe(fits);
        if (fits) passed.push({ at: now, names });
        else expect(budget.freeAfter(payersOf(names), now)).toBeGreaterThan(0);
      }
    }),
  );
});

it("says when a call passes again", () => {
  fc.assert(
    fc.property(calls, fc.subarray(Object.keys(MOST), { minLength: 1 }), (asked, names) => {
      const budget = new CallBudget(PERIOD);
      let now = 0;
      for (const call of asked) {
        now += call.after;
        budget.take(payersOf(call.names), now);
      }
      const wait = budget.freeAfter(payersOf(names), now);
      expect(wait).toBeLessThanOrEqual(PERIOD);
      expect(budget.take(payersOf(names), now + wait)).toBe(true);
    }),
  );
});
