/** `npm run export -- <collection>`: everything of a collection, to keep it or to continue it elsewhere. */

import { createWriteStream, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import type { MintAnswer, MintageClient, Token } from "../client/src/index.ts";
import { inParallel } from "../client/src/parallel.ts";
import { collectionOf, commandClient, keyAccess, run, UsageError } from "./command.ts";
import { carBelow, rootsOf } from "./export/car.ts";
import { guideText } from "./export/guide.ts";
import { pacedFetch } from "./paced-fetch.ts";
import { ProgressLine } from "./progress.ts";
import { counted } from "./table.ts";

const USAGE = `npm run export -- <collection> [--out FOLDER]

Writes all of a collection into a folder (export-<collection>): its files as a
CAR, settings, tokens, holders, transactions, and a page on how to continue without
the service. Run it again at any time; it replaces the files.

MINTAGE_URL and MINTAGE_API_KEY name another service than the one of npm start.`;

/** Writes a file whole or not at all. */
async function write(
  file: string,
  parts: AsyncIterable<string | Uint8Array> | Iterable<string>,
): Promise<void> {
  await pipeline(Readable.from(parts), createWriteStream(`${file}.new`));
  renameSync(`${file}.new`, file);
}

/** A line of JSON for each. */
async function* lines(list: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const one of list) yield `${JSON.stringify(one)}\n`;
}

/** Operations that are read at once. */
const AT_ONCE = 8;

/** The `reference` of the mint of each token whose request had one. */
async function referencesOf(client: MintageClient, collectionUuid: string): Promise<Map<string, string>> {
  const mints: { uuid: string; reference: string }[] = [];
  const ofCollection = { kind: "mint", subjectUuid: collectionUuid, state: "succeeded" } as const;
  for await (const { operation_uuid: uuid, reference } of client.operations.list(ofCollection))
    if (reference !== null) mints.push({ uuid, reference });
  const references = new Map<string, string>();
  await inParallel(mints, AT_ONCE, async ({ uuid, reference }) => {
    const { answer } = await client.operations.get(uuid);
    if (answer?.status !== 201) return;
    for (const { token_id } of (answer.body as MintAnswer).tokens) references.set(token_id, reference);
  });
  return references;
}

await run(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: "string" }, help: { type: "boolean", default: false } },
  });
  const [collectionUuid] = positionals;
  if (values.help || positionals.length !== 1 || !collectionUuid) throw new UsageError(USAGE);
  const uuid = collectionOf(collectionUuid);
  const { baseUrl } = keyAccess();
  const client = commandClient({ fetch: pacedFetch() });
  const [me, collection] = await Promise.all([client.me(), client.collections.get(uuid)]);
  const folder = values.out ?? `export-${uuid}`;
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, name);

  await write(file("settings.json"), [`${JSON.stringify(collection, null, 2)}\n`]);
  const references = await referencesOf(client, uuid);
  const named = new Set<string>();
  let tokens = 0;
  async function* tokenRows(): AsyncGenerator<Token & { reference: string | null }> {
    for await (const token of client.collections.tokens(uuid)) {
      tokens += 1;
      for (const cid of [token.metadata.media, token.metadata.reference]) if (cid) named.add(cid);
      yield { ...token, reference: references.get(token.token_id) ?? null };
    }
  }
  await write(file("tokens.jsonl"), lines(tokenRows()));
  const roots = await rootsOf(baseUrl, { directory: collection.ipfs_root_cid, named });
  const line = new ProgressLine();
  const car = carBelow(baseUrl, roots, (read, known) =>
    line.show(read / known, `${read} of ${counted(known, "block")}`),
  );
  await write(file("files.car"), car).finally(() => line.end());
  const { block_height, block_hash, holders } = await client.collections.holders(uuid);
  const { contract_address } = collection;
  const snapshot = { contract_address, collection_uuid: uuid, block_height, block_hash, holders };
  await write(file("holders.json"), [`${JSON.stringify(snapshot, null, 2)}\n`]);
  async function* transactions() {
    for await (const transaction of client.transactions.list())
      if (transaction.receiver_id === contract_address) yield transaction;
  }
  await write(file("transactions.jsonl"), lines(transactions()));
  const guide = guideText({
    collection,
    network: me.network,
    tokens,
    ownFiles: roots.own.map(String),
    missing: roots.missing,
    blockHeight: block_height,
    blockHash: block_hash,
  });
  writeFileSync(file("README.md"), guide);
  if (roots.missing.length > 0) {
    process.stderr.write(
      `The service lacks files that NFTs refer to; ${file("README.md")} lists what is missing.\n`,
    );
  }
  process.stdout.write(
    `${folder}: ${counted(tokens, "token")}, ${counted(holders.length, "holder")}. Next steps: ${file("README.md")}\n`,
  );
});
