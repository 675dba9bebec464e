import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import decodeQR from "qr/decode.js";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MintageClient } from "../../client/src/index.ts";
import { openShop, type Shop } from "../../testing/bench-integration.ts";
import { picture } from "../../testing/pictures.ts";
import { type BenchService, startService } from "../../testing/service.ts";
import { type Ended, everywhere, killingProxy, startCommand } from "../support/killed-command.ts";

const MOST_RUNS = 10;
const END = "2030-01-01T00:00:00Z";

let service: BenchService;
let shop: Shop;
let client: MintageClient;
let home: string;
let collection: string;

beforeAll(async () => {
  service = await startService({ entry: "src/index.ts", blockMs: 100, quiet: true });
  shop = await openShop(service);
  client = new MintageClient({ baseUrl: service.url, apiKey: shop.key });
  home = mkdtempSync(join(tmpdir(), "mintage-claim-"));
  collection = await newCollection();
  await client.collections.setPage(collection, { slug: "claimed-herons", enabled: true });
});
afterAll(async () => {
  await service?.stop();
  if (home) rmSync(home, { recursive: true });
});

/** A collection of 40 copies, without a page. */
const newCollection = async (): Promise<string> => {
  const { collection_draft_uuid: draft } = await client.drafts.create({
    contract_uuid: shop.contractUuid,
    title: "Herons",
  });
  await client.drafts.attachAssets(draft, [{ filename: "0.png", data: picture("png", 0), copies: 40 }]);
  return (await client.drafts.finalize(draft)).collection_uuid;
};

const command = (...args: string[]): Promise<Ended> =>
  startCommand("claim.ts", args, { MINTAGE_URL: service.url, MINTAGE_API_KEY: shop.key }).ended;

const dropIds = async (): Promise<number[]> => {
  const ids: number[] = [];
  for await (const { drop_id: id } of client.drops.list(collection)) ids.push(id);
  return ids;
};

const done = async (...args: string[]): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await command(...args, "--yes", "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
};

test("a collection without a page is reported with the next step, and nothing is created", async () => {
  const folder = join(home, "none");
  const args = ["create", await newCollection(), "--links", "3", "--expires", END, "--folder", folder];
  const { code, stderr } = await command(...args, "--yes");
  expect(code).toBe(2);
  expect(stderr).toContain("PUT /collection/{uuid}/page");
  expect(existsSync(folder)).toBe(false);
  args[1] = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11";
  expect((await command(...args)).stderr).toContain("There is no such collection.");
});

test("a run that is killed before and after each of its requests opens one drop, its codes are the links, and more links can be added", async () => {
  const earlier = await dropIds();
  const folder = join(home, "links");
  const args = ["create", collection, "--links", "3", "--expires", END, "--folder", folder, "--qr", "png"];
  const proxy = await killingProxy(service.url, everywhere());
  const runs: Ended[] = [];
  try {
    do {
      runs.push(await proxy.run("claim.ts", [...args, "--yes", "--json"], { MINTAGE_API_KEY: shop.key }));
    } while (runs.at(-1)?.killed && runs.length < MOST_RUNS);
  } finally {
    await proxy.stop();
  }
  expect(runs.at(-1)?.code, runs.at(-1)?.stderr).toBe(0);
  // Of the quote and of the drop.
  expect(runs.filter(({ killed }) => killed)).toHaveLength(4);
  const opened = (await dropIds()).filter((id) => !earlier.includes(id));
  expect(opened).toHaveLength(1);
  expect(await client.drops.get(collection, opened[0]!)).toMatchObject({
    links: 3,
    claimed: 0,
    quantity: 1,
    expires_at: "2030-01-01T00:00:00.000Z",
  });

  const [head, ...rows] = readFileSync(join(folder, "links.csv"), "utf8").trim().split("\n");
  expect(head).toBe("link,url");
  expect(rows).toHaveLength(3);
  const codes = readdirSync(join(folder, "qr")).toSorted();
  expect(codes).toEqual(["00001.png", "00002.png", "00003.png"]);
  for (const [index, code] of codes.entries()) {
    const { data, info } = await sharp(join(folder, "qr", code))
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(`${index + 1},${decodeQR({ ...info, data })}`).toBe(rows[index]);
  }
  for (const file of [".", "issuer.json", "links.csv", "qr", "qr/00001.png"]) {
    expect(statSync(join(folder, file)).mode & 0o077, file).toBe(0);
  }
  const git = (...words: string[]) => execFileSync("git", ["-C", home, ...words], { encoding: "utf8" });
  git("init", "--quiet");
  expect(git("status", "--porcelain", "links")).toBe("");

  const before = readFileSync(join(folder, "links.csv"), "utf8");
  expect(await done("top-up", folder, "--links", "5", "--qr", "svg")).toMatchObject({ links: 5 });
  const after = readFileSync(join(folder, "links.csv"), "utf8");
  expect(after.startsWith(before.replace(/(http:\/\/[^/]+)/g, () => service.url))).toBe(true);
  expect(after.trim().split("\n")).toHaveLength(6);
  expect(readFileSync(join(folder, "qr", "00005.svg"), "utf8")).toContain("<svg");
  expect(await done("status", folder)).toMatchObject({ links: 5, claimed: 0, claimed_links: [] });
});

test("single links are revoked by their numbers, and a drop with all its links", async () => {
  const folder = join(home, "ended");
  await done("create", collection, "--links", "4", "--expires", END, "--folder", folder, "--qr", "none");
  expect(await done("revoke", folder, "2", "4", "2")).toMatchObject({ revoked_links: [2, 4] });
  expect(await done("revoke", folder, "4", "1")).toMatchObject({ revoked_links: [1] });
  expect(await done("status", folder)).toMatchObject({
    ...{ claimed: 0, claimed_links: [], revoked: 3, revoked_links: [1, 2, 4] },
  });
  expect(await command("revoke", folder, "5", "--yes")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("A link's number must be a whole number from 1 to 4"),
  });
  expect((await command("revoke", folder, "--yes")).code).toBe(2);
  const unasked = await command("close", folder);
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  const { returned_near: returned } = await done("close", folder);
  expect(Number(returned)).toBeGreaterThan(0);
  expect((await command("status", folder)).stderr).toContain("no such drop, or it was closed");
});

test("a drop that the service refuses can be requested again in the same folder", async () => {
  const folder = join(home, "refused");
  const args = ["create", collection, "--links", "2", "--folder", folder, "--expires"];
  const { code, stderr } = await command(...args, "2020-01-01T00:00:00Z", "--yes");
  expect(code).toBe(2);
  expect(stderr).toContain("--expires: Send a time in the future");
  expect(await done(...args, END)).toMatchObject({ links: 2, expires_at: "2030-01-01T00:00:00.000Z" });
  const other = await command(...args, "2031-01-01T00:00:00Z", "--yes");
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("was started with --expires 2030-01-01T00:00:00.000Z"),
  });
});

test("a top-up can't reduce links or time, and makes all codes again for another address", async () => {
  const folder = join(home, "moved");
  await done("create", collection, "--links", "2", "--expires", END, "--folder", folder, "--qr", "png");
  const fewer = await command("top-up", folder, "--links", "1", "--yes");
  expect(fewer).toMatchObject({ code: 2, stderr: expect.stringContaining("the drop has 2 links") });
  const sooner = await command("top-up", folder, "--expires", "2029-01-01T00:00:00Z", "--yes");
  expect(sooner).toMatchObject({ code: 2, stderr: expect.stringContaining("links are valid until 2030") });
  await client.collections.setPage(collection, { slug: "moved-herons", enabled: true });
  await done("top-up", folder, "--links", "3", "--qr", "png");
  const rows = readFileSync(join(folder, "links.csv"), "utf8").trim().split("\n").slice(1);
  for (const [index, row] of rows.entries()) {
    expect(row).toContain("/c/moved-herons#");
    const { data, info } = await sharp(join(folder, "qr", `0000${index + 1}.png`))
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(`${index + 1},${decodeQR({ ...info, data })}`).toBe(row);
  }
});

test("opening links, beside others or mints, shows how few copies are left", async () => {
  const uuid = await newCollection();
  await client.collections.setPage(uuid, { slug: "crowded-herons", enabled: true });
  const create = ["create", uuid, "--expires", END, "--yes", "--folder"];
  expect((await command(...create, join(home, "few"), "--links", "10")).code).toBe(0);
  const folder = join(home, "many");
  const { code, stderr } = await command(...create, folder, "--links", "30");
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(
    "Claim links: 40 are open and need 40 of the 40 copies left; 0 more can be minted",
  );
  await client.collections.mint(uuid, {
    receiver_addresses: [shop.walletAccountId],
    quantity_per_receiver: 4,
  });
  const status = await command("status", folder);
  expect(status.stderr).toContain("4 copies are missing, so some links will fail");
  expect(status.stdout).toMatch(/^copies left +36$/m);
  const file = join(home, "receivers.csv");
  writeFileSync(file, `account,quantity\n${shop.walletAccountId},2\n`);
  const env = { MINTAGE_URL: service.url, MINTAGE_API_KEY: shop.key };
  const airdrop = await startCommand("airdrop.ts", [uuid, file], env).ended;
  expect(airdrop.code).toBe(2);
  expect(airdrop.stderr).toContain(
    "need 40 of the 36 copies left; after 2 more are minted, 6 copies are missing, so some links will fail",
  );
  expect((await client.collections.get(uuid)).minted).toBe(4);
});

test("a folder with a damaged file is reported", async () => {
  const folder = join(home, "broken");
  mkdirSync(folder);
  writeFileSync(join(folder, "issuer.json"), "{bad");
  const { code, stderr } = await command("status", folder);
  expect(code).toBe(2);
  expect(stderr).toContain("issuer.json is not what npm run claim writes");
});

test.each([
  [["create", "x", "--links", "0", "--expires", END], /--links must be a whole number/],
  [["create", "x", "--links", "3", "--expires", "tomorrow"], /--expires: give a date/],
  [["create", "x", "--links", "3", "--expires", END, "--qr", "gif"], /--qr must be one of/],
  [["status", "/nowhere"], /There are no claim links in/],
])("%j is refused with what is wrong", async (args, wanted) => {
  const { code, stderr } = await command(...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(wanted);
});
