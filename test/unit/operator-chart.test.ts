import fc from "fast-check";
import { expect, test } from "vitest";
import { axisEnd } from "../../src/operator/chart.tsx";

test("a chart's axis ends at or above its highest value, after four round steps of at least 1", () => {
  expect([0, 1, 4, 5, 9, 41, 410].map(axisEnd)).toEqual([4, 4, 4, 8, 20, 80, 800]);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (most) => {
      const end = axisEnd(most);
      expect(end).toBeGreaterThanOrEqual(most);
      expect([1, 2, 5]).toContain(Number((end / 4).toExponential().split("e")[0]));
      expect(end).toBeLessThanOrEqual(Math.max(most, 4) * 2.5);
    }),
  );
});
