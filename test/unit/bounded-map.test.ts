import fc from "fast-check";
import { expect, test } from "vitest";
import { setBounded } from "../../src/domain/bounded-map.ts";

test("a bounded map keeps the newest keys, each with its last value", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(8)), (capacity, keys) => {
      const map = new Map<number, number>();
      // What it should have, the oldest first.
      let expected: (readonly [number, number])[] = [];
      keys.forEach((key, value) => {
        setBounded(map, capacity, key, value);
        const isKnown = expected.some(([known]) => known === key);
        expected = isKnown
          ? expected.map((entry) => (entry[0] === key ? [key, value] : entry))
          : [...expected, [key, value] as const].slice(-capacity);
      });
      expect([...map]).toEqual(expected);
    }),
  );
});
