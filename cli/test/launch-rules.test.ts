import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { FolderError } from "../../client/src/folder/index.ts";
import { type Currency, MintageClient } from "../../client/src/index.ts";
import { scriptedService } from "../../client/test/scripted-service.ts";
import { readReceivers } from "../airdrop/receivers.ts";
import { byLine } from "../csv.ts";
import { allowlistBatches, readAllowlist } from "../launch/allowlist-file.ts";
import { type CollectionFile, readCollectionFile } from "../launch/collection-file.ts";
import { type Answers, askAll, collectionYaml, initFolder } from "../launch/init.ts";
import { draftRequest, readCurrencies, requireOpenPhases } from "../launch/phases.ts";
import {
  nearText,
  priceText,
  readNear,
  readPercent,
  readPrice,
  readPriceIn,
  unitsText,
} from "../launch/prices.ts";
import { readTime } from "../launch/times.ts";
import { subtitleOf } from "../launch/titles.ts";

const COMPLETE = `# A collection
title: Night Herons
description: |
  Twelve herons.
  Painted after dark.
contract: 0198D3C1-6f3e-7c55-9d2b-3a1f0e6b7c11
copies: 10
subtitle: "#$TOKEN_NUM"
phases:
  allowlist:
    price: free
    starts: 2026-12-24 18:00 Europe/Berlin
    ends: 2026-12-24T18:00:00-05:00
    per_account: 2
  public:
    price: 1.5 NEAR
allowlist: lists/friends.csv
page: night-herons
payout: treasury.near
royalties:
  sales:
    alice.near: 12.57%
  resales:
    bob.near: 5
mint_free: [carol.near, carol.near]
transfers: no
`;

function fileOf(text: string, name = "collection.yaml"): CollectionFile {
  const found = readCollectionFile(name, text);
  if ("problems" in found) throw new Error(found.problems.join("\n"));
  return found.file;
}

/** The request that drafts a file's collection, with its prices, and the rest of the file. */
function requestOf(text: string, ...tokens: readonly Currency[]) {
  const known = new Map(tokens.map((token) => [token.contract_id, token]));
  return draftRequest("c", fileOf(text), known);
}

function problemsOf(text: string, name = "collection.yaml"): readonly string[] {
  const found = readCollectionFile(name, text);
  return "problems" in found ? found.problems : [];
}

describe("collection.yaml", () => {
  test("is read into the API's fields, every field of it", () => {
    const { draft, phases, ...rest } = fileOf(COMPLETE);
    expect(rest).toEqual({
      contract: "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11",
      copies: 10,
      subtitle: "#$TOKEN_NUM",
      payout: "treasury.near",
      page: { slug: "night-herons" },
      pageFields: { accent: null, cover: null, creator: null, about: null, links: null },
    });
    expect(phases.map(({ list }) => list)).toEqual([
      { file: "lists/friends.csv", at: "collection.yaml:17 allowlist" },
      null,
    ]);
    expect(requestOf(COMPLETE)).toEqual({
      contract_uuid: "c",
      title: "Night Herons",
      description: "Twelve herons.\nPainted after dark.",
      public_mint_config: {
        mint_fee: "1500000000000000000000000",
        starts_at: null,
        ends_at: null,
        limit_per_account: null,
      },
      private_mint_config: {
        mint_fee: "0",
        starts_at: "2026-12-24T17:00:00.000Z",
        ends_at: "2026-12-24T23:00:00.000Z",
        limit_per_account: 2,
      },
      bypass_mint_fee_accounts: ["carol.near"],
      initial_royalties: { "alice.near": 12.57 },
      ongoing_royalties: { "bob.near": 5 },
      allow_transfers: false,
      reveal: false,
    });
    expect(draft).not.toHaveProperty("public_mint_config");
  });

  test("may be written as JSON with the same fields", () => {
    const json = fileOf(JSON.stringify(parse(COMPLETE)), "collection.json");
    expect(draftRequest("c", json, new Map())).toEqual(requestOf(COMPLETE));
    expect(json).toMatchObject({ copies: 10, payout: "treasury.near" });
  });

  test("needs nothing but a title", () => {
    expect(fileOf("title: Herons")).toMatchObject({
      copies: 1,
      subtitle: null,
      phases: [],
      contract: null,
      payout: null,
    });
    expect(requestOf("title: Herons")).toMatchObject({ public_mint_config: null, private_mint_config: null });
    expect(requestOf("title: Herons")).not.toHaveProperty("phases");
  });

  test("written by another generator contributes its name and description", () => {
    const sugar = {
      name: "Numbers",
      symbol: "NB",
      description: "Ten numbers",
      image: "collection.png",
      attributes: [],
      properties: { files: [{ uri: "collection.png", type: "image/png" }] },
    };
    expect(fileOf(JSON.stringify(sugar), "collection.json").draft).toEqual({
      title: "Numbers",
      description: "Ten numbers",
    });
  });

  test("has every mistake reported with its line and field", () => {
    const text = `title: ${"x".repeat(257)}
prise: 1
copies: 0
phases:
  public:
    price: cheap
    starts: 2026-12-24 18:00
    ends: tomorrow
  allowlist:
    price: 0.001
    per_account: -1
royalties:
  sales:
    Alice.near: 5
    bob.near: 96
    carol.near: 1.234
  resales: 5
mint_free: carol.near
transfers: perhaps
contract: mine
`;
    expect(problemsOf(text).map((problem) => /^\S+ \S+:/.exec(problem)?.[0] ?? problem)).toEqual([
      "collection.yaml:1 title:",
      "collection.yaml:2 prise:",
      "collection.yaml:3 copies:",
      "collection.yaml:6 phases.public.price:",
      "collection.yaml:7 phases.public.starts:",
      "collection.yaml:8 phases.public.ends:",
      "collection.yaml:9 phases.allowlist:",
      "collection.yaml:10 phases.allowlist.price:",
      "collection.yaml:11 phases.allowlist.per_account:",
      "collection.yaml:14 royalties.sales.Alice.near:",
      "collection.yaml:15 royalties.sales.bob.near:",
      "collection.yaml:16 royalties.sales.carol.near:",
      "collection.yaml:17 royalties.resales:",
      "collection.yaml:18 mint_free:",
      "collection.yaml:19 transfers:",
      "collection.yaml:20 contract:",
    ]);
  });

  test("that isn't YAML is reported with the line of the mistake", () => {
    expect(problemsOf("title: [Herons\ncopies: 1")[0]).toMatch(/^collection\.yaml:[12] /);
    expect(problemsOf("title: Herons\ntitle: Egrets")[0]).toMatch(
      /^collection\.yaml:2 Map keys must be unique/,
    );
    expect(problemsOf("Herons")).toEqual(['collection.yaml has to have fields, such as "title: Herons".']);
    expect(problemsOf("")).toEqual(['collection.yaml has to have fields, such as "title: Herons".']);
  });

  test("accepts an allowlist only inside the folder, and only with its phase", () => {
    const phase = "phases: { allowlist: { price: 1 } }\n";
    for (const path of ["../friends.csv", "/etc/friends.csv", "a/../../b.csv", "friends.json"]) {
      expect(problemsOf(`title: Herons\n${phase}allowlist: ${path}`)).toHaveLength(1);
    }
    expect(problemsOf("title: Herons\nallowlist: friends.csv")[0]).toContain("phases.allowlist");
    expect(problemsOf(`title: Herons\n${phase}`)[0]).toContain("allowlist.csv");
  });

  test("is read without an exception, whatever the file contains", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map((text) => `title: ${text}\nphases: ${text}`),
        ),
        (text) => {
          for (const name of ["collection.yaml", "collection.json"]) {
            const found = readCollectionFile(name, text);
            if ("problems" in found) expect(found.problems.length).toBeGreaterThan(0);
            else expect(found.file.draft.title).toEqual(expect.any(String));
          }
        },
      ),
    );
  });
});

test.each(["public", "allowlist"])("a phase %s without a price is reported", (name) => {
  const found = readCollectionFile("collection.yaml", `title: A\nphases:\n  ${name}:\n`);
  expect(JSON.stringify(found)).toContain(`collection.yaml:3 phases.${name}: give its price below it`);
});

const USDC = { contract_id: "usdc.near", symbol: "USDC", decimals: 6 };

const PHASES = `title: Herons
phases:
  public:
    price: 5 USDC
    currency: usdc.near
    ends: 2030-01-01 00:00 UTC
  allowlist:
    price: 1
    supply: 30
  4:
    price: 0.000001
    currency: usdc.near
    allowlist: early.txt
    per_account: 2
  8:
    price: free
    ends: 2029-01-01 00:00 UTC
allowlist: friends.csv
`;

describe("phases of collection.yaml", () => {
  const none = { starts_at: null, ends_at: null, limit_per_account: null, supply: null };

  test("with a currency, a supply or a number become phases of the API, their prices in smallest units", () => {
    const request = requestOf(PHASES, USDC);
    expect(request).not.toHaveProperty("public_mint_config");
    expect(request).not.toHaveProperty("private_mint_config");
    const ends = (year: number) => ({ ends_at: `${year}-01-01T00:00:00.000Z` });
    expect(request.phases).toEqual([
      { ...none, phase: 1, kind: "allowlist", mint_fee: `1${"0".repeat(24)}`, currency: null, supply: 30 },
      { ...none, phase: 2, kind: "public", mint_fee: "5000000", currency: "usdc.near", ...ends(2030) },
      {
        ...none,
        ...{ phase: 4, kind: "allowlist", mint_fee: "1", currency: "usdc.near", limit_per_account: 2 },
      },
      { ...none, phase: 8, kind: "public", mint_fee: "0", currency: null, ...ends(2029) },
    ]);
    // One that a mint config can describe is that config beside the others.
    const mixed = requestOf("title: A\nphases: { public: { price: 1 }, 3: { price: free } }");
    expect(mixed).toMatchObject({
      public_mint_config: { mint_fee: `1${"0".repeat(24)}` },
      private_mint_config: null,
      phases: [{ phase: 3, kind: "public", mint_fee: "0" }],
    });
  });

  test("name the files of their accounts, each with its line", () => {
    expect(fileOf(PHASES).phases.map(({ phase, list }) => [phase, list])).toEqual([
      [1, { file: "friends.csv", at: "collection.yaml:18 allowlist" }],
      [2, null],
      [4, { file: "early.txt", at: "collection.yaml:13 phases.4.allowlist" }],
      [8, null],
    ]);
  });

  test("that are over are named", () => {
    const over = { file: fileOf(PHASES), settingsName: "collection.yaml" };
    expect(() => requireOpenPhases(over, Date.parse("2028-12-31"))).not.toThrow();
    expect(() => requireOpenPhases(over, Date.parse("2029-01-01"))).toThrow(
      /^collection\.yaml phases\.8: it ended at 2029-01-01T00:00:00\.000Z/,
    );
  });

  test("have every mistake reported with its line and field", () => {
    const text = `title: Herons
phases:
  public:
    price: free
    currency: usdc.near
    allowlist: friends.csv
  3:
    price: 5
    currency: USDC
    supply: 0
  4:
    price: 1e3
    currency: usdc.near
    allowlist: ../early.csv
    starts: 2030-01-01 00:00 UTC
    ends: 2029-01-01 00:00 UTC
  5:
    price: 5 USDC
  6:
  7:
    currency: usdc.near
  9:
    price: free
`;
    expect(problemsOf(text).map((problem) => /^\S+ \S+:/.exec(problem)?.[0] ?? problem)).toEqual([
      "collection.yaml:4 phases.public.price:",
      "collection.yaml:6 phases.public.allowlist:",
      "collection.yaml:9 phases.3.currency:",
      "collection.yaml:10 phases.3.supply:",
      "collection.yaml:12 phases.4.price:",
      "collection.yaml:14 phases.4.allowlist:",
      "collection.yaml:16 phases.4.ends:",
      "collection.yaml:18 phases.5.price:",
      "collection.yaml:19 phases.6:",
      "collection.yaml:20 phases.7.price:",
      "collection.yaml:22 phases.9:",
    ]);
  });

  test.each([
    [
      [{ ...USDC, symbol: "USDT" }],
      "collection.yaml:4 phases.public.price: the token usdc.near is called USDT",
    ],
    [[{ ...USDC, decimals: 5 }], "collection.yaml:11 phases.4.price: give at most 5 decimals"],
    [[{ ...USDC, decimals: 38 }], "collection.yaml:4 phases.public.price: give less"],
  ])("whose price the token %j can't have are refused by line and field", (tokens, problem) => {
    expect(() => requestOf(PHASES, ...tokens)).toThrow(problem);
  });
});

test("tokens that prices can't be in are refused by line and field, with what the service says of them", async () => {
  const message = "usdc.near is no NEP-141 token with a symbol.";
  await using service = await scriptedService(() => ({ status: 404, body: { code: "not_found", message } }));
  const client = new MintageClient({ baseUrl: service.url, apiKey: "mk_live_test", retry: { retries: 0 } });
  const refused = readCurrencies(client, fileOf(PHASES).phases).catch((error: FolderError) => error.problems);
  expect(await refused).toEqual([
    `collection.yaml:5 phases.public.currency: ${message}`,
    `collection.yaml:12 phases.4.currency: ${message}`,
  ]);
  expect(service.seen.map(({ path }) => path)).toEqual(["/api/v1/currency/usdc.near"]);
});

describe("prices, amounts and shares", () => {
  test("a price in a token keeps every digit", () => {
    const token = fc.record({ symbol: fc.constantFrom("USDC", "€", "wNEAR"), decimals: fc.nat(38) });
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 128n - 1n }), token, (amount, { symbol, decimals }) => {
        const read = readPriceIn({ contract_id: "t.near", symbol, decimals });
        const text = unitsText(`${amount}`, decimals);
        expect(read(text)).toEqual({ value: `${amount}` });
        expect(read(`${text} ${symbol}`)).toEqual({ value: `${amount}` });
        expect(read(`${text} NEAR`)).toHaveProperty("problem");
      }),
    );
    expect(priceText("2500000", USDC)).toBe("2.5 USDC (usdc.near)");
    expect(priceText("7", { ...USDC, decimals: null })).toBe("7 of the smallest units of usdc.near");
  });

  test.each(["", "0", "0.0", "free", "-1", "1,5", "1e3", ".5", "5.", "5 USD C"])(
    "%j is refused as a price in a token",
    (text) => expect(readPriceIn(USDC)(text)).toHaveProperty("problem"),
  );

  test("a price keeps every digit", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 270n * 10n ** 19n, max: 10n ** 38n }), (yocto) => {
        expect(readPrice(nearText(`${yocto}`))).toEqual({ value: `${yocto}` });
      }),
    );
  });

  test.each([
    ["free", "0"],
    ["0", "0"],
    ["0.1", "100000000000000000000000"],
    ["2 near", "2000000000000000000000000"],
  ])("a price of %s is %s yoctoNEAR", (text, value) => expect(readPrice(text)).toEqual({ value }));

  test.each(["", "-1", "1,5", "1e3", "0.0026", "1.5 ETH", "1.0000000000000000000000001", "999999999999999"])(
    "%j is refused as a price",
    (text) => expect(readPrice(text)).toHaveProperty("problem"),
  );

  test("an amount that is no price has no minimum, and can't be free", () => {
    expect(readNear("0.0001 NEAR")).toEqual({ value: "100000000000000000000" });
    expect(readNear("free")).toHaveProperty("problem");
  });

  test("a share is a percentage with at most two decimals", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), (points) => {
        expect(readPercent(`${points / 100}%`)).toBe(points);
      }),
    );
    for (const text of ["", "a", "1.234", "-1", "1000"]) expect(readPercent(text)).toBeNull();
  });
});

describe("times", () => {
  test("with different zones mean the same moment", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("1971-01-01"), max: new Date("2099-01-01"), noInvalidDate: true }),
        fc.constantFrom(
          "Europe/Berlin",
          "America/New_York",
          "Asia/Kolkata",
          "Australia/Lord_Howe",
          "Asia/Tokyo",
        ),
        (date, zone) => {
          const moment = new Date(Math.floor(date.getTime() / 1000) * 1000);
          const shown = new Intl.DateTimeFormat("sv-SE", {
            timeZone: zone,
            dateStyle: "short",
            timeStyle: "medium",
          }).format(moment);
          const read = readTime(`${shown} ${zone}`);
          // Only a time that clocks show twice may be refused.
          if ("problem" in read) expect(read.problem).toContain("twice");
          else expect(read.value).toBe(moment.toISOString());
        },
      ),
    );
  });

  test.each([
    ["2026-12-24 18:00 Europe/Berlin", "2026-12-24T17:00:00.000Z"],
    ["2026-07-24 18:00:30 Europe/Berlin", "2026-07-24T16:00:30.000Z"],
    ["2026-12-24 18:00 UTC", "2026-12-24T18:00:00.000Z"],
    ["2026-12-24T18:00:00Z", "2026-12-24T18:00:00.000Z"],
    ["2026-12-24T18:00:00.000Z", "2026-12-24T18:00:00.000Z"],
    ["2026-12-24T18:00+05:30", "2026-12-24T12:30:00.000Z"],
  ])("%s is read as %s", (text, value) => expect(readTime(text)).toEqual({ value }));

  test.each([
    ["2026-12-24 18:00", "add the zone"],
    ["2026-02-30 18:00 UTC", "exist"],
    ["2026-12-24 25:00 UTC", "exist"],
    ["2026-03-29 02:30 Europe/Berlin", "skip"],
    ["2026-10-25 02:30 Europe/Berlin", "twice"],
    ["2026-12-24 18:00 Europe/Atlantis", "unknown"],
    ["soon", "such as"],
  ])("%s is refused: %s", (text, why) =>
    expect(readTime(text)).toEqual({ problem: expect.stringContaining(why) }),
  );
});

describe("the file of an allowlist", () => {
  test("is a list of accounts, or a CSV file with a column of accounts", () => {
    expect(readAllowlist("a.csv", "alice.near\r\n\r\nbob.near\nalice.near")).toEqual({
      accounts: ["alice.near", "bob.near"],
    });
    const snapshot = '\ufeffQuantity,Account,block_height\n"3",alice.near,12\n';
    expect(readAllowlist("a.csv", snapshot)).toEqual({ accounts: ["alice.near"] });
  });

  test.each([
    ["an allowlist", readAllowlist, "the column account is read"],
    [
      "an airdrop",
      (name: string, text: string) => ({ problems: byLine(name, readReceivers(name, text).problems) }),
      "the columns account, quantity, asset are read",
    ],
  ])("is refused if its columns are not those of %s", (_name, read, columns) => {
    expect(read("a.csv", "name,account,qty\nHeron,a.near,3\n")).toEqual({
      problems: ["name", "qty"].map(
        (cell) => `a.csv:1 unknown column "${cell}": rename or remove it; ${columns}.`,
      ),
    });
    // The others of a line without a header.
    const line = "a.near,2,1.png,b.near";
    expect(read("a.csv", line)).toEqual({ problems: [expect.stringMatching(/^a\.csv:1 has more than/)] });
  });

  test("has its first wrong lines reported, and the others counted", () => {
    expect(readAllowlist("a.csv", "alice.near\n\nBob\n")).toEqual({
      problems: [expect.stringMatching(/^a\.csv:3 "Bob": give a NEAR account id/)],
    });
    const many = readAllowlist("a.csv", "X\n".repeat(100));
    expect("problems" in many && many.problems).toHaveLength(21);
    expect(readAllowlist("a.csv", "account\n")).toEqual({ problems: ["a.csv names no account."] });
    expect(readAllowlist("a.csv", 'a.near\n"b.near')).toEqual({
      problems: [expect.stringMatching(/^a\.csv:2 .*quote/)],
    });
  });

  test("is sent in requests of at most 500 accounts, each account once, in order", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 2_000 }), (accounts) => {
        const batches = allowlistBatches(accounts);
        expect(batches.flat()).toEqual(accounts);
        expect(batches.every(({ length }) => length > 0 && length <= 500)).toBe(true);
      }),
    );
  });
});

describe("the subtitles of a collection's assets", () => {
  test.each([
    ["Herons", { name: "Herons #7" }, "#7"],
    ["Herons", { name: "Night Watch" }, "Night Watch"],
    ["Night", { name: "Nightingale 3" }, "Nightingale 3"],
    ["Heron", { name: "Heron2" }, "Heron2"],
    ["Herons", { name: "Herons: the last" }, ": the last"],
    ["Herons", { name: "Herons" }, "#$TOKEN_NUM"],
    ["Herons", { name: 7 }, "#$TOKEN_NUM"],
    ["Herons", {}, "#$TOKEN_NUM"],
    ["Herons", null, "#$TOKEN_NUM"],
    ["Herons", { name: "a\n\tb" }, "a b"],
  ])("in %s with %j are %s", (title, metadata, subtitle) =>
    expect(subtitleOf(title, metadata)).toBe(subtitle),
  );
});

describe("npm run launch -- --init", () => {
  const answers: Answers = {
    title: 'Herons: "Night"',
    description: "",
    copies: "3",
    subtitle: "#$TOKEN_NUM",
    price: "1.5 NEAR",
    starts: "2026-12-24 18:00 Europe/Berlin",
    perAccount: "2",
    allowlistPrice: "free",
    allowlistPerAccount: "1",
    salesAccount: "bob.near",
    salesPercent: "50",
    royaltyAccount: "alice.near",
    royaltyPercent: "7.5 %",
    payout: "alice.near",
    page: "night-herons",
  };

  test("writes a collection.yaml with the answers", () => {
    const yaml = collectionYaml(answers);
    expect(requestOf(yaml)).toMatchObject({
      title: 'Herons: "Night"',
      public_mint_config: {
        mint_fee: "1500000000000000000000000",
        starts_at: "2026-12-24T17:00:00.000Z",
        limit_per_account: 2,
      },
      private_mint_config: { mint_fee: "0", limit_per_account: 1 },
      initial_royalties: { "bob.near": 50 },
      ongoing_royalties: { "alice.near": 7.5 },
    });
    expect(fileOf(yaml)).toMatchObject({
      copies: 3,
      subtitle: "#$TOKEN_NUM",
      phases: [{ list: { file: "allowlist.csv" } }, { list: null }],
      payout: "alice.near",
      page: { slug: "night-herons" },
    });
    const least = {
      ...answers,
      price: "none",
      starts: "now",
      perAccount: "any",
      allowlistPrice: "none",
      allowlistPerAccount: "any",
      salesAccount: "none",
      royaltyAccount: "none",
      subtitle: "name",
      payout: "none",
      page: "yes",
    };
    expect(fileOf(collectionYaml(least))).toMatchObject({
      draft: { initial_royalties: {}, ongoing_royalties: {} },
      phases: [],
      subtitle: null,
      payout: null,
      page: "by_title",
    });
    expect(fileOf(collectionYaml({ ...least, subtitle: "no", page: "no" }))).toMatchObject({
      subtitle: "",
      page: "none",
    });
  });

  test("repeats a question until the answer is valid", async () => {
    const shares = ["bob.near", "95.01", "95", "Bob", "b.near", "none"];
    const phases = ["cheap", "1", "later", "now", "any", "free", ""];
    const given = ["", "Herons", "", "many", "3", "", ...phases, ...shares, "My Page", "my-page"];
    const refused: string[] = [];
    const found = await askAll(
      {
        ask: async (_, fallback, problem = () => null) => {
          for (;;) {
            const answer = given.shift() || fallback;
            const wrong = problem(answer);
            if (wrong === null) return answer;
            refused.push(answer);
          }
        },
        close: () => {},
      },
      false,
    );
    expect(found).toMatchObject({
      title: "Herons",
      copies: "3",
      subtitle: "#$TOKEN_NUM",
      payout: "b.near",
      page: "my-page",
      price: "1",
      starts: "now",
      allowlistPrice: "free",
      allowlistPerAccount: "1",
      salesAccount: "bob.near",
      salesPercent: "95",
      royaltyAccount: "none",
    });
    expect(refused).toEqual(["", "many", "cheap", "later", "95.01", "Bob", "My Page"]);
  });

  test("doesn't ask for shares of sales if minting is free", async () => {
    const asked: string[] = [];
    const { subtitle } = await askAll(
      {
        ask: async (question, fallback) => {
          asked.push(question);
          return question.startsWith("Price for everybody") ? "0 NEAR" : fallback;
        },
        close: () => {},
      },
      true,
    );
    expect(asked.filter((question) => /share of|paid out/.test(question))).toEqual([
      expect.stringContaining("resales"),
    ]);
    // JSON files have the names.
    expect(subtitle).toBe("name");
  });

  test("refuses a folder without pictures before it asks anything", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mintage-init-"));
    mkdirSync(join(folder, "build", "images"), { recursive: true });
    writeFileSync(join(folder, "build", "images", "1.png"), "");
    const refused = initFolder(folder, { ask: () => Promise.reject(new Error("asked")), close: () => {} });
    await expect(refused).rejects.toThrow("give the folder build in it");
    rmSync(folder, { recursive: true });
  });
});
