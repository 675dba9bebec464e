import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CarReader } from "@ipld/car";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { sha256 } from "multiformats/hashes/sha2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readReceivers } from "../../cli/airdrop/receivers.ts";
import { readCsv } from "../../cli/csv.ts";
import { readNear } from "../../cli/launch/prices.ts";
import { LocalChain } from "../../cli/local-chain.ts";
import { AdminClient } from "../../client/src/admin.ts";
import { type Holder, MintageClient } from "../../client/src/index.ts";
import { openShop, type Shop } from "../../testing/bench-integration.ts";
import { picture } from "../../testing/pictures.ts";
import { type BenchService, startService } from "../../testing/service.ts";
import { rpc } from "../support/chain.ts";
import { type Ended, everywhere, killingProxy, startCommand } from "../support/killed-command.ts";

/** Rows of one NFT each, in four requests, and one row of two requests. */
const ROWS = 80;
const MANY = 30;
const MOST_RUNS = 40;

let service: BenchService;
let shop: Shop;
let client: MintageClient;
let folder: string;
let collectionUuid: string;

/** Implicit accounts, each there for whoever holds its key. */
const receiver = (number: number) => createHash("sha256").update(`receiver ${number}`).digest("hex");

beforeAll(async () => {
  service = await startService({ entry: "src/index.ts", blockMs: 100, quiet: true });
  shop = await openShop(service);
  client = new MintageClient({ baseUrl: service.url, apiKey: shop.key });
  folder = mkdtempSync(join(tmpdir(), "mintage-airdrop-"));
  const draft = await client.drafts.create({ contract_uuid: shop.contractUuid, title: "Herons" });
  await client.drafts.attachAssets(draft.collection_draft_uuid, [
    { filename: "0.png", data: picture("png", 0), copies: ROWS + MANY + 5 },
  ]);
  ({ collection_uuid: collectionUuid } = await client.drafts.finalize(draft.collection_draft_uuid));
});
afterAll(async () => {
  await service?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

test("an airdrop that is killed before and after each of its requests mints each row once", async () => {
  const file = join(folder, "receivers.csv");
  const rows = Array.from({ length: ROWS }, (_, index) => receiver(index));
  writeFileSync(file, `account,quantity\n${rows.join("\n")}\n${receiver(0)},${MANY}\n`);
  const proxy = await killingProxy(service.url, everywhere());
  const runs: Ended[] = [];
  try {
    do {
      const args = [collectionUuid, file, "--yes", "--json", "--parallel", "3"];
      runs.push(await proxy.run("airdrop.ts", args, { MINTAGE_API_KEY: shop.key }));
    } while (runs.at(-1)?.killed && runs.length < MOST_RUNS);
  } finally {
    await proxy.stop();
  }
  const last = runs.at(-1);
  expect(last?.code, last?.stderr).toBe(0);
  expect(runs.filter(({ killed }) => killed).length).toBeGreaterThanOrEqual(6);
  expect(JSON.parse(last?.stdout ?? "")).toMatchObject({ rows: ROWS + 1, minted: ROWS + MANY, requests: 6 });

  const owned = new Map<string, string[]>();
  for await (const { owner_id, token_id } of client.collections.tokens(collectionUuid)) {
    owned.set(owner_id, [...(owned.get(owner_id) ?? []), token_id]);
  }
  const counts = Object.fromEntries([...owned].map(([owner, tokens]) => [owner, tokens.length]));
  expect(counts).toEqual(Object.fromEntries(rows.map((owner, index) => [owner, index === 0 ? 1 + MANY : 1])));

  const receipts = readCsv("receipts.csv", readFileSync(join(folder, "receivers.receipts.csv"), "utf8")).rows;
  const told = new Map<string, string[]>();
  for (const { cells } of receipts.slice(1)) {
    const [, owner = "", quantity, tokens = "", transactions = ""] = cells;
    expect(tokens.split(" ")).toHaveLength(Number(quantity));
    expect(transactions).not.toBe("");
    told.set(owner, [...(told.get(owner) ?? []), ...tokens.split(" ")]);
  }
  const sorted = (map: Map<string, string[]>) =>
    [...map].map(([owner, ids]) => [owner, ids.toSorted()]).toSorted();
  expect(sorted(told)).toEqual(sorted(owned));
});

test("an airdrop that its wallet can't pay for sends nothing, and the named amount is enough for all of it", async () => {
  const poor = await openShop(service);
  const owner = new MintageClient({ baseUrl: service.url, apiKey: poor.key });
  const chain = new LocalChain(service.rpcUrl, join(folder, "keys"));
  const admin = new AdminClient({ baseUrl: service.url, adminToken: service.adminToken });
  await chain.make("saver.near", "1");
  await admin.integrations.setPayoutAccount((await owner.me()).integration_uuid, "saver.near");
  const draft = await owner.drafts.create({ contract_uuid: poor.contractUuid, title: "Egrets" });
  await owner.drafts.attachAssets(draft.collection_draft_uuid, [
    { filename: "0.png", data: picture("png", 0), copies: 1_450 },
  ]);
  const { collection_uuid: uuid } = await owner.drafts.finalize(draft.collection_draft_uuid);
  const env = { MINTAGE_URL: service.url, MINTAGE_API_KEY: poor.key };
  const minted = async () => (await owner.collections.get(uuid)).minted;

  // The first uses up what the contract has free. The second stores more than the service tops it up with in the meantime.
  for (const count of [1_005, 400]) {
    const { wallet } = await owner.me();
    await owner.wallet.payOut(String(BigInt(wallet.available ?? 0) - 2n * 10n ** 22n));
    const file = join(folder, `${count}.csv`);
    const rows = Array.from({ length: count }, (_, index) => receiver(index));
    writeFileSync(file, `account;quantity\n${rows.join("\n")}\n`);
    const run = () => startCommand("airdrop.ts", [uuid, file, "--yes", "--json"], env).ended;
    const before = await minted();

    const refused = await run();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("Nothing was sent.");
    const [, amount = "", account] =
      /Send (\d+\.\d{4}) NEAR to (\S+) and run it again/.exec(refused.stderr) ?? [];
    expect(account).toBe(poor.walletAccountId);
    expect(await minted()).toBe(before);

    const sum = readNear(amount);
    if ("problem" in sum) throw new Error(sum.problem);
    await chain.give(poor.walletAccountId, sum.value);
    const paid = await run();
    expect(paid.code, refused.stderr + paid.stderr).toBe(0);
    expect(JSON.parse(paid.stdout)).toMatchObject({ minted: count });

    // What is minted costs nothing again.
    const again = await run();
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toMatch(/cost in all +about 0\.0000 NEAR/);
  }
});

test("a snapshot of a collection and one of its contract have the same holders, and name a block", async () => {
  const { contract_address: contract } = await client.collections.get(collectionUuid);
  const env = { MINTAGE_URL: service.url, MINTAGE_API_KEY: shop.key, NEAR_RPC_URL: service.rpcUrl };
  const owned = new Map<string, number>();
  for await (const { owner_id } of client.collections.tokens(collectionUuid)) {
    owned.set(owner_id, (owned.get(owner_id) ?? 0) + 1);
  }
  for (const of of [collectionUuid, contract]) {
    const file = join(folder, `${of}.json`);
    const { code, stderr } = await startCommand("snapshot.ts", [of, "--out", file], env).ended;
    expect(code, stderr).toBe(0);
    const { holders, block_height, block_hash } = JSON.parse(readFileSync(file, "utf8"));
    expect(Object.fromEntries(holders.map((one: Holder) => [one.account_id, one.tokens]))).toEqual(
      Object.fromEntries(owned),
    );
    const block = await rpc(service.rpcUrl, "block", { block_id: block_hash });
    expect(block).toMatchObject({ header: { height: block_height } });
  }
  const csv = join(folder, "holders.csv");
  const table = await startCommand("snapshot.ts", [contract, "--csv", "--out", csv], env).ended;
  expect(table.code, table.stderr).toBe(0);
  const receivers = readReceivers("holders.csv", readFileSync(csv, "utf8"));
  expect(receivers).toMatchObject({ receivers: { length: owned.size }, problems: [] });

  const none = await startCommand("snapshot.ts", ["nobody.near"], env).ended;
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("no contract of this name")]);
});

test("an export has every file by its CID, every token, its holders and its transactions", async () => {
  // A picture and metadata that only one NFT has: the collection's directory has neither.
  const other = await client.drafts.create({ contract_uuid: shop.contractUuid, title: "Others" });
  const reference = Buffer.from('{"name":"Alone"}');
  const [alone] = await client.drafts.attachAssets(other.collection_draft_uuid, [
    {
      filename: "1.png",
      data: picture("png", 1),
      copies: 1,
      reference: { filename: "1.json", data: reference },
    },
  ]);
  const metadata = { asset_file_url: alone?.asset_url ?? "", reference_file_url: alone?.reference_url ?? "" };
  const ordered = await client.collections.mint(
    collectionUuid,
    { receiver_addresses: [receiver(0)], metadata },
    { reference: "order-1001" },
  );

  const out = join(folder, "export");
  const env = { MINTAGE_URL: service.url, MINTAGE_API_KEY: shop.key };
  const { code, stderr } = await startCommand("export.ts", [collectionUuid, "--out", out], env).ended;
  expect(code, stderr).toBe(0);
  const text = (name: string) => readFileSync(join(out, name), "utf8");
  const listed = (name: string) =>
    text(name)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  const settings = JSON.parse(text("settings.json"));
  const car = await CarReader.fromBytes(readFileSync(join(out, "files.car")));
  const cidOf = async (bytes: Uint8Array) => CID.createV1(raw.code, await sha256.digest(bytes));
  const own = (await Promise.all([picture("png", 1), reference].map(cidOf))).map(String);
  const [root, ...others] = (await car.getRoots()).map(String);
  expect([root, others.toSorted()]).toEqual([settings.ipfs_root_cid, own.toSorted()]);
  for (const bytes of [picture("png", 0), picture("png", 1), reference]) {
    const block = await car.get(await cidOf(bytes));
    expect(Buffer.from(block?.bytes ?? []).equals(Buffer.from(bytes))).toBe(true);
  }

  const tokens = listed("tokens.jsonl");
  expect(new Set(tokens.map(({ token_id }) => token_id)).size).toBe(ROWS + MANY + 1);
  const referring = tokens.filter((token) => token.reference !== null);
  expect(referring).toEqual([expect.objectContaining({ ...ordered.tokens[0], reference: "order-1001" })]);
  const { holders } = JSON.parse(text("holders.json"));
  expect(holders.reduce((sum: number, one: Holder) => sum + one.tokens, 0)).toBe(ROWS + MANY + 1);
  const transactions = listed("transactions.jsonl");
  expect(transactions.length).toBeGreaterThan(1);
  expect(new Set(transactions.map(({ receiver_id }) => receiver_id))).toEqual(
    new Set([settings.contract_address]),
  );
  expect(text("README.md")).toContain("files that NFTs have of their own (2)");
});

test("invalid rows, too many NFTs and a changed file are reported before anything is sent", async () => {
  const env = { MINTAGE_URL: service.url, MINTAGE_API_KEY: shop.key };
  const run = (file: string) => startCommand("airdrop.ts", [collectionUuid, file, "--yes"], env).ended;
  const bad = join(folder, "bad.csv");
  writeFileSync(bad, "account,quantity\nAlice,1\nbob.near,none\n");
  const refused = await run(bad);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('bad.csv:2 "Alice"');
  expect(refused.stderr).toContain('bad.csv:3 "none"');
  expect(existsSync(`${bad}.airdrop`)).toBe(false);

  const large = join(folder, "large.csv");
  writeFileSync(large, `${receiver(1)},1000\n`);
  const tooMany = await run(large);
  expect([tooMany.code, tooMany.stderr]).toEqual([2, expect.stringContaining("has 4 NFTs left")]);

  writeFileSync(large, `${receiver(1)},1\n`);
  const changed = await run(large);
  expect([changed.code, changed.stderr]).toEqual([
    2,
    expect.stringContaining("was started with other rows in large.csv"),
  ]);
});
