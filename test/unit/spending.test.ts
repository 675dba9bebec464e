import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tooDear } from "../../src/domain/spending.ts";
import { sharesOf } from "../../src/wallet/journal/costs.ts";

describe("the cost of a shared transaction", () => {
  test("is split without a remainder, in equal shares for each token to a few yoctoNEAR", () => {
    const tokens = fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), tokens, (taken, counts) => {
        const shares = sharesOf(taken, counts);
        expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(taken);
        const all = BigInt(counts.reduce((sum, count) => sum + count, 0));
        for (const [place, share] of shares.entries()) {
          const exact = (taken * BigInt(counts[place]!)) / all;
          expect(share - exact).toBeGreaterThanOrEqual(0n);
          expect(share - exact).toBeLessThan(BigInt(counts.length));
        }
      }),
    );
  });
});

test("a write that became too dear says what to allow, and what was allowed", () => {
  expect(tooDear({ needed: 12n, most: "11" })).toMatch(/at least 12 .*limit is 11\./);
});
