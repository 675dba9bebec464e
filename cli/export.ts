/** `npm run export -- <collection>`: everything of a collection, for keeping and for going on elsewhere. */
import { createWriteStream, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { collectionOf, commandClient, keyAccess, run, UsageError } from "./command.ts";
import { carBelow, rootsOf } from "./export/car.ts";
import { guideText } from "./export/guide.ts";
import { ProgressLine } from "./progress.ts";

const USAGE = `npm run export -- <collection> [--out FOLDER]

Writes all of a collection into a folder (export-<collection>): its files as a
CAR, settings, tokens, holders, transactions, and a page on how to go on without
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

/** A line of JSON for each that is to be in the file. */
async function* lines<T>(list: AsyncIterable<T>, isIn: (one: T) => boolean): AsyncGenerator<string> {
  for await (const one of list) if (isIn(one)) yield `${JSON.stringify(one)}\n`;
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
  const client = commandClient();
  const [me, collection] = await Promise.all([client.me(), client.collections.get(uuid)]);
  const folder = values.out ?? `export-${uuid}`;
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, name);

  await write(file("settings.json"), [`${JSON.stringify(collection, null, 2)}\n`]);
  const named = new Set<string>();
  let tokens = 0;
  const tokenLines = lines(client.collections.tokens(uuid), ({ metadata: { media, reference } }) => {
    tokens += 1;
    for (const cid of [media, reference]) if (cid) named.add(cid);
    return true;
  });
  await write(file("tokens.jsonl"), tokenLines);
  const roots = await rootsOf(baseUrl, { directory: collection.ipfs_root_cid, named });
  const line = new ProgressLine();
  const car = carBelow(baseUrl, roots, (read, known) =>
    line.show(read / known, `${read} of ${known} blocks`),
  );
  await write(file("files.car"), car).finally(() => line.end());
  const { block_height, block_hash, holders } = await client.collections.holders(uuid);
  const { contract_address } = collection;
  const snapshot = { contract_address, collection_uuid: uuid, block_height, block_hash, holders };
  await write(file("holders.json"), [`${JSON.stringify(snapshot, null, 2)}\n`]);
  await write(
    file("transactions.jsonl"),
    lines(client.transactions.list(), ({ receiver_id }) => receiver_id === contract_address),
  );
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
    `${folder}: ${tokens} tokens, ${holders.length} holders. Next steps: ${file("README.md")}\n`,
  );
});
