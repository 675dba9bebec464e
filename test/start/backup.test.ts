import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ed25519 } from "@noble/curves/ed25519.js";
import { base58 } from "@scure/base";
import { afterAll, afterEach, expect, test } from "vitest";
import { MintageClient } from "../../client/src/index.ts";
import { startDevchain } from "../../devchain/index.ts";
import { picture } from "../../testing/pictures.ts";
import { ROOT } from "../support/imports.ts";
import { type Ended, startCommand } from "../support/killed-command.ts";
import { endScripts, freePort, interrupt, type Started, said, startScript } from "../support/npm-start.ts";

/** docs/running.md, "Backup and restore", by its commands. */

const folder = mkdtempSync(join(tmpdir(), "mintage-backup-"));
const started: Started[] = [];
afterEach(() => endScripts(started));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Environment = Readonly<Record<string, string>>;

/** The service of npm start, until `work` is done with its demo integration. */
async function whileRunning<T>(
  env: Environment,
  work: (client: MintageClient, contract: string) => Promise<T>,
): Promise<T> {
  const run = startScript("start", env);
  started.push(run);
  await said(run, "Ctrl-C ends the service");
  const apiKey = /demo key +(\S+)/.exec(run.output)?.[1] ?? "";
  const client = new MintageClient({ baseUrl: `http://localhost:${env.PORT}`, apiKey });
  const result = await work(client, (await client.me()).contracts[0]?.contract_uuid ?? "");
  interrupt(run);
  expect(await run.exit, run.output).toBe(0);
  return result;
}

const command = (file: string, args: readonly string[], env: Environment): Promise<Ended> =>
  startCommand(`${file}.ts`, args, env).ended;

/** What the command answers; it has to succeed. */
async function done(file: string, args: readonly string[], env: Environment): Promise<string> {
  const { code, stdout, stderr } = await command(file, args, env);
  expect(code, `${stdout}${stderr}`).toBe(0);
  return stdout;
}

async function newCollection(client: MintageClient, contract: string): Promise<string> {
  const draft = await client.drafts.create({ contract_uuid: contract, title: "Herons" });
  const file = { filename: "0.png", data: picture("png", 0), copies: 9 };
  await client.drafts.attachAssets(draft.collection_draft_uuid, [file]);
  return (await client.drafts.finalize(draft.collection_draft_uuid)).collection_uuid;
}

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of list) found.push(one);
  return found;
}

/** The token that one more mint brings. */
async function mintOne(client: MintageClient, collection: string): Promise<string | undefined> {
  const input = { receiver_addresses: ["ab".repeat(32)] };
  return (await client.collections.mint(collection, input)).tokens[0]?.token_id;
}

test("npm run backup copies all data of npm start, and npm run restore restores it", async () => {
  const data = join(folder, "embedded");
  const [port, nearPort] = [await freePort(), await freePort()];
  const env = { MINTAGE_DATA: data, PORT: String(port), NEAR_PORT: String(nearPort), NEAR_BLOCK_MS: "200" };
  const backup = join(folder, "copy");
  const collection = await whileRunning(env, async (client, contract) => {
    const uuid = await newCollection(client, contract);
    expect(await mintOne(client, uuid)).toBe("1:1");
    const refused = await command("backup", [backup], env);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("End npm start first")]);
    expect(existsSync(backup)).toBe(false);
    return uuid;
  });
  expect(await done("backup", [backup], env)).toContain("all data of devchain");
  expect(statSync(backup).mode & 0o077).toBe(0);
  const parts = readdirSync(join(backup, "data"));
  expect(parts).toEqual(expect.arrayContaining(["chain", "demo.json", "secrets.json", "worker"]));
  for (const name of ["build", "worker.log", "start.pid"]) expect(parts).not.toContain(name);
  expect((await command("backup", [backup], env)).stderr).toContain("exists already");

  await whileRunning(env, async (client) => expect(await mintOne(client, collection)).toBe("1:2"));

  // A copy that isn't what it was is refused whole.
  const spoilt = join(folder, "spoilt");
  cpSync(backup, spoilt, { recursive: true });
  appendFileSync(join(spoilt, "data", "secrets.json"), " ");
  rmSync(join(spoilt, "data", "demo.json"));
  const refused = await command("restore", [spoilt, "--yes"], env);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("secrets.json was changed since the backup");
  expect(refused.stderr).toContain("demo.json is missing");
  expect((await command("restore", [backup], env)).stderr).toContain("--yes");

  // The machine is lost: the backup alone is left, and another key of the service that was there last.
  const before = readFileSync(join(data, "devchain", "secrets.json"), "utf8");
  writeFileSync(join(data, "devchain", "secrets.json"), "{}");
  expect(await done("restore", [backup, "--yes"], env)).toContain("Next: npm start");
  expect(readFileSync(join(data, "devchain", "secrets.json"), "utf8")).toBe(before);
  expect(readdirSync(data).filter((name) => name.startsWith("devchain.before-"))).toHaveLength(1);
  // What was moved aside is no network's data: the next backup is of what was put back.
  const second = join(folder, "second");
  await done("backup", [second], env);
  const manifest = (of: string) => JSON.parse(readFileSync(join(of, "backup.json"), "utf8"));
  expect(manifest(second).files).toEqual(manifest(backup).files);
  await whileRunning(env, async (client) => {
    expect(await client.collections.get(collection)).toMatchObject({ minted: 1 });
    const [token] = await all(client.collections.tokens(collection));
    const file = await fetch(token?.media_url ?? "");
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(new Uint8Array(picture("png", 0)));
    // The chain went back with everything else.
    expect(await mintOne(client, collection)).toBe("1:2");
  });
});

/** Runs wrangler on the database of a local runtime. @param state its folder, below which v3/d1 is */
function wrangler(state: string, ...args: readonly string[]): void {
  const place = mkdtempSync(join(folder, "wrangler-"));
  const bindings = /\[\[d1_databases\]\][^[]*/.exec(readFileSync(join(ROOT, "wrangler.toml"), "utf8"))?.[0];
  writeFileSync(
    join(place, "wrangler.toml"),
    `name = "mintage"\ncompatibility_date = "2026-10-20"\n${bindings}`,
  );
  mkdirSync(join(place, ".wrangler"));
  mkdirSync(state, { recursive: true });
  symlinkSync(state, join(place, ".wrangler", "state"));
  const bin = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "d1", ...args], {
    cwd: place,
    encoding: "utf8",
    env,
  });
  expect(status, stdout + stderr).toBe(0);
}

/** An account of a chain that isn't npm start's. */
const PLATFORM = "platform.test";

test("on another network all data is restored from an export of D1, the files and the sealed keys", async () => {
  const seed = randomBytes(32);
  const publicKey = ed25519.getPublicKey(seed);
  const accounts = [
    { accountId: PLATFORM, publicKey: `ed25519:${base58.encode(publicKey)}`, balance: 10n ** 30n },
  ];
  const chain = await startDevchain({ port: 0, blockMs: 200, accounts });
  try {
    const data = join(folder, "elsewhere");
    const port = await freePort();
    const env: Environment = {
      MINTAGE_DATA: data,
      PORT: String(port),
      NEAR_NETWORK: "elsewhere",
      NEAR_RPC_URL: chain.url,
      PUBLIC_URL: `http://localhost:${port}`,
      PLATFORM_ACCOUNT_ID: PLATFORM,
      PLATFORM_PRIVATE_KEY: `ed25519:${base58.encode(Buffer.concat([seed, publicKey]))}`,
      WALLET_FUNDING: (10n ** 26n).toString(),
    };
    // A row of which an INSERT is longer than D1 takes.
    const many = (letter: string) =>
      Array.from({ length: 1_000 }, (_, index) => `${letter}${index}${"x".repeat(50)}.near`);
    const { collection, draft } = await whileRunning(env, async (client, contract) => {
      const uuid = await newCollection(client, contract);
      expect(await mintOne(client, uuid)).toBe("1:1");
      const lists = { bypass_mint_fee_accounts: many("a"), transfers_denied_accounts: many("b") };
      const description = "It's\na heron; -- 'night'";
      const long = await client.drafts.create({
        contract_uuid: contract,
        title: "Long",
        description,
        ...lists,
      });
      return { collection: uuid, draft: long };
    });
    const state = join(data, "elsewhere", "worker");
    const backup = join(folder, "elsewhere-copy");
    expect(await done("backup", [backup], env)).toContain("sealed keys");
    expect(existsSync(join(backup, "data", "worker", "v3", "do", "mintage-IntegrationWallet"))).toBe(false);
    const exported = join(folder, "mintage.sql");
    wrangler(state, "export", "mintage", "--local", "--output", exported);
    expect(await done("restore", [exported], env)).toContain("1 rows are written in parts");

    await whileRunning(env, async (client) => expect(await mintOne(client, collection)).toBe("1:2"));

    // Everything is lost but the backup, whose database is filled from the export.
    rmSync(data, { recursive: true });
    expect(await done("restore", [backup, "--yes"], env)).toContain("wallet restore <integration>");
    const database = join(state, "v3", "d1");
    rmSync(database, { recursive: true });
    wrangler(state, "execute", "mintage", "--local", "--file", join(folder, "mintage.import.sql"));
    await whileRunning(env, async (client) => {
      expect(await client.drafts.get(draft.collection_draft_uuid)).toEqual(draft);
      const { integration_uuid: integration, wallet } = await client.me();
      expect(wallet.state).toBe("empty");
      await done("admin", ["wallet", "restore", integration], env);
      await done("admin", ["wallet", "activate", integration], env);
      // Until then nothing is sent: the second token was minted since the backup and is the chain's.
      expect(await mintOne(client, collection)).toBe("1:3");
      // The platform's wallet goes on by itself.
      await done("admin", ["integration", "create", "--name", "Another"], env);
    });
  } finally {
    await chain.close();
  }
});
