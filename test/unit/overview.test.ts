import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  contractRunway,
  daysOf,
  SLOT_MS,
  seriesUpTo,
  slotAt,
  spansOf,
  whatToDo,
} from "../../src/domain/overview.ts";

describe("a series of spans", () => {
  test("ends with the one that now is in, without gaps", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1e12, max: 4e12 }),
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 50 }),
        (now, width, count) => {
          const spans = spansOf(seriesUpTo(now, width, count), []);
          const froms = spans.map(({ from }) => Date.parse(from));
          expect(spans).toHaveLength(count);
          expect(froms.at(-1)).toBeLessThanOrEqual(now);
          expect(froms.at(-1)! + width * SLOT_MS).toBeGreaterThan(now);
          for (const [index, from] of froms.entries()) expect(from).toBe(froms[0]! + index * width * SLOT_MS);
        },
      ),
    );
  });

  test("has what was counted in its place, in however many parts, and the mean of those that succeeded", () => {
    const series = seriesUpTo(Date.UTC(2026, 10, 22, 12, 30), 12, 2);
    const at = (hours: number, minutes: number) => slotAt(Date.UTC(2026, 10, 22, hours, minutes));
    const counts = [
      { slot: at(10, 59), accepted: 7, succeeded: 7, failed: 0, took: 7 },
      { slot: at(12, 0), accepted: 3, succeeded: 1, failed: 1, took: 2_000 },
      { slot: at(12, 29), accepted: 1, succeeded: 0, failed: 0, took: 0 },
      { slot: at(12, 0), accepted: 0, succeeded: 1, failed: 0, took: 3_100 },
    ];
    expect(spansOf(series, counts)).toEqual([
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
