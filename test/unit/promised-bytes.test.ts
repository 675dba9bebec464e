import { expect, test } from "vitest";
import { BYTE_PRICE, promisedBytes, TOKEN_BYTES } from "../../src/domain/promised-bytes.ts";

const of = (assets: number, total = 1, collection_id = 1) => promisedBytes({ collection_id, assets, total });

test("100 kB of storage cost a NEAR", () => {
  expect(BYTE_PRICE * 100_000n).toBe(10n ** 24n);
});

test("a token takes more where its asset's index or a number does", () => {
  // No index for the only asset; then one, two or four bytes.
  expect([1, 2, 256, 257, 65_536, 65_537].map((assets) => of(assets) - of(1))).toEqual([0, 1, 1, 2, 2, 4]);
  expect([1, 127, 128, 16_383, 16_384, 4_294_967_295].map((total) => of(1, total) - of(1))).toEqual([
    0, 0, 1, 1, 2, 4,
  ]);
  expect(of(1, 1, 128)).toBe(of(1, 128));
});

test("no token takes more than what every mint fee pays for", () => {
  expect(of(4_294_967_295, 4_294_967_295, 4_294_967_295)).toBeLessThanOrEqual(TOKEN_BYTES);
});
