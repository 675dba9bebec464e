import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { TrieShape } from "../../devchain/state/trie.ts";
import { bucketOf } from "../../src/chain/expected/allowlist.ts";
import { copiesLayout, headerBytes, idsBytes, pageBytes } from "../../src/chain/expected/records.ts";
import { depthAmong, nodesAmong, wayToDigest } from "../../src/chain/expected/trie.ts";
import { varintBytes } from "../../src/domain/promised-bytes.ts";

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

describe("nodes of the trie", () => {
  const key = fc.stringMatching(/^[0-9a-f]{8}$/);
  const few = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 60 });
  const near = few.map((numbers) => numbers.map((number) => number.toString(16).padStart(8, "0")));

  it("on the way to a key are those that the chain's own trie has", () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(key, { maxLength: 60 }), near), key, (others, other) => {
        const trie = new TrieShape();
        const raw = (hex: string) => Buffer.from(hex, "hex").toString("latin1");
        const all = [...new Set(others)];
        for (const one of all) trie.add(raw(one));
        for (const one of [other, ...all]) expect(nodesAmong(one, all)).toBe(trie.touchedNodes(raw(one)));
      }),
    );
  });

  it("on the way to digests are as many as expected, on average", () => {
    const digests = (count: number) =>
      Array.from({ length: count }, (_, place) =>
        createHash("sha256").update(`${count} ${place}`).digest("hex"),
      );
    const mean = (ways: readonly number[]) => ways.reduce((sum, way) => sum + way, 0) / ways.length;
    for (const count of [2, 10, 100, 1_000]) {
      const [all, more] = [digests(count), digests(200 + count).slice(count)];
      // One more than among the digests themselves: they have their first byte in common.
      const place = { depth: -1 };
      const there = mean(all.slice(0, 200).map((one) => nodesAmong(one, all)));
      const fresh = mean(more.map((one) => nodesAmong(one, all)));
      expect(Math.abs(there - wayToDigest(place, count, true))).toBeLessThan(1);
      expect(Math.abs(fresh - wayToDigest(place, count, false))).toBeLessThan(1);
    }
  });

  it("to a contract grow with the service's contracts, two for each digit that they share", () => {
    expect([1, 2].map((contracts) => Math.round(depthAmong(contracts, false)))).toEqual([5, 7]);
    expect(depthAmong(10_000, false)).toBeLessThan(5 + 2 * 5);
    expect(depthAmong(2, true)).toBeGreaterThan(depthAmong(2, false));
  });
});

describe("records", () => {
  test("have numbers of as many bytes as LEB128 has", () => {
    const widths = [0, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152].map(varintBytes);
    expect(widths).toEqual([1, 1, 2, 2, 3, 3, 4]);
  });

  test("have the remaining copies in the header up to 1,536 bytes, else on 2 to 16 pages that are alike", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500_000 }),
        fc.integer({ min: 1, max: 70_000 }),
        (assets, copies) => {
          const { pages, bytes } = copiesLayout(assets, copies);
          if (pages === 0) expect(bytes).toBeLessThanOrEqual(1_536);
          else expect(pages).toBeGreaterThan(1);
          expect(pages).toBeLessThanOrEqual(16);
          expect(Math.max(pages, 1) * bytes * 8).toBeGreaterThanOrEqual(assets);
          expect(headerBytes(assets, copies)).toBeLessThan(1_600);
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
