import { expect, test } from "vitest";
import { hasBars, type MintFigures, missedBars } from "../../testing/mint-bars.ts";

/** Figures that just meet every bar. */
const MET: MintFigures = {
  c100: { ok: 100 },
  c100_p95_of_plain: 1.4,
  sustained_tps: 300,
  cpu_ms_per_mint: 3,
  object_calls_per_mint: 1.05,
  d1_calls_per_mint: 0.05,
  d1_trips_per_mint: 0.03,
  tgas_per_token: 0.6,
  calls_per_mint: 0.4,
  overhead_p50_ms: 350,
};

test("a benchmark run that reaches every target misses none", () => {
  expect(missedBars(MET)).toEqual([]);
});

test("a slower machine is enough where a mint takes little of it", () => {
  expect(missedBars({ ...MET, sustained_tps: 200, cpu_ms_per_mint: 2.5 })).toEqual([]);
});

test.each<[Partial<MintFigures>, RegExp]>([
  [{ c100: { ok: 99 } }, /^99 of 100 /],
  [{ c100_p95_of_plain: 1.41 }, / 1\.41 times /],
  [{ sustained_tps: 299.9 }, / 299\.9 mints\/s/],
  [{ object_calls_per_mint: 1.06 }, / 1\.06 calls of an object/],
  [{ d1_calls_per_mint: 0.06 }, / 0\.06 calls of D1,/],
  [{ d1_trips_per_mint: 0.04 }, / 0\.04 calls of D1 that /],
  [{ tgas_per_token: 0.601 }, / 0\.601 Tgas/],
  [{ calls_per_mint: 0.41 }, / 0\.41 calls /],
  [{ overhead_p50_ms: 351 }, / 351 ms /],
  // Nothing was minted in the sustained run.
  [{ calls_per_mint: Number.NaN }, / NaN calls /],
])("%j misses one target, which is named", (figures, line) => {
  expect(missedBars({ ...MET, ...figures })).toEqual([expect.stringMatching(line)]);
});

test("the targets apply only to a run with no option but --json", () => {
  const plain = { latency_ms: 100, lane_depth: 1, storage: "memory", isEmbedded: true } as const;
  expect(hasBars(plain)).toBe(true);
  for (const other of [
    { latency_ms: 0 },
    { lane_depth: 2 },
    { storage: "disk" },
    { isEmbedded: false },
  ] as const)
    expect(hasBars({ ...plain, ...other })).toBe(false);
});
