import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../support/imports.ts";

/** `npm run deploy` on a copy of the project, with a wrangler that is an account by itself: it notes what it is told. */

const folder = mkdtempSync(join(tmpdir(), "mintage-deploy-"));
const project = join(folder, "project");
const notes = join(folder, "notes");
const account = join(folder, "account.json");

interface Account {
  /** Names of secrets, by Worker; one that has none isn't there. */
  readonly secrets: Readonly<Record<string, readonly string[]>>;
  /** Part of a command that fails. */
  readonly fails?: string;
}

/** Notes what would change something, and answers what is asked. */
const WRANGLER = `#!${process.execPath}
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const account = JSON.parse(readFileSync(${JSON.stringify(account)}, "utf8"));
const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const config = option("--config");
// As wrangler does: an environment that a configuration has none of is added to its name all the same.
const environment = option("--env") ?? process.env.CLOUDFLARE_ENV;
const written = config ? JSON.parse(readFileSync(config, "utf8")).name : "mintage";
const name = option("--name") ?? (environment ? written + "-" + environment : written);
const out = option("--outdir");
const command = args.join(" ");
const say = (value) => (value === undefined ? process.exit(1) : console.log(JSON.stringify(value)));
if (args[0] === "secret") say(account.secrets[name]?.map((each) => ({ name: each })));
else if (args.includes("--dry-run")) {
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "index.js"), "");
} else if (["deploy", "d1"].includes(args[0])) {
  const done = args[0] === "d1" ? "migrations" : name;
  appendFileSync(${JSON.stringify(notes)}, done + "\\n");
  if (account.fails !== undefined && done === account.fails) process.exit(1);
}
`;

let server: Server;
/** What /ready answers, one time after the other. */
let states: number[] = [];
beforeAll(async () => {
  for (const part of ["scripts", "src", "cli", "client", "contract/wasm", "package.json", "wrangler.toml"]) {
    cpSync(join(ROOT, part), join(project, part), { recursive: true, dereference: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "wrangler"), WRANGLER);
  chmodSync(join(folder, "bin", "wrangler"), 0o755);
  server = createServer((_, response) => {
    response.writeHead(states.shift() ?? 200, { "content-type": "application/json" });
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An environment with all that wrangler.toml says above; what environments don't inherit is said again. */
const stagingOf = (toml: string, lacking?: string): string => {
  const tables = toml
    .split(/\n(?=\[)/)
    .filter((table) => /^\[+(vars|d1_|r2_|durable_|ratelimits)/.test(table));
  const had = tables.filter((table) => lacking === undefined || !table.startsWith(`[[${lacking}`));
  return had.map((table) => `\n${table.replace(/^(\[+)/, "$1env.staging.")}`).join("\n");
};

const SECRETS = ["PLATFORM_PRIVATE_KEY", "WALLET_SECRETS"];

/** How it is run. */
interface Run {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly options?: readonly string[];
  /** Tables that the environment doesn't have, by the beginning of their names. */
  readonly lacking?: string;
  /** Default: that of a server which says it is ready. */
  readonly publicUrl?: string;
}

/** Runs the command. @returns its exit status, what it said, and what was deployed in order */
async function deploy(state: Account, { env = {}, options = [], publicUrl, lacking }: Run = {}) {
  const { port } = server.address() as AddressInfo;
  const toml = readFileSync(join(ROOT, "wrangler.toml"), "utf8")
    .replace(
      'PLATFORM_ACCOUNT_ID = ""\nPUBLIC_URL = ""',
      `PLATFORM_ACCOUNT_ID = "shop.testnet"\nPUBLIC_URL = "${publicUrl ?? `http://127.0.0.1:${port}`}"`,
    )
    .replace("00000000-0000-0000-0000-000000000000", "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11");
  writeFileSync(
    join(project, "wrangler.toml"),
    `${toml}\n[[routes]]\npattern = "mint.example.com"\ncustom_domain = true\n${stagingOf(toml, lacking)}`,
  );
  writeFileSync(account, JSON.stringify(state));
  writeFileSync(notes, "");
  const child: ChildProcess = spawn(process.execPath, [join(project, "scripts", "deploy.ts"), ...options], {
    cwd: project,
    env: {
      ...process.env,
      ...env,
      CLOUDFLARE_API_TOKEN: "none",
      PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => (said += String(data)));
  const status = await new Promise((resolve) => child.once("close", resolve));
  return { status, said, done: readFileSync(notes, "utf8").trim().split("\n") };
}

test("the migrations are applied, and then the Worker is deployed", async () => {
  const { status, done, said } = await deploy({ secrets: { mintage: SECRETS } });
  expect(said).toContain("/ready: 200");
  expect([status, done]).toEqual([0, ["migrations", "mintage"]]);
});

test("no Worker is deployed if the migrations fail", async () => {
  const { status, done } = await deploy({ secrets: { mintage: SECRETS }, fails: "migrations" });
  expect([status, done]).toEqual([1, ["migrations"]]);
});

test("a service that isn't ready yet is asked again", async () => {
  states = [503, 200];
  const { status, said } = await deploy({ secrets: { mintage: SECRETS } });
  expect(said).toContain("/ready: 200");
  expect(status).toBe(0);
});

test("an address that can't be reached yet is reported", async () => {
  const state = { secrets: { mintage: SECRETS } };
  const { status, done, said } = await deploy(state, { publicUrl: "http://127.0.0.1:1" });
  expect([status, done]).toEqual([1, ["migrations", "mintage"]]);
  expect(said).toContain("http://127.0.0.1:1/ready can't be asked");
  expect(said).not.toContain("    at ");
});

test.each([
  ["--env", ["--env", "staging"], {}],
  ["CLOUDFLARE_ENV", [], { CLOUDFLARE_ENV: "staging" }],
])("%s deploys the Worker of an environment, and no other", async (_, options, env) => {
  const { status, done } = await deploy({ secrets: { "mintage-staging": SECRETS } }, { env, options });
  expect([status, done]).toEqual([0, ["migrations", "mintage-staging"]]);
});

test("secrets that an environment lacks are named with the command that sets them", async () => {
  const secrets = { mintage: SECRETS };
  const { status, done, said } = await deploy({ secrets }, { options: ["--env", "staging"] });
  expect([status, done]).toEqual([1, [""]]);
  for (const name of SECRETS) expect(said).toContain(`npx wrangler secret put ${name} --env staging`);
});

test("an environment without a binding isn't deployed", async () => {
  const secrets = { "mintage-staging": SECRETS };
  const { status, done, said } = await deploy(
    { secrets },
    { options: ["--env", "staging"], lacking: "ratelimits" },
  );
  expect([status, done]).toEqual([1, [""]]);
  expect(said).toContain("binding ADDRESS_LIMIT");
  expect(said).not.toContain("binding DB");
});
