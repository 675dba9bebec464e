import { expect, test } from "vitest";
import { loudnessOf, ringsOf } from "../../src/domain/sound-cover.ts";

const FIRST = { radius: "5.60", width: "0.13", opacity: "0.42" };

test("a sound's picture has the loudest sample of each part, of all channels", () => {
  const left = Float32Array.of(0, 0.1, -0.5, 0, 0.2, 0);
  const right = Float32Array.of(0, 0, 0, 0.25, 0, 0);
  expect(loudnessOf([left, right], 3).map((loud) => Number(loud.toFixed(3)))).toEqual([0.2, 1, 0.4]);
  expect(loudnessOf([new Float32Array(10)], 2)).toEqual([0, 0]);
  expect(loudnessOf([], 2)).toEqual([0, 0]);
  // The second channel may be shorter.
  expect(loudnessOf([Float32Array.of(0.5, 0.5), Float32Array.of(1)], 2)).toEqual([1, 0.5]);
  expect(loudnessOf([Float32Array.of(1)], 4)).toEqual([0, 0, 0, 1]);
});

test("a sound's cover is its own, and always the same", () => {
  const [one, other] = ["https://mint.test/ipfs/x", "https://mint.test/ipfs/y"];
  expect(ringsOf(one)).toEqual(ringsOf("http://127.0.0.1:8787/ipfs/x"));
  expect(ringsOf(one)).not.toEqual(ringsOf(other));
  // Pages that were made before show the same one.
  const [first, ...others] = ringsOf(one!);
  expect(first).toEqual(FIRST);
  expect(others).toHaveLength(8);
  expect(new Set(ringsOf(one!).map(({ width }) => width)).size).toBeGreaterThan(5);
  expect(others.at(-1)?.radius).toBe("11.04");
  for (const { radius, width, opacity } of ringsOf("https://mint.test/ipfs/x")) {
    expect(Number(radius) + Number(width)).toBeLessThan(12);
    expect(Number(opacity)).toBeLessThanOrEqual(0.7);
  }
});
