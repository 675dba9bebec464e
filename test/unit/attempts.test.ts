import { expect, it } from "vitest";
import { AttemptCounts } from "../../src/http/address-limit.ts";

const PERIOD = 10_000;
const attempts = () => new AttemptCounts(3, PERIOD).of("203.0.113.7", 0);

it("under way count until they end, the same one once", () => {
  const network = attempts();
  for (const digest of ["a", "b", "c", "c"]) network.begin(digest);
  expect(network.refuses("d", 1)).toBe(true);
  expect(network.refuses("a", 1)).toBe(false);
  network.end("c");
  expect(network.refuses("d", 1)).toBe(true);
  network.end("c");
  expect(network.refuses("d", 1)).toBe(false);
});

it("whose requests were ended by the platform, so that nobody reports their end, count for one period", () => {
  const network = attempts();
  for (const digest of ["a", "b", "c"]) network.begin(digest);
  expect(network.refuses("d", PERIOD - 1)).toBe(true);
  expect(network.refuses("d", PERIOD)).toBe(false);
  // One of them lived on after all; its end takes nothing from what was begun since.
  network.begin("d");
  network.end("a");
  for (const digest of ["e", "f"]) network.begin(digest);
  expect(network.refuses("g", PERIOD)).toBe(true);
});
