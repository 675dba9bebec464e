import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bucketOf,
  DURATION_BOUNDS,
  dayOf,
  percentile,
  startOfDay,
} from "../../src/domain/operation-counts.ts";

const times = fc.array(fc.integer({ min: 0, max: 4_000_000 }), { minLength: 1, maxLength: 60 });
const share = fc.double({ min: 0.01, max: 1, noNaN: true });
const histogramOf = (milliseconds: readonly number[]) =>
  milliseconds.map((time) => ({ bucket: bucketOf(time), count: 1 }));

describe("a percentile of counted times", () => {
  test("lies in the bucket of the exact percentile", () => {
    fc.assert(
      fc.property(times, share, (taken, part) => {
        const exact = taken.toSorted((one, other) => one - other)[Math.ceil(part * taken.length) - 1]!;
        const bucket = bucketOf(exact);
        const found = percentile(histogramOf(taken), part)!;
        // To a tenth of a second, and at most the last bound.
        expect(found).toBeGreaterThanOrEqual((DURATION_BOUNDS[bucket - 1] ?? 0) - 0.05);
        expect(found).toBeLessThanOrEqual(Math.min(DURATION_BOUNDS[bucket]!, 3_600) + 0.05);
      }),
    );
  });

  test("is independent of how counts are split and sorted, and never smaller for a larger percentage", () => {
    fc.assert(
      fc.property(times, share, share, (taken, one, other) => {
        const split = histogramOf(taken);
        const whole = [...Map.groupBy(split, ({ bucket }) => bucket)].map(([bucket, { length: count }]) => ({
          bucket,
          count,
        }));
        expect(percentile(split.toReversed(), one)).toBeCloseTo(percentile(whole, one)!, 1);
        const [less, more] = one < other ? [one, other] : [other, one];
        expect(percentile(whole, less)!).toBeLessThanOrEqual(percentile(whole, more)!);
      }),
    );
  });

  test("is null if nothing was counted", () => {
    expect(percentile([], 0.5)).toBeNull();
    expect(percentile([{ bucket: 3, count: 0 }], 0.5)).toBeNull();
  });
});

test("a duration is counted in the first bucket that includes it", () => {
  expect([-5, 0, 500, 501, 25_000, 3_600_001].map(bucketOf)).toEqual([0, 0, 0, 1, 12, 16]);
});

test("a day begins at its start and ends before the next day's start", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (time) => {
      const day = dayOf(new Date(time));
      expect(startOfDay(day).getTime()).toBeLessThanOrEqual(time);
      expect(startOfDay(day + 1).getTime()).toBeGreaterThan(time);
    }),
  );
});
