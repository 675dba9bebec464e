import fc from "fast-check";
import { expect, test } from "vitest";
import { FILL_MARKS, fillMark } from "../../src/operator/jobs/operator-watch.ts";

const LIMIT = 10_000_000_000;

test("a threshold is reached exactly at its percentage of the limit", () => {
  for (const mark of FILL_MARKS) {
    const bytes = (LIMIT / 100) * mark;
    expect(fillMark(bytes, LIMIT)).toBe(mark);
    expect(fillMark(bytes - 1, LIMIT)).toBeLessThan(mark);
  }
});

test("the threshold never falls with more bytes", () => {
  const size = fc.nat({ max: 2 * LIMIT });
  fc.assert(
    fc.property(size, size, fc.integer({ min: 1, max: LIMIT }), (one, other, limit) => {
      const [less, more] = one < other ? [one, other] : [other, one];
      expect(fillMark(less, limit)).toBeLessThanOrEqual(fillMark(more, limit));
      expect(fillMark(one, limit) * limit).toBeLessThanOrEqual(one * 100);
    }),
  );
});
