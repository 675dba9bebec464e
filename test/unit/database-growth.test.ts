import fc from "fast-check";
import { expect, test } from "vitest";
import { fullAt, type SizeSample, withSample } from "../../src/domain/database-growth.ts";

const HOUR = 3_600_000;
const LIMIT = 10_000_000_000;

test("a database that grows evenly is predicted to be full when that growth reaches the limit", () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000_000 }),
      fc.integer({ min: 24, max: 10_000 }),
      fc.nat(1_000_000_000),
      (hourly, hours, size) => {
        let samples: readonly SizeSample[] = [];
        for (let at = 0; at <= hours; at += 1) samples = withSample(samples, [at * HOUR, size + at * hourly]);
        const now = [hours * HOUR, size + hours * hourly] as const;
        const full = fullAt(samples, now, LIMIT)!;
        if (now[1] >= LIMIT) expect(full).toBe(now[0]);
        else expect(full / HOUR).toBeCloseTo((LIMIT - size) / hourly, 3);
        expect(samples.length).toBeLessThanOrEqual(120);
      },
    ),
    { numRuns: 20 },
  ));

test("a database that doesn't grow, or has no history, has no predicted end", () => {
  expect(fullAt([], [0, 5], LIMIT)).toBeNull();
  expect(fullAt([[0, 5]], [23 * HOUR, 500], LIMIT)).toBeNull();
  expect(fullAt([[0, 5]], [48 * HOUR, 5], LIMIT)).toBeNull();
  expect(fullAt([[0, 5]], [48 * HOUR, 4], LIMIT)).toBeNull();
});

test("a size is kept every six hours, for a month, and a day of them suffices for a prediction", () => {
  const start = 1_000 * HOUR;
  const first: SizeSample = [start, 5];
  expect(withSample([], first)).toEqual([first]);
  expect(withSample([first], [start + 6 * HOUR - 1, 6])).toEqual([first]);
  expect(withSample([first], [start + 6 * HOUR, 6])).toEqual([first, [start + 6 * HOUR, 6]]);
  const month = Array.from({ length: 120 }, (_, index): SizeSample => [index * 6 * HOUR, index]);
  const next: SizeSample = [120 * 6 * HOUR, 120];
  expect(withSample(month, next)).toEqual([...month.slice(1), next]);
  expect(fullAt([first], [start + 24 * HOUR, 15], 25)).toBe(start + 48 * HOUR);
  expect(fullAt([first], [start + 24 * HOUR - 1, 15], 25)).toBeNull();
});
