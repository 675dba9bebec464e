import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MintageClient, type Token } from "../../client/src/index.ts";
import { openShop, type Shop } from "../../testing/bench-integration.ts";
import { picture } from "../../testing/pictures.ts";
import { type BenchService, startService } from "../../testing/service.ts";
import { type Ended, everywhere, killingProxy } from "../support/killed-command.ts";

const PICTURES = 4;
const COPIES = 10;
const MOST_RUNS = 30;

let service: BenchService;
let shop: Shop;
let client: MintageClient;
let folder: string;
let uuid: string;
let proxy: Awaited<ReturnType<typeof killingProxy>>;

beforeAll(async () => {
  service = await startService({ entry: "src/index.ts", blockMs: 100, quiet: true });
  shop = await openShop(service);
  client = new MintageClient({ baseUrl: service.url, apiKey: shop.key });
  folder = mkdtempSync(join(tmpdir(), "mintage-collection-"));
  proxy = await killingProxy(service.url, everywhere());
});
afterAll(async () => {
  await proxy?.stop();
  await service?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

/** Runs a command until it isn't killed any more. */
async function untilDone(file: string, ...args: string[]): Promise<{ last: Ended; killed: number }> {
  const runs: Ended[] = [];
  do {
    const env = { MINTAGE_API_KEY: shop.key, MINTAGE_CONTRACT: shop.contractUuid, MINTAGE_DATA: folder };
    runs.push(await proxy.run(file, [...args, "--yes", "--json"], env));
  } while (runs.at(-1)?.killed && runs.length < MOST_RUNS);
  return { last: runs.at(-1)!, killed: runs.length - 1 };
}

const answered = <Answer>({ last }: { last: Ended }): Answer => {
  expect(last.code, last.stderr).toBe(0);
  return JSON.parse(last.stdout) as Answer;
};

async function all<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

async function tokens(): Promise<Map<string, Token>> {
  const entries = await all(client.collections.tokens(uuid));
  return new Map(entries.map((token) => [token.token_id, token]));
}

test("a launch that is killed at each of its writes hides its pictures, and commands show, change and move them", async () => {
  for (let number = 0; number < PICTURES; number += 1)
    writeFileSync(join(folder, `${number}.png`), picture("png", number));
  writeFileSync(join(folder, "placeholder.png"), picture("png", 9));
  writeFileSync(join(folder, "collection.yaml"), `title: Herons\ncopies: ${COPIES}\nreveal: true\n`);
  const launched = await untilDone("launch.ts", folder);
  expect(launched.killed).toBeGreaterThanOrEqual(6);
  ({ collection_uuid: uuid } = answered<{ collection_uuid: string }>(launched));
  expect((await client.collections.get(uuid)).reveal).toMatchObject({ state: "hidden", shown: 0 });
  const { wallet } = await client.me();
  for (const quantity_per_receiver of [25, 5])
    await client.collections.mint(uuid, {
      receiver_addresses: [wallet.account_id ?? ""],
      quantity_per_receiver,
    });
  const hidden = await tokens();
  expect(new Set([...hidden.values()].map(({ metadata }) => metadata.media)).size).toBe(1);

  answered(await untilDone("collection.ts", "reveal", uuid, "--shown", "2"));
  expect((await client.collections.get(uuid)).reveal).toMatchObject({ state: "partly", shown: 2 });
  answered(await untilDone("collection.ts", "reveal", uuid));
  expect((await client.collections.get(uuid)).reveal).toMatchObject({ state: "revealed", shown: PICTURES });

  // More files by URL than a request may name: two requests.
  const { collection_draft_uuid: draft } = await client.collections.get(uuid);
  const [first] = await all(client.drafts.assets(draft));
  const file = join(folder, "updates.csv");
  const ids = [...hidden.keys()];
  const rows = ids.map((id, at) => `${id},"Heron, no. ${at}",${first?.asset_url}`);
  writeFileSync(file, `token_id,title,asset_file_url\n${rows.join("\n")}\n`);
  const sent = proxy.writes.length;
  const updated = await untilDone("collection.ts", "update", uuid, file);
  expect(answered(updated)).toMatchObject({ rows: 30, changed: 30, requests: 2, failed: [] });
  // Before and after both of its quotes and both of its updates.
  expect(updated.killed).toBeGreaterThanOrEqual(4);
  expect(
    proxy.writes.slice(sent).filter((write) => write.includes("nft-update-bulk")).length,
  ).toBeGreaterThan(1);
  const changed = await tokens();
  expect(ids.map((id) => changed.get(id)?.metadata.title?.replace(/ #\d+$/, ""))).toEqual(
    ids.map((_, at) => `Heron, no. ${at}`),
  );
  const operations = await all(client.operations.list({ kind: "nft_update_bulk" }));
  expect(operations.map(({ state }) => state)).toEqual(["succeeded", "succeeded"]);
  expect(readFileSync(join(folder, "updates.receipts.csv"), "utf8").match(/,changed,$/gm)).toHaveLength(30);

  const receiver = "b".repeat(64);
  const [given, burnt, ...kept] = ids;
  answered(await untilDone("collection.ts", "transfer", uuid, given!, "--to", receiver));
  answered(await untilDone("collection.ts", "burn", uuid, burnt!));
  const moved = await tokens();
  expect(moved.get(given!)?.owner_id).toBe(receiver);
  expect(moved.has(burnt!)).toBe(false);
  expect(kept.every((id) => moved.get(id)?.owner_id === wallet.account_id)).toBe(true);

  answered(await untilDone("collection.ts", "lock", uuid, "royalties", "metadata"));
  const refused = join(folder, "refused.csv");
  writeFileSync(refused, `token_id,title\n${kept[0]},Egret\n`);
  const { last } = await untilDone("collection.ts", "update", uuid, refused);
  expect(last).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`refused.csv:2 ${kept[0]}: metadata is locked`),
  });
});
