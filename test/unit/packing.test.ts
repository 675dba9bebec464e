import fc from "fast-check";
import { expect, test } from "vitest";
import { packed, TRANSACTION_LIMITS } from "../../src/domain/packing.ts";

const T = 10n ** 12n;
const items = fc.array(
  fc.record({ gas: fc.bigInt({ min: T, max: 400n * T }), bytes: fc.integer({ min: 1, max: 2_000_000 }) }),
  { maxLength: 400 },
);

test("a group is full when its actions, its gas or its bytes are, and not before", () => {
  const of = (count: number, gas: bigint, bytes: number) =>
    packed(Array.from({ length: count }, () => ({ gas, bytes })));
  expect(of(100, 1n, 1)).toEqual([100]);
  expect(of(101, 1n, 1)).toEqual([100, 1]);
  expect(of(4, 100n * T, 1)).toEqual([3, 1]);
  expect(of(4, 1n, 700_000)).toEqual([2, 2]);
  expect(of(0, 1n, 1)).toEqual([]);
});

test("groups contain all items in order, within the limits, and no group has room for the next item", () => {
  fc.assert(
    fc.property(items, (all) => {
      const groups = packed(all);
      expect(groups.reduce((sum, count) => sum + count, 0)).toBe(all.length);
      let at = 0;
      for (const count of groups) {
        const fits = (part: typeof all) =>
          part.length <= TRANSACTION_LIMITS.actions &&
          part.reduce((sum, { gas }) => sum + gas, 0n) <= TRANSACTION_LIMITS.gas &&
          part.reduce((sum, { bytes }) => sum + bytes, 0) <= TRANSACTION_LIMITS.bytes;
        const group = all.slice(at, at + count);
        expect(group.length > 0 && (group.length === 1 || fits(group))).toBe(true);
        at += count;
        if (at < all.length) expect(fits(all.slice(at - count, at + 1))).toBe(false);
      }
    }),
  );
});
