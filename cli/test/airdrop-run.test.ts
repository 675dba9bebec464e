import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Me, MintageClient } from "../../client/src/index.ts";
import { type Reply, type Seen, scriptedService } from "../../client/test/scripted-service.ts";
import { startCommand } from "../../test/support/killed-command.ts";
import { quoteRun } from "../airdrop/cost.ts";
import { AirdropJournal } from "../airdrop/journal.ts";
import { planMints } from "../airdrop/plan.ts";
import { type Airdrop, mintAll, mintedSoFar, type RefusedRow, receiptsCsv } from "../airdrop/run.ts";

const receivers = [{ line: 1, account: "a.near", quantity: 1 }];
const minted: Reply = {
  status: 201,
  body: { message: "success", tokens: [{ token_id: "1:1", owner_id: "a.near" }], tx_results: [] },
};
const refused = (status: number, body: object): Reply => ({ status, body: { message: "No.", ...body } });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mintage-airdrop-run-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs an airdrop as often as there are answers, each run getting one, and gives what was sent. */
async function sentFor(
  replies: readonly Reply[],
  unknownFrom = Infinity,
  rows = receivers,
): Promise<readonly Seen[]> {
  await using service = await scriptedService((_: Seen, count) => replies[count - 1] ?? "drop");
  const client = new MintageClient({ baseUrl: service.url, apiKey: "mk_live_test", retry: { retries: 0 } });
  const head = { base_url: service.url, collection_uuid: "c", rows_sha256: "s" };
  for (const run of replies.keys()) {
    const journal = AirdropJournal.open(join(folder, "journal"), head);
    const parts = planMints(rows);
    const airdrop = {
      client,
      collectionUuid: "c",
      receivers: rows,
      parts,
      assets: new Map([["1.png", "uuid-of-1"]]),
      journal,
      parallel: 1,
      allowsUnknown: run >= unknownFrom,
      onProgress: () => {},
    };
    await mintAll(airdrop).catch(() => {});
  }
  return service.seen;
}

const keysOf = async (...replies: readonly Reply[]): Promise<unknown[]> =>
  (await sentFor(replies)).map(({ headers }) => headers["idempotency-key"]);

test.each([
  ["a lost answer", "drop"],
  ["a key that was revoked", refused(401, { code: "api_key_revoked" })],
  ["a key that may only read", refused(403, { code: "scope_missing" })],
  ["too many requests", refused(429, { code: "rate_limited" })],
  ["another body under the key", refused(422, { code: "idempotency_key_reused" })],
  ["the same request under way", refused(409, { code: "idempotency_key_in_flight" })],
  ["an unknown outcome", refused(502, { code: "outcome_unknown", outcome: "unknown" })],
  ["a proxy's own answer", refused(404, {})],
  ["a rolled-back database", refused(503, { code: "wallet_inactive", outcome: "not_submitted" })],
  [
    "an answer that no node could be asked",
    refused(503, { code: "chain_unavailable", outcome: "not_submitted" }),
  ],
] as const)(
  "after %s a request is repeated under its first key, because it may have been carried out",
  async (_, reply) => {
    const keys = await keysOf("drop", reply, minted, minted);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  },
);

test.each([
  ["was not submitted", refused(402, { code: "insufficient_funds", outcome: "not_submitted" })],
  ["failed on the chain", refused(409, { code: "sold_out", outcome: "failed_on_chain" })],
] as const)("a request that %s is sent again under a new key", async (_, reply) => {
  const keys = await keysOf(reply, minted, minted);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(2);
});

test("receivers that don't exist are refused unless the option allows them", async () => {
  const missing = refused(400, { code: "unknown_account", outcome: "not_submitted" });
  const sent = await sentFor([missing, missing, minted], 2);
  expect(
    sent.map(({ body }) => (JSON.parse(body) as { receivers_must_exist: boolean }).receivers_must_exist),
  ).toEqual([true, true, false]);
  expect(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size).toBe(3);
});

test("a row that names an asset mints that asset, and a row without one mints a drawn asset", async () => {
  const rows = [
    { line: 2, account: "a.near", quantity: 1, asset: "1.png" },
    { line: 3, account: "b.near", quantity: 1 },
  ];
  const seen = await sentFor([minted, minted], Infinity, rows);
  const bodies = seen.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(bodies).toMatchObject([
    { receiver_addresses: ["a.near"], asset_uuid: "uuid-of-1" },
    { receiver_addresses: ["b.near"] },
  ]);
  expect(bodies[1]).not.toHaveProperty("asset_uuid");
});

/** A service that mints each request under its key once, as ours does, unless `refuse` has something against it. */
function mintingOnce(refuse: (accounts: readonly string[]) => Reply | Promise<Reply | null> | null) {
  const answers = new Map<unknown, Reply>();
  const owners: string[] = [];
  const reply = async ({ headers, body }: Seen): Promise<Reply> => {
    const key = headers["idempotency-key"];
    const known = answers.get(key);
    if (known) return known;
    const accounts = (JSON.parse(body) as { receiver_addresses: string[] }).receiver_addresses;
    const refusal = await refuse(accounts);
    if (refusal) return refusal;
    const tokens = accounts.map((owner_id) => ({ token_id: `1:${owners.push(owner_id)}`, owner_id }));
    const answer = { status: 201, body: { message: "success", tokens, tx_results: [] } };
    answers.set(key, answer);
    return answer;
  };
  return { owners, reply };
}

function airdropOf(
  url: string,
  rows: Airdrop["receivers"],
  assets: Airdrop["assets"],
  journal = "journal",
): Airdrop {
  const head = { base_url: url, collection_uuid: "c", rows_sha256: "s" };
  return {
    client: new MintageClient({ baseUrl: url, apiKey: "mk_live_test", retry: { retries: 0 } }),
    collectionUuid: "c",
    receivers: rows,
    parts: planMints(rows),
    assets,
    journal: AirdropJournal.open(join(folder, journal), head),
    parallel: 16,
    allowsUnknown: false,
    onProgress: () => {},
  };
}

/** Runs an airdrop of these accounts, several requests at a time. */
async function runFor(
  url: string,
  rows: Airdrop["receivers"],
  journal = "journal",
): Promise<{ refused: RefusedRow[] | string; minted: number; receipts: string }> {
  const airdrop = airdropOf(url, rows, new Map(), journal);
  const refused = await mintAll(airdrop).catch(({ code }: { code: string }) => code);
  return { refused, minted: mintedSoFar(airdrop), receipts: receiptsCsv(airdrop) };
}

test("the shown cost is of the requests that remain, and a chosen asset without copies left is reported", async () => {
  const quote = {
    ...{ transactions: 1, storage_bytes: 220, top_up: "0" },
    ...{ cost: { expected: "3", at_most: "5" }, wallet: { available: "9", missing: "0" } },
  };
  const assets = new Map(["gone.png", "1.png", "2.png"].map((name) => [name, `uuid of ${name}`]));
  await using service = await scriptedService(({ body }) =>
    body.includes("gone.png") ? refused(409, { code: "sold_out" }) : { status: 201, body: quote },
  );
  const rows = [
    { line: 1, account: "longest.near", quantity: 1, asset: "gone.png" },
    { line: 2, account: "long.near", quantity: 1, asset: "1.png" },
    { line: 3, account: "b.near", quantity: 1, asset: "2.png" },
    { line: 4, account: "a.near", quantity: 1 },
    { line: 5, account: "a.near", quantity: 2 },
  ];
  const airdrop = airdropOf(service.url, rows, assets);
  const sent = airdrop.parts.findIndex(({ quantity }) => quantity === 2);
  airdrop.journal.write({ part: sent, sent: 1, attempt: 1 });
  const me = { contracts: [], wallet: { available: "1" } } as unknown as Me;
  // Of chosen copies there are three requests, of drawn ones one.
  expect(await quoteRun(airdrop, me, "c.near")).toMatchObject({ nfts: 4, transactions: 4, available: 9n });
  const quoted = service.seen.map(({ body }) => (JSON.parse(body) as { body: unknown }).body);
  const common = { quantity_per_receiver: 1, receivers_must_exist: false };
  expect(quoted).toHaveLength(3);
  expect(quoted).toEqual(
    expect.arrayContaining([
      { ...common, receiver_addresses: ["a.near"] },
      { ...common, receiver_addresses: ["long.near"], asset_uuid: "uuid of 1.png" },
    ]),
  );
});

test("when a request is refused, the request already under way is finished and carried out once", async () => {
  let hasRefused = (): void => {};
  const refusal = new Promise<void>((resolve) => {
    hasRefused = resolve;
  });
  let isPoor = true;
  const chain = mintingOnce(async ([account]) => {
    if (account === "poor.near" && isPoor) {
      setTimeout(hasRefused, 50);
      return refused(402, { code: "insufficient_funds", outcome: "not_submitted" });
    }
    if (account === "slow.near") await refusal;
    return null;
  });
  await using service = await scriptedService(chain.reply);
  const rows = [
    { line: 1, account: "poor.near", quantity: 1 },
    { line: 2, account: "slow.near", quantity: 2 },
  ];
  expect(await runFor(service.url, rows)).toMatchObject({ refused: "insufficient_funds", minted: 2 });
  isPoor = false;
  expect(await runFor(service.url, rows)).toMatchObject({ refused: [], minted: 3 });
  expect(chain.owners.toSorted()).toEqual(["poor.near", "slow.near"]);
});

test("receivers that don't exist are listed together, others are minted to, and a later run mints the rest", async () => {
  const missing = new Set(["a3.near", "a7.near", "a40.near"]);
  const chain = mintingOnce((accounts) => {
    const issues = accounts.flatMap((account, at) =>
      missing.has(account) ? [{ path: ["receiver_addresses", at], message: "No such account." }] : [],
    );
    return issues.length > 0
      ? refused(400, { code: "unknown_account", outcome: "not_submitted", issues })
      : null;
  });
  await using service = await scriptedService(chain.reply);
  const rows = Array.from({ length: 60 }, (_, at) => ({ line: at + 2, account: `a${at}.near`, quantity: 1 }));
  // Three requests for one account.
  const many = [{ line: 1, account: "a3.near", quantity: 60 }];
  expect((await runFor(service.url, many, "many")).refused).toMatchObject([{ line: 1, account: "a3.near" }]);
  const first = await runFor(service.url, rows);
  expect(first.refused).toMatchObject([
    { line: 5, account: "a3.near" },
    { line: 9, account: "a7.near" },
    { line: 42, account: "a40.near" },
  ]);
  expect(first.minted).toBe(57);
  expect(first.receipts.split("\n").filter((line) => line.includes(",1,,,"))).toHaveLength(3);
  missing.delete("a7.near");
  expect(await runFor(service.url, rows)).toMatchObject({
    refused: [{ account: "a3.near" }, { account: "a40.near" }],
    minted: 58,
  });
  missing.clear();
  expect(await runFor(service.url, rows)).toMatchObject({ refused: [], minted: 60 });
  expect(await runFor(service.url, rows)).toMatchObject({ refused: [], minted: 60 });
  expect(chain.owners.toSorted()).toEqual(rows.map(({ account }) => account).toSorted());
});

test("all mistakes of a file are listed with their lines before anything is sent", async () => {
  const uuid = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11";
  const collection = {
    contract_address: "herons.near",
    collection_draft_uuid: uuid,
    title: "Herons",
    total_copies: 9,
    minted: 0,
    locks: [],
  };
  await using service = await scriptedService(({ path }) => ({
    status: 200,
    body: path.includes("/drop")
      ? []
      : path.includes("/asset")
        ? [{ asset_uuid: uuid, asset_filename: "1.png" }]
        : path.includes("/collection/")
          ? collection
          : { contracts: [], wallet: { available: "1" } },
  }));
  const file = join(folder, "receivers.csv");
  const rows = ["a.near,1,1.png", "system", "Bob", "b.near,1,2.png", "herons.near,2", "system,0"];
  writeFileSync(file, `account,quantity,asset\n${rows.join("\n")}\n`);
  const env = { MINTAGE_URL: service.url, MINTAGE_API_KEY: `mk_live_${"a".repeat(43)}` };
  const { code, stderr } = await startCommand("airdrop.ts", [uuid, file, "--yes"], env).ended;
  expect(code).toBe(1);
  const named = Array.from(stderr.matchAll(/receivers\.csv:(\d+) "([^"]*)": (.*)/g), ([, ...parts]) => parts);
  const nobody = "give another account: nobody can have this account, and the NFT would be lost.";
  expect(named).toEqual([
    ["3", "system", nobody],
    ["4", "Bob", expect.stringContaining("give a NEAR account id")],
    ["5", "2.png", expect.stringContaining("an asset of the collection")],
    [
      "6",
      "herons.near",
      "give another account: this is the NFT contract's own account, and the NFT would be lost.",
    ],
    ["7", "0", expect.stringContaining("as quantity")],
    ["7", "system", nobody],
  ]);
  expect(stderr).toContain("Nothing was sent.");
  expect(service.seen.filter(({ method }) => method !== "GET")).toEqual([]);
  expect(readdirSync(folder)).toEqual(["receivers.csv"]);
});
