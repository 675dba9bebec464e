import { expect, test } from "vitest";
import { revealState } from "../../src/domain/reveal.ts";

test("a collection is hidden until its first asset is shown, and revealed with its last", () => {
  expect([0, 1, 9, 10].map((shown) => revealState(shown, 10))).toEqual([
    "hidden",
    "partly",
    "partly",
    "revealed",
  ]);
});
