import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StorageDemand } from "../../src/wallet/interface.ts";
import { demandOf, NO_PACE, nextLookAfter, paced, StorageAhead } from "../../src/wallet/storage-ahead.ts";

const WINDOW_MS = 10_000;
const orders = fc.array(fc.record({ tokens: fc.integer({ min: 1, max: 25 }), after: fc.nat(6_000) }), {
  minLength: 1,
  maxLength: 200,
});

describe("the pace of orders", () => {
  test("is at least the orders of the last full window, and at most those of two", () => {
    fc.assert(
      fc.property(orders, (all) => {
        let [pace, now] = [NO_PACE, 1_000_000];
        const noted: { tokens: number; at: number }[] = [];
        for (const { tokens, after } of all) {
          now += after;
          pace = paced(pace, tokens, now);
          noted.push({ tokens, at: now });
        }
        const sum = (from: number, until: number) =>
          noted.reduce((total, { tokens, at }) => total + (at >= from && at < until ? tokens : 0), 0);
        const begun = Math.floor(now / WINDOW_MS) * WINDOW_MS;
        const { least, wanted } = demandOf(pace);
        expect(least).toBe(Math.max(sum(begun, now + 1), sum(begun - WINDOW_MS, begun)));
        expect(wanted).toBeGreaterThan(least);
      }),
    );
  });

  test("leads to checks that are neither for every mint nor too late for the contract's storage", () => {
    fc.assert(
      fc.property(fc.option(fc.nat(100_000)), fc.nat(10_000), (holds, least) => {
        const after = nextLookAfter(holds, least);
        expect(after).toBeGreaterThanOrEqual(25);
        // A window's tokens are left when the contract is looked at again, where it has that many.
        if (holds !== null && holds - least >= 50)
          expect(holds - after).toBeGreaterThanOrEqual(least - least / 4);
      }),
    );
  });
});

describe("a wallet that receives orders", () => {
  const watching = (answer: (demand: StorageDemand) => Promise<number | null>) => {
    const demands: StorageDemand[] = [];
    const logged: string[] = [];
    const ahead = new StorageAhead({
      now: () => 5_000,
      log: (event) => logged.push(event),
      journal: { intents: { reserved: () => ({ queued: 0n, certain: 0n, open: 7n }) } } as never,
      funds: { forSigning: ({ open }: { open: bigint }) => 1_007n - open } as never,
      entry: {
        provideStorage: (demand) => {
          demands.push(demand);
          return answer(demand);
        },
      },
    });
    return { ahead, demands, logged };
  };
  const settled = () => new Promise((resolve) => setTimeout(resolve, 300));

  test("checks once for a burst, and again when half of the remaining storage was ordered", async () => {
    const { ahead, demands } = watching(async () => 300);
    for (let order = 0; order < 24; order++) ahead.ordered("a.near", 3, 1);
    await settled();
    expect(demands).toEqual([]);
    for (let order = 0; order < 76; order++) ahead.ordered("a.near", 3, 1);
    await settled();
    expect(demands).toEqual([{ contract: "a.near", collectionId: 3, least: 100, wanted: 300, most: "500" }]);
    for (let order = 0; order < 99; order++) ahead.ordered("a.near", 3, 1);
    await settled();
    expect(demands).toHaveLength(1);
    ahead.ordered("a.near", 3, 1);
    await settled();
    expect(demands.map(({ least }) => least)).toEqual([100, 200]);
  });

  test("still accepts orders if the Worker fails, and checks again later", async () => {
    const { ahead, demands, logged } = watching(() => Promise.reject(new Error("away")));
    ahead.ordered("a.near", 3, 25);
    await settled();
    expect(logged).toEqual(["wallet.storage_unasked"]);
    ahead.ordered("a.near", 3, 25);
    await settled();
    expect(demands).toHaveLength(2);
  });

  test("evicts the collection with the oldest order once it watches a thousand", async () => {
    const { ahead, demands } = watching(async () => 300);
    for (const collection of [1, 2]) ahead.ordered("a.near", collection, 24);
    ahead.ordered("a.near", 1, 0);
    for (let other = 3; other <= 1_001; other++) ahead.ordered("a.near", other, 1);
    for (const collection of [1, 2]) ahead.ordered("a.near", collection, 1);
    await settled();
    expect(demands.map(({ collectionId }) => collectionId)).toEqual([1]);
  });
});
