import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AdminClient } from "../../client/src/admin.ts";
import { MintageClient } from "../../client/src/index.ts";
import { openShop, type Shop } from "../../testing/bench-integration.ts";
import { picture } from "../../testing/pictures.ts";
import { type BenchService, startService } from "../../testing/service.ts";
import {
  type Ended,
  everywhere,
  killingProxy,
  startCommand,
  type Verdict,
} from "../support/killed-command.ts";

/** Two requests' worth of pictures, and of accounts. */
const PICTURES = 20;
const SIZE = 900_000;
const ACCOUNTS = 600;
/** Takes the shop's shares and payouts. */
const ARTIST = "artist.near";
/** Longer than every write killed twice. */
const MOST_RUNS = 60;

let service: BenchService;
let shop: Shop;
let client: MintageClient;
let folder: string;
let proxy: Awaited<ReturnType<typeof killingProxy>>;

beforeAll(async () => {
  service = await startService({ entry: "src/index.ts", blockMs: 100, quiet: true });
  shop = await openShop(service);
  proxy = await killingProxy(service.url, everywhere());
  client = new MintageClient({ baseUrl: service.url, apiKey: shop.key });
  folder = mkdtempSync(join(tmpdir(), "mintage-launch-"));
  const artist = await startCommand("chain.ts", ["account", ARTIST], localState().env).ended;
  if (artist.code !== 0) throw new Error(artist.stderr);
  for (let index = 0; index < PICTURES; index += 1) {
    writeFileSync(join(folder, `${index}.png`), picture("png", index, SIZE));
    writeFileSync(join(folder, `${index}.json`), JSON.stringify({ name: `Herons #${index}` }));
  }
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => `friend${index}.near`);
  writeFileSync(join(folder, "allowlist.csv"), `account\n${accounts.join("\n")}\n`);
  writeFileSync(
    join(folder, "collection.yaml"),
    `title: Herons
payout: ${ARTIST}
copies: 2
phases:
  allowlist: { price: free, per_account: 1 }
  public: { price: 1.5 NEAR, starts: 2040-12-24 18:00 Europe/Berlin }
allowlist: allowlist.csv
royalties:
  sales: { ${ARTIST}: 12.5% }
  resales: { ${ARTIST}: 5% }
`,
  );
});
afterAll(async () => {
  await proxy?.stop();
  await service?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

/** The shop's key, and the operator's token. */
const operator = () => ({ MINTAGE_API_KEY: shop.key, MINTAGE_ADMIN_TOKEN: service.adminToken });

/** What npm start would have left for commands of this machine. */
function localState({ rpcUrl = service.rpcUrl } = {}) {
  const data = mkdtempSync(join(folder, ".state-"));
  mkdirSync(join(data, "devchain"));
  const { key: apiKey, contractUuid } = shop;
  const local = { baseUrl: service.url, apiKey, contractUuid, rpcUrl };
  writeFileSync(join(data, "devchain", "demo.json"), JSON.stringify(local));
  const env = { MINTAGE_DATA: data, MINTAGE_URL: service.url, MINTAGE_API_KEY: shop.key };
  return { data, env };
}

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of list) found.push(one);
  return found;
}

test("a launch that is killed before and after each of its writes ends in one collection as the folder describes", async () => {
  const runs: Ended[] = [];
  do {
    runs.push(await proxy.run("launch.ts", [folder, "--yes", "--json"], operator()));
  } while (runs.at(-1)?.killed && runs.length < MOST_RUNS);
  const last = runs.at(-1);
  expect(last?.code, last?.stderr).toBe(0);
  expect(runs.map(({ stderr }) => stderr).join("\n")).toMatch(
    /^Putting the collection on-chain costs about \d+\.\d{4} NEAR, at most \d+\.\d{4}/m,
  );
  const result = JSON.parse(last?.stdout ?? "");

  const [draft, ...otherDrafts] = await all(client.drafts.list());
  expect(otherDrafts).toEqual([]);
  const [collection, ...otherCollections] = await all(client.collections.list());
  expect(otherCollections).toEqual([]);
  expect(result).toMatchObject({
    collection_uuid: collection?.collection_uuid,
    collection_draft_uuid: draft?.collection_draft_uuid,
    assets: PICTURES,
    total_copies: 2 * PICTURES,
    allowlisted: ACCOUNTS,
  });
  expect(collection).toMatchObject({
    title: "Herons",
    total_assets: PICTURES,
    private_mint_config: { mint_fee: "0", limit_per_account: 1 },
    public_mint_config: { mint_fee: "1500000000000000000000000", starts_at: "2040-12-24T17:00:00.000Z" },
    initial_royalties: { [ARTIST]: 12.5 },
    ongoing_royalties: { [ARTIST]: 5 },
  });
  for (const account of ["friend0.near", `friend${ACCOUNTS - 1}.near`]) {
    const may = await client.collections.eligibility(result.collection_uuid, account);
    expect(may).toMatchObject({ allowed: true, via: "private", mint_fee: "0" });
  }
  // Each write of the launch was sent to the chain once, however often it was asked for.
  const operations = await (
    await fetch(`${service.url}/api/v1/operation`, { headers: { authorization: `Api-Key ${shop.key}` } })
  ).json();
  const kinds = (operations as { kind: string; state: string }[]).map(
    ({ kind, state }) => `${kind} ${state}`,
  );
  expect(kinds.toSorted()).toEqual([
    "allowlist_add succeeded",
    "allowlist_add succeeded",
    "contract_deploy succeeded",
    "finalize succeeded",
    "wallet_create succeeded",
  ]);
  expect(await (await fetch(result.files_url)).text()).toContain("19.png");
  for (const url of [result.mint_url, result.gallery_url]) {
    expect(await (await fetch(url)).text()).toContain("Herons");
  }
  const subtitles = (await all(client.drafts.assets(draft?.collection_draft_uuid ?? ""))).map(
    ({ asset_subtitle }) => asset_subtitle,
  );
  expect(subtitles).toContain("#7");
});

test("only the operator sets the payout account: a key gets the command for it, before anything is sent", async () => {
  const { integration_uuid: uuid } = await client.me();
  const answer = await fetch(`${service.url}/admin/v1/integration/${uuid}`, {
    headers: { authorization: `Bearer ${service.adminToken}` },
  });
  expect(await answer.json()).toMatchObject({ payout_account: ARTIST });
  const seen = proxy.writes.length;
  const data = { MINTAGE_DATA: join(folder, "none") };
  const refused = await proxy.run("launch.ts", [folder, "--yes"], { ...data, MINTAGE_API_KEY: shop.key });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`payout account ${uuid} ${ARTIST}`);
  expect(proxy.writes).toHaveLength(seen);
});

test("another run changes nothing and prints the same, and settings that were changed since are refused", async () => {
  const env = operator();
  const seen = proxy.writes.length;
  const again = await proxy.run("launch.ts", [folder, "--yes", "--json"], env);
  expect(again.code, again.stderr).toBe(0);
  expect(proxy.writes.slice(seen)).toEqual([]);
  expect(await all(client.collections.list())).toHaveLength(1);

  const file = join(folder, "collection.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("1.5 NEAR", "2 NEAR"));
  const changed = await proxy.run("launch.ts", [folder, "--yes"], env);
  expect(changed.code).toBe(2);
  expect(changed.stderr).toContain("changed after the collection went on-chain");
  expect(proxy.writes).toHaveLength(seen);
});

test("single settings of a phase change on-chain, wherever the run is killed, and the others stay", async () => {
  const uuid = (await all(client.collections.list()))[0]?.collection_uuid ?? "";
  const { public_mint_config: before } = await client.collections.get(uuid);
  const runs: Ended[] = [];
  do {
    const args = ["set", folder, "--price", "2.5", "--per-account", "3", "--yes", "--json"];
    runs.push(await proxy.run("launch.ts", args, operator()));
  } while (runs.at(-1)?.killed && runs.length < MOST_RUNS);
  expect(runs.at(-1)?.code, runs.at(-1)?.stderr).toBe(0);
  const changed = { ...before, mint_fee: "2500000000000000000000000", limit_per_account: 3 };
  expect(JSON.parse(runs.at(-1)!.stdout)).toMatchObject({ public_mint_config: changed });
  const set = (...args: string[]) => proxy.run("launch.ts", ["set", folder, ...args], operator());
  const none = await set("--per-account", "none", "--phase", "allowlist", "--yes");
  expect(none.stderr).toMatch(/^allowlist per account +1 +any number$/m);
  expect(none.stderr).toMatch(/^It costs at most 0\.\d{4} NEAR\.$/m);
  expect(await client.collections.get(uuid)).toMatchObject({
    public_mint_config: changed,
    private_mint_config: { mint_fee: "0", limit_per_account: null },
  });
  await set("--per-account", "1", "--phase", "allowlist", "--yes");
  const seen = proxy.writes.length;
  for (const [args, wanted] of [
    [["--price", "2.5", "--yes"], /already has these settings/],
    [["--price", "cheap"], /^--price: give an amount of NEAR/],
    [["--starts", "tomorrow"], /^--starts: give a date/],
    [["--per-account", "0"], /^--per-account: give a whole number/],
    [["--phase", "early", "--price", "1"], /^--phase must be public or allowlist/],
    [["--yes"], /^Give --price, --per-account, --supply, --starts or --ends/],
  ] as const) {
    const { stdout, stderr } = await set(...args);
    expect(stdout + stderr).toMatch(wanted);
  }
  expect(proxy.writes).toHaveLength(seen);
  const unasked = await set("--price", "1");
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringMatching(/2\.5 NEAR +1 NEAR[\s\S]*--yes/)]);
  const elsewhere = await startCommand("launch.ts", ["set", tmpdir(), "--price", "1"], operator()).ended;
  expect(elsewhere.code).toBe(2);
});

test("an account on the allowlist mints for free on this chain, and another account gets the reason", async () => {
  const { env } = localState();
  const chain = async (...args: string[]) => {
    const { code, stdout, stderr } = await startCommand("chain.ts", [...args, "--json"], env).ended;
    return { code, stderr, data: code === 0 ? JSON.parse(stdout) : null };
  };
  const made = await chain("account", "friend0.near", "--near", "7");
  expect(made, made.stderr).toMatchObject({
    code: 0,
    data: { private_key: expect.stringMatching(/^ed25519:/) },
  });
  expect((await chain("account", "friend0.near")).stderr).toContain("exists already");

  const [collection] = await all(client.collections.list());
  const uuid = collection?.collection_uuid ?? "";
  const minted = await chain("mint", "friend0.near", uuid);
  expect(minted, minted.stderr).toMatchObject({ code: 0, data: { mint_fee: "0" } });
  const [token] = await all(client.collections.tokens(uuid));
  expect(token).toMatchObject({ token_id: minted.data.token_id, owner_id: "friend0.near" });

  // The contract counts at once, what the service says of an account follows within five seconds: the command waits for it.
  const again = await chain("mint", "friend0.near", uuid);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("friend0.near may not mint")]);
  expect(again.stderr).not.toMatch(/panicked|E_| {4}at /);

  const given = await chain("give", "ab".repeat(32), "2.5");
  expect(given, given.stderr).toMatchObject({ code: 0, data: { balance: "2500000000000000000000000" } });
  expect((await chain("accounts")).data).toEqual(
    expect.arrayContaining([expect.objectContaining({ account_id: "friend0.near" })]),
  );

  const dear = { mint_fee: "5000000000000000000000000", starts_at: null };
  await client.collections.update(uuid, { public_mint_config: dear });
  await chain("account", "poor.near", "--near", "0.3");
  const poor = await chain("mint", "poor.near", uuid);
  expect(poor.code).toBe(2);
  expect(poor.stderr).toMatch(
    /^poor\.near has 0\.3000 NEAR, and the mint takes up to 5\.\d{4}, .*chain -- give/,
  );
  await client.collections.update(uuid, { public_mint_config: null });
  await chain("account", "stranger.near");
  expect((await chain("mint", "stranger.near", uuid)).stderr).toContain("stranger.near may not mint");

  const { data: ended } = localState({ rpcUrl: "http://127.0.0.1:9" });
  const unanswered = await startCommand("chain.ts", ["accounts"], { ...env, MINTAGE_DATA: ended }).ended;
  expect(unanswered.code).toBe(0);
  const refused = await startCommand("chain.ts", ["give", "a.near", "1"], { ...env, MINTAGE_DATA: ended })
    .ended;
  expect([refused.code, refused.stderr]).toEqual([
    2,
    "No chain answers at http://127.0.0.1:9: run npm start first.\n",
  ]);
});

test("the sales of each collection are shown, and paid out on request", async () => {
  const { env } = localState();
  const chain = (...args: string[]) => startCommand("chain.ts", [...args, "--json"], env).ended;
  const payout = (...args: string[]) => startCommand("payout.ts", args, env).ended;
  const uuid = (await all(client.collections.list()))[0]?.collection_uuid ?? "";
  await client.collections.update(uuid, { public_mint_config: { mint_fee: "1000000000000000000000000" } });
  expect((await chain("account", "buyer.near", "--near", "7")).code).toBe(0);
  // What the service says of an account follows within five seconds.
  await expect.poll(async () => (await chain("mint", "buyer.near", uuid)).code).toBe(0);
  const earned = async () =>
    (JSON.parse((await payout("--json")).stdout) as { collections: { earned: string }[] }).collections.map(
      (row) => row.earned,
    );
  expect((await payout()).stdout).toMatch(
    /Herons .*0\.0000\n\nNothing is unpaid, apart from sales of the last minute\.\n$/,
  );
  await service.runSchedule();
  expect(await earned()).toEqual([String(((10n ** 24n - 27n * 10n ** 20n) / 40n) * 33n)]);
  expect((await payout()).stdout).toMatch(
    /Herons .*0\.8227\n\nUnpaid: 0\.8227 NEAR\. npm run payout -- sales pays it out\.\n$/,
  );
  const unasked = await payout("sales");
  expect([unasked.code, unasked.stderr]).toEqual([
    2,
    expect.stringMatching(/^At most 0\.8\d{3} NEAR leave[\s\S]*--yes/),
  ]);
  const paid = await payout("sales", "--yes");
  expect(paid.stdout, paid.stderr).toBe(`0.8227 NEAR were paid to ${ARTIST}.\n`);
  expect((await payout()).stdout).toMatch(
    /Herons .*0\.8227\n\nNothing is unpaid, apart from sales of the last minute\.\n$/,
  );
  const again = await payout("sales", "--yes");
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("Nothing is left to pay out")]);
  expect((await payout("some")).stderr).toMatch(/^Give sales, all or an amount/);
});

test("a payout that is killed before and after its request is made once, however often it is repeated", async () => {
  const { data } = localState();
  const admin = new AdminClient({ baseUrl: service.url, adminToken: service.adminToken });
  await admin.integrations.setPayoutAccount((await client.me()).integration_uuid, ARTIST);
  const verdicts: Verdict[] = ["kill_before", "kill_after"];
  const proxy = await killingProxy(service.url, (write) =>
    write.includes("/wallet/payout") ? (verdicts.shift() ?? "pass") : "pass",
  );
  const run = (amount: string) =>
    proxy.run("payout.ts", [amount, "--yes"], { MINTAGE_DATA: data, MINTAGE_API_KEY: shop.key });
  const made = () => all(client.operations.list({ kind: "wallet_payout" })).then(({ length }) => length);
  const before = await made();
  try {
    expect((await run("0.5")).killed).toBe(true);
    expect(await made()).toBe(before);
    const other = await run("0.6");
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining("Run npm run payout -- 0.5 first: it is paid once."),
    ]);
    expect((await run("0.5")).killed).toBe(true);
    const known = await run("0.5");
    expect(known, known.stderr).toMatchObject({
      code: 0,
      stdout: `0.5000 NEAR were paid to ${ARTIST}.\n`,
      stderr: expect.stringContaining("an earlier run sent"),
    });
    expect(await made()).toBe(before + 1);
    const next = await run("0.6");
    expect(next.stdout, next.stderr).toMatch(/^0\.6000 NEAR were paid/);
    expect(await made()).toBe(before + 2);
  } finally {
    await proxy.stop();
  }
});

test("shares for missing accounts are refused before anything is uploaded, and omitted files are named", async () => {
  const { data, env } = localState();
  const wrong = join(folder, ".wrong");
  mkdirSync(wrong);
  writeFileSync(join(wrong, "heron.png"), picture("png", 1, 1000));
  writeFileSync(join(wrong, "dusk.heic"), "");
  const royalties = `  sales: { typo.near: 5%, ${ARTIST}: 5% }\n  resales: { typo.near: 5% }`;
  const phases = "phases: { allowlist: { price: free } }\nallowlist: one.txt";
  writeFileSync(join(wrong, "one.txt"), "typo.near\n");
  writeFileSync(join(wrong, "collection.yaml"), `title: Typo\n${phases}\nroyalties:\n${royalties}\n`);
  const refused = await startCommand("launch.ts", [wrong, "--yes"], env).ended;
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("collection.yaml royalties.sales.typo.near: there is no such account");
  expect(refused.stderr).toContain("collection.yaml royalties.resales.typo.near: there is no such account");
  expect(refused.stderr).not.toContain(`royalties.sales.${ARTIST}`);
  expect(refused.stderr).toMatch(/^files left out +dusk\.heic$/m);
  expect(refused.stderr).toContain("npm run chain -- account");
  const [draft] = await all(client.drafts.list());
  expect(await all(client.drafts.assets(draft?.collection_draft_uuid ?? ""))).toEqual([]);

  // Once the account is there, the next run goes on.
  const { stderr } = await startCommand("chain.ts", ["account", "typo.near"], env).ended;
  expect(stderr).toBe("");
  const done = await startCommand("launch.ts", [wrong, "--yes", "--json"], env).ended;
  expect(done.code, done.stderr).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ collection_draft_uuid: draft?.collection_draft_uuid });
  const again = await startCommand("launch.ts", [wrong, "--yes"], env).ended;
  expect(again.stderr).toMatch(/^1 account on the allowlist +free/m);
  expect(again.stdout).toMatch(/^NFTs +1 of 1 media file$/m);
  expect(again.stdout).toMatch(/^put on the allowlist +1 account$/m);
  rmSync(data, { recursive: true });
});

test("without a terminal nothing is asked, and all mistakes of a folder are reported", async () => {
  const env = { MINTAGE_URL: service.url, ...operator() };
  const silent = await startCommand("launch.ts", [folder], env).ended;
  expect(silent.code).toBe(2);
  expect(silent.stderr).toContain("--yes");
  const bad = mkdtempSync(join(tmpdir(), "mintage-launch-bad-"));
  writeFileSync(join(bad, "0.png"), "no picture");
  writeFileSync(
    join(bad, "collection.yaml"),
    "title: Herons\nphases:\n  public:\n    prise: 1\nallowlist: none.csv\n",
  );
  const refused = await startCommand("launch.ts", [bad, "--yes"], env).ended;
  rmSync(bad, { recursive: true });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("collection.yaml:4 phases.public.prise: there is no such field");
  expect(refused.stderr).toContain("collection.yaml:3 phases.public.price: missing");
  expect(refused.stderr).toContain("0.png can't be used");
  expect(refused.stderr).toContain("Nothing was sent");
});

test("a collection from which nobody could mint any more is refused before anything is sent", async () => {
  const late = mkdtempSync(join(tmpdir(), "mintage-launch-late-"));
  writeFileSync(join(late, "0.png"), picture("png", 1));
  const phases = "phases:\n  public:\n    price: free\n    ends: 2020-01-01 00:00 UTC\n";
  writeFileSync(join(late, "collection.yaml"), `title: Late herons\n${phases}`);
  const before = await all(client.drafts.list());
  const env = { MINTAGE_URL: service.url, ...operator() };
  const refused = await startCommand("launch.ts", [late, "--yes"], env).ended;
  rmSync(late, { recursive: true });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("collection.yaml phases.public: it ended at 2020-01-01T00:00:00.000Z");
  expect(refused.stderr).toContain("Nothing was sent");
  expect(await all(client.drafts.list())).toEqual(before);
});
