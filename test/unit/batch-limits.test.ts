import { expect, test } from "vitest";
import {
  batchStorage,
  collectionStorage,
  firstMintsStorage,
  fitsTransaction,
} from "../../src/domain/batch-limits.ts";

test("a batch fits a transaction by its bytes, and by the gas of its bytes, assets and subtitles", () => {
  const fits = (bytes: number, assets: number, distinctSubtitles: number) =>
    fitsTransaction({ bytes, assets, distinctSubtitles });
  expect([fits(1_400_000, 1, 1), fits(1_400_001, 1, 1)]).toEqual([true, false]);
  // 240 Tgas: 60 million a byte, and 4 billion each asset and each subtitle.
  expect([fits(1_000_000, 45_000, 0), fits(1_000_000, 45_001, 0)]).toEqual([true, false]);
  expect([fits(1_000_000, 22_500, 22_500), fits(1_000_000, 22_500, 22_501)]).toEqual([true, false]);
});

test("storage is counted for what a batch brings, for its assets' copies, and for the first tokens", () => {
  const batch = (bytes: number, assets: number) => batchStorage({ bytes, assets, distinctSubtitles: 0 });
  expect([batch(1_000, 0), batch(1_001, 0) - batch(1_000, 0), batch(0, 3) - batch(0, 2)]).toEqual([
    1_600, 1, 5,
  ]);
  expect(collectionStorage(1_000)).toBe(3_500);
  expect([1, 200, 201, 10_000].map(firstMintsStorage)).toEqual([270, 54_000, 54_000, 54_000]);
});
