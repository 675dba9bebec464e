import fc from "fast-check";
import { expect, test } from "vitest";
import { raiseFor } from "../../src/wallet/quota-ahead.ts";

/** What the contract allows a day by itself. */
const QUOTA = 1_000;

test("orders in any parts raise the quota at least 500 tokens before they reach it, and never by much more", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 300 }), (orders) => {
      let [ordered, allowed] = [0, QUOTA];
      for (const tokens of orders) {
        allowed += raiseFor(ordered, tokens);
        ordered += tokens;
        expect(allowed - ordered).toBeGreaterThan(QUOTA / 2 - 1);
        expect(allowed - ordered).toBeLessThanOrEqual(2 * QUOTA);
      }
    }),
  );
});
