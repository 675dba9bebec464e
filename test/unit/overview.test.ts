import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contractRunway, daysOf, seriesUpTo, slotsOf, whatToDo } from "../../src/domain/overview.ts";

const HOUR = 3_600_000;

describe("a series of slots", () => {
  test("ends with the one that now is in, without gaps", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1e12, max: 4e12 }),
        fc.integer({ min: 1_000, max: 1e8 }),
        fc.integer({ min: 1, max: 50 }),
        (now, width, count) => {
          const slots = slotsOf(seriesUpTo(now, width, count), []);
          const froms = slots.map(({ from }) => Date.parse(from));
          expect(slots).toHaveLength(count);
          expect(froms.at(-1)).toBeLessThanOrEqual(now);
          expect(froms.at(-1)! + width).toBeGreaterThan(now);
          for (const [index, from] of froms.entries()) expect(from).toBe(froms[0]! + index * width);
        },
      ),
    );
  });

  test("has what was counted in its place, and the mean of those that succeeded", () => {
    const series = seriesUpTo(Date.UTC(2026, 10, 22, 12, 30), HOUR, 2);
    const counted = { slot: 1, accepted: 4, succeeded: 2, failed: 1, took: 5_100 };
    expect(slotsOf(series, [counted])).toEqual([
      { from: "2026-11-22T11:00:00.000Z", accepted: 0, succeeded: 0, failed: 0, seconds: null },
      { from: "2026-11-22T12:00:00.000Z", accepted: 4, succeeded: 2, failed: 1, seconds: 2.6 },
    ]);
  });
});

describe("a runway", () => {
  test("is how long it lasts at the same pace, to a tenth of a day", () => {
    expect(daysOf("100", 8n)).toBe(12.5);
    expect(daysOf("0", 8n)).toBe(0);
    expect(daysOf("100", 0n)).toBeNull();
    expect(contractRunway(String(270n * 10n ** 19n * 30n), 10)).toBe(3);
    expect(contractRunway("5", 0)).toBeNull();
  });
});

test("each state of what is stuck has its own advice, with a command where there is one", () => {
  const advice = ["unknown", "wallet_inactive", "behind", "open"].map((state) => whatToDo(state, "the-uuid"));
  expect(new Set(advice).size).toBe(4);
  expect(advice[0]).toContain("operation settle the-uuid");
  expect(advice[2]).toContain("database recover");
});
