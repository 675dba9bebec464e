import { sha256 } from "@noble/hashes/sha2.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { batchSizes, commitmentsTo, orderOf, saltOf } from "../../src/domain/hidden-order.ts";
import { toHex } from "../../src/domain/ids.ts";

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });

test("a secret order has each asset once, and is the same for the same seed", () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 0, max: 300 }), (seed, assets) => {
      const order = orderOf(seed, assets);
      expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: assets }, (_, index) => index));
      expect(orderOf(seed, assets)).toEqual(order);
    }),
  );
});

test("every asset is equally likely at every place", () => {
  const places = Array.from({ length: 5 }, () => Array<number>(5).fill(0));
  const rounds = 5_000;
  for (let round = 0; round < rounds; round++) {
    const seed = sha256(new TextEncoder().encode(`round ${round}`));
    for (const [place, index] of orderOf(seed, 5).entries()) places[place]![index]! += 1;
  }
  // Five standard deviations of a binomial distribution.
  const spread = 5 * Math.sqrt(rounds * 0.2 * 0.8);
  for (const count of places.flat()) expect(Math.abs(count - rounds / 5)).toBeLessThan(spread);
});

test("orders, salts and batches are still those that collections on the chain are committed to", () => {
  const seed = new Uint8Array(32).fill(7);
  expect(orderOf(seed, 12)).toEqual([2, 11, 0, 10, 9, 4, 3, 8, 6, 5, 1, 7]);
  expect(toHex(saltOf(seed))).toBe("db64ee4625d17e13d6adf9d81195f471b15481c28fa703999e7dd2d218e5de02");
  expect(batchSizes(0)).toEqual([]);
  expect(batchSizes(3)).toEqual([1, 1, 1]);
  expect(batchSizes(250)).toEqual([...Array<number>(83).fill(3), 1]);
});

test("batches have at most a hundred assets, equal sizes but for the last, and together all assets", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (assets) => {
      const sizes = batchSizes(assets);
      expect(sizes.length).toBeLessThanOrEqual(100);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(assets);
      expect(new Set(sizes.slice(0, -1)).size).toBeLessThanOrEqual(1);
      expect(sizes.at(-1)).toBeGreaterThan(0);
      expect(sizes.at(-1)).toBeLessThanOrEqual(sizes[0]!);
    }),
  );
});

test("each commitment includes its batch, its salt and the next commitment", () => {
  fc.assert(
    fc.property(fc.array(seeds, { minLength: 1, maxLength: 20 }), seeds, (batches, salt) => {
      const commitments = commitmentsTo(batches, salt);
      expect(commitments.at(-1)).toEqual(salt);
      for (const [at, batch] of batches.entries())
        expect(commitments[at]).toEqual(sha256(Uint8Array.from([...batch, ...commitments[at + 1]!])));
    }),
  );
});
