/**
 * `npm run bench:airdrop`: an airdrop on the embedded chain whose command is killed three times, at a fifth, a half and
 * four fifths of its requests. Every account has to have one NFT in the end, or it exits with 1.
 * `--rows N` takes fewer than 10,000; with `--json` the last line is the figures as JSON.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MintageClient } from "../client/src/index.ts";
import { openShop } from "../testing/bench-integration.ts";
import { picture } from "../testing/pictures.ts";
import { startService } from "../testing/service.ts";

/** Milliseconds, as on mainnet. */
const BLOCK_MS = 600;
/** yoctoNEAR: what the wallet is given, so that money ends no run. */
const FUNDING = 10n ** 27n;
/** NFTs of a request. */
const MINTS = 25;
/** Shares of the requests after which the command is killed. */
const KILLS = [0.2, 0.5, 0.8];
/** How often the journal is looked at. Milliseconds. */
const LOOK_MS = 100;

const { values } = parseArgs({
  options: { rows: { type: "string", default: "10000" }, json: { type: "boolean", default: false } },
});
if (!/^[1-9]\d{0,5}$/.test(values.rows)) throw new Error("--rows has to be a whole number from 1 to 999999");
const rows = Number(values.rows);

/** Implicit accounts, which need not be made: 64 hexadecimal digits. */
const accounts = Array.from({ length: rows }, (_, row) =>
  createHash("sha256").update(`row ${row}`).digest("hex"),
);

/** Requests of the airdrop whose answer the command has written down. */
const doneIn = (journal: string): number =>
  existsSync(journal) ? readFileSync(journal, "utf8").split('"tokens"').length - 1 : 0;

const folder = mkdtempSync(join(tmpdir(), "mintage-airdrop-"));
const settings = { WALLET_FUNDING: FUNDING.toString() };
const service = await startService({ entry: "src/index.ts", blockMs: BLOCK_MS, quiet: true, settings });

/** Runs the command to its end; kills it once so many requests are through. Its output; null: it was killed. */
async function runUntil(
  collection: string,
  file: string,
  key: string,
  requests: number,
): Promise<string | null> {
  const command = join(import.meta.dirname, "..", "cli", "airdrop.ts");
  const child = spawn(process.execPath, [command, collection, file, "--yes", "--json"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, MINTAGE_URL: service.url, MINTAGE_API_KEY: key },
  });
  let output = "";
  let problems = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (problems += chunk));
  const look = setInterval(() => {
    if (doneIn(`${file}.airdrop`) >= requests) child.kill("SIGKILL");
  }, LOOK_MS);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once("close", (...end) => resolve(end)),
  );
  clearInterval(look);
  if (signal === "SIGKILL") return null;
  if (code !== 0) throw new Error(`the airdrop ended with ${code}: ${problems.slice(-1_000)}`);
  return output;
}

try {
  const shop = await openShop(service);
  const client = new MintageClient({ baseUrl: service.url, apiKey: shop.key });
  const draft = await client.drafts.create({ contract_uuid: shop.contractUuid, title: "An airdrop" });
  const uuid = draft.collection_draft_uuid;
  await client.drafts.attachAssets(uuid, [{ filename: "0.png", data: picture("png", 0), copies: rows }]);
  const { collection_uuid: collection } = await client.drafts.finalize(uuid);
  const file = join(folder, "receivers.csv");
  writeFileSync(file, `account\n${accounts.join("\n")}\n`);

  const before = await client.me();
  const started = performance.now();
  let kills = 0;
  let output: string | null = null;
  while (output === null) {
    const share = KILLS[kills];
    const requests = share === undefined ? Number.POSITIVE_INFINITY : Math.ceil((share * rows) / MINTS);
    output = await runUntil(collection, file, shop.key, requests);
    if (output === null) kills += 1;
  }
  const seconds = (performance.now() - started) / 1_000;
  const after = await client.me();

  const owned = new Map<string, number>();
  for await (const { owner_id: owner } of client.collections.tokens(collection)) {
    owned.set(owner, (owned.get(owner) ?? 0) + 1);
  }
  const wrong = accounts.filter((account) => owned.get(account) !== 1).length;
  const receipts = readFileSync(join(folder, "receivers.receipts.csv"), "utf8")
    .trimEnd()
    .split("\n")
    .slice(1);
  const column = (index: number) => new Set(receipts.map((line) => line.split(",")[index])).size;
  const spent = BigInt(before.wallet.balance ?? 0) - BigInt(after.wallet.balance ?? 0);
  const figures = {
    rows,
    kills,
    seconds: Number(seconds.toFixed(1)),
    wrong_accounts: wrong,
    other_owners: owned.size - (rows - accounts.filter((account) => !owned.has(account)).length),
    receipts: receipts.length,
    tokens: column(3),
    transactions: column(4),
    wallet_spent_near: Number(spent / 10n ** 18n) / 1e6,
  };
  for (const [what, value] of Object.entries(figures)) process.stdout.write(`${what.padEnd(18)} ${value}\n`);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  const isRight =
    wrong === 0 && figures.other_owners === 0 && figures.tokens === rows && kills === KILLS.length;
  process.exitCode = isRight ? 0 : 1;
} finally {
  await service.stop();
  rmSync(folder, { recursive: true });
}
