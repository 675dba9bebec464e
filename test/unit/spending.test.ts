import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../src/domain/json-text.ts";
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

describe("canonical JSON", () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, field]) => [name, shuffled(field)]),
    );
  };

  test("is equal for equal values, and is parsed to the value itself", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  test("follows RFC 8785", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "1": "One",
      "\u0080": "Control",
      literals: [null, true],
    };
    expect(canonicalJson(value)).toBe(
      '{"\\r":"Carriage Return","1":"One","literals":[null,true],"\u0080":"Control","\u20ac":"Euro Sign"}',
    );
  });
});
