import fc from "fast-check";
import { expect, test } from "vitest";
import { RequestWindow } from "../../src/http/request-counter.ts";

const PERIOD = 1_000;

/** Times at which requests are asked for, in milliseconds since the previous one. */
const arrivals = fc.array(
  fc.record({ after: fc.integer({ min: 0, max: 700 }), count: fc.integer({ min: 0, max: 30 }) }),
  {
    maxLength: 60,
  },
);

interface Made {
  readonly at: number;
  readonly count: number;
}

const madeWithin = (made: readonly Made[], from: number, to: number): number =>
  made.filter(({ at }) => at > from && at <= to).reduce((sum, { count }) => sum + count, 0);

test("no period has more requests than the limit, and no request is refused that would fit", () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 100 }), (asked, limit) => {
      const window = new RequestWindow(PERIOD);
      const made: Made[] = [];
      let now = 5_000;
      for (const { after, count } of asked) {
        now += after;
        const left = limit - window.used(now);
        expect(left).toBe(limit - madeWithin(made, now - PERIOD, now));
        const granted = Math.min(count, left);
        window.add(granted, now);
        if (granted > 0) made.push({ at: now, count: granted });
        expect(madeWithin(made, now - PERIOD, now)).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

test("a request is accepted again exactly at the reported time", () => {
  fc.assert(
    fc.property(arrivals, (asked) => {
      const window = new RequestWindow(PERIOD);
      let now = 5_000;
      for (const { after, count } of asked) {
        now += after;
        window.add(count, now);
      }
      const used = window.used(now);
      const freeAfter = window.freeAfter(now);
      if (used === 0) {
        expect(freeAfter).toBe(0);
        return;
      }
      expect(freeAfter).toBeGreaterThan(0);
      expect(window.used(now + freeAfter - 1)).toBe(used);
      expect(window.used(now + freeAfter)).toBeLessThan(used);
    }),
  );
});

test("a returned request doesn't count, and can be returned once only", () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 0, max: 40 }), (asked, back) => {
      const window = new RequestWindow(PERIOD);
      const counted: Made[] = [];
      let now = 5_000;
      for (const { after, count } of asked) {
        now += after;
        counted.push({ at: window.add(count, now), count });
      }
      const before = window.used(now);
      const first = counted[0];
      if (!first) return;
      const there = madeWithin(
        counted.filter(({ at }) => at === first.at),
        now - PERIOD,
        now,
      );
      window.giveBack(back, first.at, now);
      expect(window.used(now)).toBe(before - Math.min(back, there));
      window.giveBack(1_000, first.at, now);
      window.giveBack(1_000, first.at, now);
      expect(window.used(now)).toBe(before - there);
      expect(window.used(now + PERIOD)).toBe(0);
    }),
  );
});

test("a clock that goes back changes no count", () => {
  const window = new RequestWindow(PERIOD);
  window.add(3, 2_000);
  window.add(2, 1_000);
  expect(window.used(500)).toBe(5);
  expect(window.freeAfter(500)).toBe(PERIOD);
  expect(window.used(3_000)).toBe(0);
});
