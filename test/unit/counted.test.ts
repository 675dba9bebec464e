import { expect, test } from "vitest";
import { counted, duration, percent, supplyLeft, supplyMinted } from "../../src/domain/counted.ts";
import { beyondLimit } from "../../src/http/rate-limit.ts";

test("a count of one uses the singular, and a duration its largest whole unit", () => {
  expect([0, 1, 2].map((count) => counted(count, "entry", "entries"))).toEqual([
    "0 entries",
    "1 entry",
    "2 entries",
  ]);
  expect([1, 119, 120, 3_600, 7_200, 7_201].map(duration)).toEqual([
    "1 second",
    "119 seconds",
    "2 minutes",
    "60 minutes",
    "2 hours",
    "3 hours",
  ]);
});

test("a key over its limit is asked to wait for at least one second", () => {
  const refusal = beyondLimit({ allowed: false, limit: 1, remaining: 0, freeAfterMs: 900 });
  expect(refusal.message).toBe(
    "This key may send 1 request in 10 seconds. Wait 1 second, then send the same request again.",
  );
});

test("what is left says whether all is minted or nothing more can be", () => {
  const supply = { minted: 1_200, total_copies: 5_000 };
  expect(supplyLeft({ ...supply, left: 3_800 })).toBe("3,800 of 5,000 left");
  expect(supplyLeft({ ...supply, left: 3_800 }, false)).toBe("1,200 of 5,000 minted");
  expect(supplyLeft({ ...supply, left: 0 }, false)).toBe("No more can be minted");
  expect(supplyLeft({ ...supply, left: 0 })).toBe("No more can be minted");
  expect(supplyLeft({ minted: 5_000, total_copies: 5_000, left: 0 })).toBe("Sold out");
  expect(supplyMinted({ ...supply, left: 3_800 }, true)).toBe("1,200 of 5,000 minted, 3,800 left");
  // Some are set aside.
  expect(supplyMinted({ ...supply, left: 3_000 }, true)).toBe("1,200 of 5,000 minted, 3,000 left");
  expect(supplyMinted({ ...supply, left: 3_800 }, false)).toBe("1,200 of 5,000 minted");
  expect(supplyMinted({ ...supply, left: 0 }, true)).toBe("No more can be minted");
  // A preview shows works of which none is minted.
  expect(supplyMinted({ ...supply, left: 5_000 }, true)).toBe("0 of 5,000 minted, 5,000 left");
});

test("a share has a decimal where it is small", () => {
  expect([percent(1, 3), percent(1, 30), percent(9.94, 100), percent(9.96, 100), percent(2, 3)]).toEqual([
    "33 %",
    "3.3 %",
    "9.9 %",
    "10 %",
    "67 %",
  ]);
});
