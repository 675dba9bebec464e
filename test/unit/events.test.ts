import fc from "fast-check";
import { expect, test } from "vitest";
import {
  countOf,
  eventsOfOutcome,
  eventUuid,
  fitting,
  MOST_DATA_BYTES,
  type NumberRun,
  numberRuns,
  numbersLeft,
} from "../../src/domain/events.ts";
import { newUuid } from "../../src/domain/ids.ts";
import type { OperationKind } from "../../src/domain/operations.ts";
import { LOW, runwayDays, TOP_UP_FROM, walletEvents } from "../../src/domain/wallet-watch.ts";

test("each event of a row has its own uuid, the same each time", () => {
  const row = newUuid();
  const uuids = Array.from({ length: 200 }, (_, place) => eventUuid(row, place));
  expect(new Set(uuids).size).toBe(200);
  expect(uuids.map((uuid) => uuid.slice(0, 32))).toEqual(Array(200).fill(row.slice(0, 32)));
  expect(eventUuid(row, 7)).toBe(uuids[7]);
});

test("data up to 20 kB is complete; larger data has its small fields and where to read the rest", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ maxLength: 20 }), fc.oneof(fc.string({ maxLength: 30_000 }), fc.integer()), {
        maxKeys: 8,
      }),
      (data) => {
        const told = fitting(data, "/api/v1/me");
        expect(Buffer.byteLength(JSON.stringify(told))).toBeLessThan(MOST_DATA_BYTES + 1);
        if (told !== data) expect(told).toMatchObject({ see: "/api/v1/me" });
      },
    ),
  );
  // Quotes and braces are of the JSON's bytes too.
  const most = { a: "x".repeat(MOST_DATA_BYTES - 8) };
  expect(fitting(most, "/api/v1/me")).toBe(most);
  const small = { id: 7, name: "x".repeat(198), gone: null };
  expect(fitting({ ...small, long: "x".repeat(199), a: `${most.a}x` }, "/api/v1/me")).toEqual({
    ...small,
    see: "/api/v1/me",
  });
});

test("an operation's effects are reported before its end", () => {
  expect(
    eventsOfOutcome("mint", "succeeded", { tokens: [{ token_id: "3:8" }, { token_id: "3:7" }] }),
  ).toEqual({
    runs: [
      ["nft.minted", 2],
      ["operation.succeeded", 1],
    ],
    numbers: [7, 8],
  });
  expect(eventsOfOutcome("mint", "succeeded", { tokens: [] }).runs).toEqual([["operation.succeeded", 1]]);
  const effects = (kind: OperationKind, body: object) =>
    eventsOfOutcome(kind, "succeeded", body).runs.filter(([type]) => type !== "operation.succeeded");
  expect(effects("nft_update", {})).toEqual([["nft.updated", 1]]);
  expect(effects("nft_update_bulk", { updated: 9 })).toEqual([["nft.updated", 9]]);
  expect(effects("nft_update_bulk", { updated: 0 })).toEqual([]);
  for (const [kind, event] of [
    ["nft_transfer", "nft.transferred"],
    ["nft_burn", "nft.burned"],
  ] as const) {
    expect(effects(kind, { tokens: [{}, {}] })).toEqual([[event, 2]]);
    expect(effects(kind, { tokens: [] })).toEqual([]);
  }
  expect(effects("collection_update", {})).toEqual([["collection.updated", 1]]);
  expect(effects("wallet_payout", {})).toEqual([]);
  expect(
    countOf(
      eventsOfOutcome("mint", "succeeded", { tokens: [{ token_id: "1:1" }, { token_id: "1:2" }] }).runs,
    ),
  ).toBe(3);
  expect(eventsOfOutcome("mint", "failed", { code: "sold_out" }).runs).toEqual([["operation.failed", 1]]);
  expect(eventsOfOutcome("finalize", "succeeded", { near_collection: { a: 1 } })).toEqual({
    runs: [
      ["collection.finalized", 1],
      ["operation.succeeded", 1],
    ],
    data: { a: 1 },
  });
});

test("each change of a wallet is reported once", () => {
  const seen = (balance: bigint) => ({
    balance: balance.toString(),
    low: balance < LOW,
    available: balance.toString(),
    perDay: "0",
  });
  expect(walletEvents(null, seen(5n * LOW))).toEqual([]);
  expect(walletEvents(null, seen(0n))).toEqual(["wallet.low"]);
  // A tenth of a NEAR is the least top-up.
  expect(walletEvents(seen(5n * LOW), seen(5n * LOW + LOW / 10n))).toEqual(["wallet.topped_up"]);
  expect(walletEvents(seen(5n * LOW), seen(5n * LOW + LOW / 10n - 1n))).toEqual([]);
  fc.assert(
    fc.property(fc.bigInt(0n, 5n * LOW), fc.bigInt(0n, 5n * LOW), (before, now) => {
      const told = walletEvents(seen(before), seen(now));
      expect(told.includes("wallet.low")).toBe(before >= LOW && now < LOW);
      expect(told.includes("wallet.topped_up")).toBe(now - before >= TOP_UP_FROM);
    }),
  );
});

test("a wallet's runway is how long it lasts at the same pace, to a tenth of a day", () => {
  const runway = (available: string, perDay: string) =>
    runwayDays({ balance: available, low: false, available, perDay });
  expect([runway("100", "8"), runway("0", "8"), runway("100", "0")]).toEqual([12.5, 0, null]);
});

test("the smallest numbers that no run has are found first", () => {
  const some = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 60 });
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 60 }), (told, most, to) => {
      const runs = numberRuns([...told].sort((a, b) => a - b));
      // As few runs as there are gaps.
      const gaps = told.filter((number) => !told.includes(number + 1)).length;
      expect(runs).toHaveLength(gaps);
      const inRuns = ([first, last]: NumberRun) =>
        Array.from({ length: last - first + 1 }, (_, index) => first + index);
      expect(runs.flatMap(inRuns).sort((a, b) => a - b)).toEqual([...told].sort((a, b) => a - b));
      const all = Array.from({ length: Math.max(0, to - 4) }, (_, index) => index + 5);
      expect(numbersLeft(5, to, runs.toReversed(), most)).toEqual(
        all.filter((number) => !told.includes(number)).slice(0, most),
      );
    }),
  );
});
