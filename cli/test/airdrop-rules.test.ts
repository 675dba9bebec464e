import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { atOnce, costOfRun } from "../airdrop/cost.ts";
import { AirdropJournal } from "../airdrop/journal.ts";
import { MAX_MINTS, planMints } from "../airdrop/plan.ts";
import { type Receiver, readReceivers as readFile } from "../airdrop/receivers.ts";
import { inDoubt, mintedSoFar, receiptsCsv } from "../airdrop/run.ts";
import { byLine, csvText, readCsv } from "../csv.ts";
import { pacedFetch, pauseOf } from "../paced-fetch.ts";

const account = fc.integer({ min: 0, max: 30 }).map((number) => `account${number}.near`);
const receivers: fc.Arbitrary<Receiver[]> = fc
  .array(fc.tuple(account, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 90 }))), {
    minLength: 1,
    maxLength: 200,
  })
  .map((rows) => rows.map(([name, quantity], index) => ({ line: index + 1, account: name, quantity })));

/** Rows of a file without mistakes; of another one its mistakes, as they are shown. */
function readReceivers(name: string, text: string) {
  const { receivers: rows, problems } = readFile(name, text);
  return problems.length > 0 ? { problems: byLine(name, problems) } : { receivers: rows };
}

describe("comma-separated values", () => {
  test("are read back as they were written", () => {
    // Cells are trimmed, and rows without any text left out.
    const cell = fc
      .string()
      .map((text) => text.replaceAll("\r", "").trim())
      .filter((text) => !text.startsWith("\ufeff"));
    const row = fc
      .array(cell, { minLength: 2, maxLength: 5 })
      .filter((cells) => cells.some((text) => text !== ""));
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), (rows) => {
        const read = readCsv("r.csv", csvText(["a", "b"], rows));
        expect(read.rows.slice(1).map(({ cells }) => cells)).toEqual(rows);
      }),
    );
  });

  test("have the line number of each row", () => {
    const rows = [
      { line: 1, cells: ["a", "b"] },
      { line: 3, cells: ["x\ny", "c"] },
      { line: 5, cells: ["d"] },
    ];
    expect(readCsv("r.csv", 'a,b\n\n"x\ny",c\nd').rows).toEqual(rows);
    expect(readCsv("r.csv", 'a,b\r\n,\r\n"x\r\ny",c\r\nd\r\n').rows).toEqual(rows);
    expect(readCsv("r.csv", 'a\n"b\nc')).toEqual({
      rows: [{ line: 1, cells: ["a"] }],
      problems: [{ line: 2, text: "r.csv:2 the row has a quote that is not closed." }],
    });
  });

  test.each([",", ";", "\t"])("may be separated by %j", (separator) => {
    const text = `\ufeffaccount${separator}quantity\r\n "a;,\tb" ${separator} 2 \r\n`;
    expect(readCsv("r.csv", text.replaceAll(" ", "")).rows).toEqual([
      { line: 1, cells: ["account", "quantity"] },
      { line: 2, cells: ["a;,\tb", "2"] },
    ]);
    expect(readReceivers("r.csv", ["a.near", "2", "1.png"].join(separator))).toEqual({
      receivers: [{ line: 1, account: "a.near", quantity: 2, asset: "1.png" }],
    });
  });
});

describe("the file of receivers", () => {
  test("may have its columns for accounts and quantities in any order", () => {
    const rows = [
      { line: 2, account: "alice.near", quantity: 2 },
      { line: 3, account: "bob.near", quantity: 1 },
      { line: 4, account: "alice.near", quantity: 1 },
    ];
    expect(readReceivers("r.csv", "quantity,Account\n2,alice.near\n,bob.near\n1,alice.near\n")).toEqual({
      receivers: rows,
    });
    expect(readReceivers("r.csv", "account\nalice.near")).toEqual({
      receivers: [{ line: 2, account: "alice.near", quantity: 1 }],
    });
    expect(readReceivers("r.csv", "alice.near,3\nbob.near")).toEqual({
      receivers: [
        { line: 1, account: "alice.near", quantity: 3 },
        { line: 2, account: "bob.near", quantity: 1 },
      ],
    });
  });

  test("may name an asset in each row", () => {
    expect(readReceivers("r.csv", "asset,account\n1.png,a.near\n,b.near\n")).toEqual({
      receivers: [
        { line: 2, account: "a.near", quantity: 1, asset: "1.png" },
        { line: 3, account: "b.near", quantity: 1 },
      ],
    });
    expect(readReceivers("r.csv", "a.near,2,1.png")).toEqual({
      receivers: [{ line: 1, account: "a.near", quantity: 2, asset: "1.png" }],
    });
  });

  test("has all its mistakes reported together", () => {
    const text = 'account;colour;quantity\nAlice;red;0\nb.near;;2\nBob;red;1;9\n"c.near;;1';
    const found = readReceivers("r.csv", text);
    expect(found.problems?.map((problem) => problem.slice(0, 15))).toEqual([
      "r.csv:1 unknown",
      'r.csv:2 "Alice"',
      'r.csv:2 "0": gi',
      "r.csv:4 has mor",
      'r.csv:4 "Bob": ',
      "r.csv:5 the row",
    ]);
  });

  test("has each wrong row reported with its line", () => {
    const text =
      "account,quantity\nAlice,1\nbob.near,0\ncarol.near,1.5\ndave.near,1,2,3\nerin.near,9999999\n";
    const found = readReceivers("r.csv", text);
    expect(found.problems?.map((problem) => problem.slice(0, 8))).toEqual([
      "r.csv:2 ",
      "r.csv:3 ",
      "r.csv:4 ",
      "r.csv:5 ",
      "r.csv:6 ",
    ]);
    for (const bad of ["", "account\n", "account,colour\na.near,1", "quantity\n1", 'a.near\n"b']) {
      expect(readReceivers("r.csv", bad), bad).toHaveProperty("problems");
    }
    expect(readReceivers("r.csv", "X\n".repeat(50))).toMatchObject({ problems: { length: 21 } });
  });
});

test("the cost of a run counts the contract's storage once, and shows what the wallet lacks", () => {
  const quote = {
    transactions: 1,
    storage_bytes: 1_000,
    cost: { expected: "30", at_most: "50" },
    top_up: "10",
    wallet: { available: "0", missing: "7" },
  };
  const storage = 10n ** 22n;
  const run = [{ count: 3, nfts: 25, quote }];
  expect(costOfRun(run, 2n * storage, 10n ** 25n)).toMatchObject({
    nfts: 75,
    transactions: 3,
    storageBytes: 3_000,
    storage,
    expected: 60n + storage,
    missing: 10n ** 22n + 7n,
  });
  const unpaid = costOfRun(run, 2n * storage, 100n);
  expect(unpaid.missing).toBe(unpaid.most - 100n + 10n ** 22n);
  const paid = (spare: bigint) => costOfRun(run, 2n * storage, unpaid.most + spare);
  expect([0n, 10n ** 24n, 10n ** 26n].map((spare) => atOnce(paid(spare), 16))).toEqual([1, 3, 16]);
  // A contract that can hold all of it is topped up for nothing.
  const ready = { ...quote, wallet: { available: "200", missing: "0" } };
  expect(costOfRun([{ count: 3, nfts: 25, quote: ready }], 3n * storage, 200n)).toMatchObject({
    storage: 0n,
    expected: 60n,
    most: 120n,
    missing: 0n,
  });
});

describe("the plan of an airdrop", () => {
  test("mints each row's quantity once, in requests within the service's limits", () => {
    fc.assert(
      fc.property(receivers, (rows) => {
        const given = rows.map(() => 0);
        for (const part of planMints(rows)) {
          expect(part.rows.length * part.quantity).toBeLessThanOrEqual(MAX_MINTS);
          const accounts = part.rows.map((row) => rows[row]?.account);
          expect(new Set(accounts).size).toBe(accounts.length);
          for (const row of part.rows) given[row] = (given[row] ?? 0) + part.quantity;
        }
        expect(given).toEqual(rows.map(({ quantity }) => quantity));
        expect(planMints(rows)).toEqual(planMints(structuredClone(rows)));
      }),
    );
  });

  test("puts only rows of the same asset into one request, and includes every row once", () => {
    const asset = fc.constantFrom(undefined, "1.png", "2.png");
    fc.assert(
      fc.property(fc.array(fc.tuple(account, asset), { minLength: 1 }), (pairs) => {
        const rows = pairs.map(([name, of], line) => ({
          line,
          account: name,
          quantity: 1,
          ...(of && { asset: of }),
        }));
        const parts = planMints(rows);
        for (const part of parts) {
          for (const row of part.rows) expect(rows[row]?.asset).toBe(part.asset);
        }
        expect(parts.flatMap((part) => part.rows).toSorted((a, b) => a - b)).toEqual([...rows.keys()]);
      }),
    );
  });

  test("uses full requests if all quantities are equal", () => {
    const rows = Array.from({ length: 10_000 }, (_, line) => ({
      line,
      account: `a${line}.near`,
      quantity: 1,
    }));
    expect(planMints(rows)).toHaveLength(400);
  });
});

describe("the journal of an airdrop", () => {
  let folder: string;
  let file: string;
  const head = { base_url: "http://a", collection_uuid: "c", rows_sha256: "s" };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "mintage-airdrop-"));
    file = join(folder, "journal");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("can be read after a kill at any byte of its last line", () => {
    const journal = AirdropJournal.open(file, head);
    journal.write({ part: 0, sent: 1_000, attempt: 1 });
    journal.write({
      part: 0,
      tokens: [{ token_id: "1:1", owner_id: "a.near" }],
      transaction: "t",
      burnt: "1",
    });
    journal.write({ part: 1, sent: 2_000, attempt: 1 });
    const whole = readFileSync(file);
    const line = JSON.stringify({ part: 1, tokens: [], transaction: "u", burnt: "1" });
    for (let length = 0; length <= line.length; length += 1) {
      rmSync(file);
      appendFileSync(file, whole);
      appendFileSync(file, line.slice(0, length));
      const opened = AirdropJournal.open(file, head);
      expect(opened.head).toEqual(journal.head);
      expect(opened.part(0).receipts[0]?.transaction).toBe("t");
      expect(opened.part(1)).toMatchObject({ attempt: 1, sent: 2_000, left: null, receipts: [] });
      opened.write({ part: 1, tokens: [], transaction: "v", burnt: null });
      expect(AirdropJournal.open(file, head).part(1).receipts[0]?.transaction).toBe("v");
    }
  });

  test("counts the attempts of each request, and lists the requests whose outcome is in doubt", () => {
    const journal = AirdropJournal.open(file, head);
    const receivers = [{ line: 1, account: "a.near", quantity: 30 }];
    const parts = planMints(receivers);
    expect(parts).toHaveLength(2);
    journal.write({ part: 0, sent: 1_000, attempt: 1 });
    journal.write({ part: 0, failed: "insufficient_funds", attempt: 1 });
    // Told twice, by two runs at once: it is one attempt.
    journal.write({ part: 0, failed: "insufficient_funds", attempt: 1 });
    expect(journal.part(0)).toMatchObject({ attempt: 2, sent: null, left: null });
    const day = 86_400_000;
    expect(inDoubt({ parts, journal }, 10 * day)).toEqual([]);
    journal.write({ part: 0, sent: day, attempt: 2 });
    journal.write({ part: 0, sent: 3 * day, attempt: 2 });
    journal.write({ part: 1, sent: day, attempt: 1 });
    journal.write({ part: 1, tokens: [], transaction: null, burnt: null });
    expect(inDoubt({ parts, journal }, day + 1)).toEqual([]);
    expect(inDoubt({ parts, journal }, 3 * day)).toEqual([0]);
    expect(mintedSoFar({ receivers, parts, journal })).toBe(parts[1]?.quantity);
  });

  test("leads to receipts with each row's own tokens", () => {
    const rows = [
      { line: 2, account: "a.near", quantity: 26 },
      { line: 3, account: "b.near", quantity: 1 },
    ];
    const parts = planMints(rows);
    const journal = AirdropJournal.open(file, head);
    let next = 1;
    for (const [part, { rows: of, quantity }] of parts.entries()) {
      const tokens = of.flatMap((row) =>
        Array.from({ length: quantity }, () => ({
          token_id: `7:${next++}`,
          owner_id: rows[row]?.account ?? "",
        })),
      );
      journal.write({ part, tokens, transaction: `t${part}`, burnt: "1" });
    }
    const read = readCsv("receipts.csv", receiptsCsv({ receivers: rows, parts, journal })).rows;
    expect(read.map(({ cells }) => cells.slice(0, 3))).toEqual([
      ["line", "account", "quantity"],
      ["2", "a.near", "26"],
      ["3", "b.near", "1"],
    ]);
    const ids = read.slice(1).map(({ cells }) => (cells[3] ?? "").split(" "));
    expect(ids.map(({ length }) => length)).toEqual([26, 1]);
    expect(new Set(ids.flat()).size).toBe(27);
  });
});

describe("requests of an airdrop", () => {
  test.each([
    ['"key";r=0;t=7', 7],
    ['"key";r=3;t=7', 0],
    [null, 0],
    ["nonsense", 0],
  ])("wait as the answer's %s says: %i s", (field, seconds) => expect(pauseOf(field)).toBe(seconds));

  test("are sent again once the key's limit of requests allows it", async () => {
    vi.useFakeTimers();
    try {
      let sent = 0;
      const fetch = pacedFetch(async () => {
        sent += 1;
        return new Response(null, { headers: { ratelimit: sent === 1 ? '"key";r=0;t=7' : '"key";r=9;t=7' } });
      });
      await fetch("http://a");
      const others = Promise.all([fetch("http://a"), fetch("http://a")]);
      await vi.advanceTimersByTimeAsync(6_999);
      expect(sent).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      await others;
      expect(sent).toBe(3);
    } finally {
      vi.useRealTimers();
    }
  });
});
