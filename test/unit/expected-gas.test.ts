import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { bucketOf } from "../../src/chain/expected/allowlist.ts";
import { copiesLayout, headerBytes, idsBytes, pageBytes, varint } from "../../src/chain/expected/records.ts";

/** What expectations of gas are made of. How near they come, test/api/quote-limits.test.ts shows. */

describe("the buckets of an allowlist", () => {
  const account = fc.stringMatching(/^[a-z]{2,30}\.near$/);

  it("grow one at a time: an account stays where it is, or comes into the new one", () => {
    fc.assert(
      fc.property(account, fc.integer({ min: 1, max: 2_000 }), (name, buckets) => {
        const [before, after] = [bucketOf(name, buckets), bucketOf(name, buckets + 1)];
        expect(before).toBeLessThan(buckets);
        if (after !== before) expect(after).toBe(buckets);
      }),
    );
  });
});

describe("records", () => {
  test("have numbers of as many bytes as LEB128 has", () => {
    const widths = [0, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152].map(varint);
    expect(widths).toEqual([1, 1, 2, 2, 3, 3, 4]);
  });

  test("have the remaining copies in the header up to 1,536 bytes, else on 2 to 16 pages that are alike", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500_000 }),
        fc.integer({ min: 1, max: 70_000 }),
        (assets, copies) => {
          const { pages, bytes } = copiesLayout({ assets, total: assets * copies });
          if (pages === 0) expect(bytes).toBeLessThanOrEqual(1_536);
          else expect(pages).toBeGreaterThan(1);
          expect(pages).toBeLessThanOrEqual(16);
          expect(Math.max(pages, 1) * bytes * 8).toBeGreaterThanOrEqual(assets);
          expect(headerBytes({ assets, total: assets * copies })).toBeLessThan(1_600);
        },
      ),
    );
  });

  test("name each owner of a page once, and a time where it changes", () => {
    const slot = (owner: string, at: string) => ({ owner, at });
    const one = pageBytes([slot("alice.near", "1")], 12);
    expect(pageBytes([slot("alice.near", "1"), slot("alice.near", "1")], 12) - one).toBe(4);
    expect(pageBytes([slot("alice.near", "1"), slot("alice.near", "2")], 12) - one).toBe(8);
    expect(pageBytes([slot("alice.near", "1"), slot("bob.near", "1")], 12) - one).toBe(4 + 9);
    expect(pageBytes([slot("a".repeat(64), "1")], 1)).toBe(6 + 33 + 4 + 3);
    expect(pageBytes([], 12)).toBe(0);
  });

  test("are told of with ids as JSON has them", () => {
    expect(idsBytes(7, 9, 3)).toBe(JSON.stringify(["7:9", "7:10", "7:11"]).length);
  });
});
