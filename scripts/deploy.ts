/**
 * `npm run deploy`: checks what is missing, applies the database's migrations, deploys, and asks /ready. With
 * `-- --dry-run` it builds and checks, and sends nothing. With WRITES_PLACEMENT in wrangler.toml it deploys two Workers.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { unstable_readConfig } from "wrangler";
import { counted, table } from "../cli/table.ts";
import type { Readiness } from "../src/api/resources/readiness.ts";
import { pause } from "../src/waiting.ts";
import { type Bundle, bindingsOf, checksOf, type Findings, missing } from "./deployment.ts";
import { ROOT } from "./local-settings.ts";
import { QUIET_WRANGLER, runStep } from "./steps.ts";
import {
  type Deployed,
  isBoundTo,
  orderOf,
  placementOf,
  type ShownVersion,
  twoWorkers,
  type WorkerConfig,
  writesName,
} from "./two-workers.ts";

const { values } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, env: { type: "string" } },
});
const dryRun = values["dry-run"];
const environmentName = values.env || process.env.CLOUDFLARE_ENV || undefined;
const environment = environmentName === undefined ? [] : ["--env", environmentName];
// wrangler would add the variable's name to those of the two Workers, whose configurations have no environments, and so
// deploy to others. Empty rather than absent, since wrangler reads it from .env too.
process.env.CLOUDFLARE_ENV = "";

/** Runs wrangler. @returns its output; null if it failed */
function ask(...args: string[]): string | null {
  const { status, stdout } = spawnSync("wrangler", args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...QUIET_WRANGLER },
  });
  return status === 0 ? stdout : null;
}

/** @param of options that say whose. @returns none of a Worker that isn't there yet; null in a dry run */
function secretNames(of: readonly string[]): string[] | null {
  if (dryRun) return null;
  const listed = ask("secret", "list", "--format", "json", ...of);
  return listed === null ? [] : (JSON.parse(listed) as { name: string }[]).map(({ name }) => name);
}

/** Builds a Worker as it would be sent and says how large it is. @param options that say which */
function bundle(options: readonly string[]): Bundle {
  const out = mkdtempSync(join(tmpdir(), "mintage-bundle-"));
  try {
    const { status, stderr } = spawnSync("wrangler", ["deploy", "--dry-run", "--outdir", out, ...options], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...QUIET_WRANGLER },
    });
    if (status !== 0) {
      process.stderr.write(stderr);
      return { problem: "wrangler can't build it; its message is above" };
    }
    const modules = readdirSync(out).filter((name) => !name.endsWith(".map") && name !== "README.md");
    return { gzip: modules.reduce((sum, name) => sum + gzipSync(readFileSync(join(out, name))).length, 0) };
  } finally {
    rmSync(out, { recursive: true });
  }
}

function wasmDigestMatches(): boolean {
  const file = join(ROOT, "contract", "wasm", "mintage.wasm");
  const said = readFileSync(`${file}.sha256`, "utf8").trim().split(/\s+/)[0];
  return createHash("sha256").update(readFileSync(file)).digest("hex") === said;
}

const config = unstable_readConfig({ config: join(ROOT, "wrangler.toml"), env: environmentName });
/** What of the bindings an environment doesn't have, which inherits none of them. */
const unbound = bindingsOf(unstable_readConfig({ config: join(ROOT, "wrangler.toml"), env: "" })).filter(
  (name) => !bindingsOf(config).includes(name),
);
const writes = writesName(config.name ?? "mintage");

/** What wrangler is told to deploy each with. */
type Options = Readonly<Record<Deployed, readonly string[]>>;

/** Writes the configurations of the two Workers. @returns null if there is one; a text: what is wrong with the setting */
function writeConfigs(): Options | string | null {
  try {
    const placement = placementOf(config.vars.WRITES_PLACEMENT);
    if (placement === null) return null;
    const { first, writes: second } = twoWorkers(config, placement, ROOT);
    const folder = join(ROOT, ".wrangler", "two-workers");
    mkdirSync(folder, { recursive: true });
    const write = (name: string, written: WorkerConfig) => {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
      return ["--config", file];
    };
    return { alone: environment, first: write("first", first), writes: write("writes", second) };
  } catch (error) {
    return (error as Error).message;
  }
}

const options = writeConfigs();

/** Whether the first Worker, as it serves now, hands requests to the second; false where that can't be asked. */
function isBound(): boolean {
  const deployment = ask("deployments", "status", "--json", ...environment);
  if (deployment === null) return false;
  const { versions } = JSON.parse(deployment) as { versions: { version_id: string }[] };
  return versions.every(({ version_id }) => {
    const version = ask("versions", "view", version_id, "--json", ...environment);
    return version !== null && isBoundTo(JSON.parse(version) as ShownVersion, writes);
  });
}

function writesFindings(): Findings["writes"] {
  if (options === null || typeof options === "string") return options;
  return { name: writes, secrets: secretNames(["--name", writes]), bundle: bundle(options.writes) };
}

const bucketName = config.r2_buckets[0]?.bucket_name ?? "mintage";
const checks = checksOf({
  vars: config.vars as Record<string, unknown>,
  databaseId: config.d1_databases[0]?.database_id,
  routes: (config.routes?.length ?? 0) + (config.route === undefined ? 0 : 1),
  bucketExists: dryRun ? null : ask("r2", "bucket", "info", bucketName, ...environment) !== null,
  bucketName,
  loggedIn: dryRun ? null : ask("whoami", ...environment) !== null && process.env.CLOUDFLARE_API_TOKEN !== "",
  environment: environmentName,
  unbound,
  secrets: secretNames(environment),
  wasmDigestMatches: wasmDigestMatches(),
  bundle: bundle(options === null || typeof options === "string" ? environment : options.first),
  isPlaced: config.placement !== undefined,
  writes: writesFindings(),
});
process.stdout.write(`${table(checks.map(({ what, state, remedy }) => ({ what, state, remedy })))}\n`);
const lacking = missing(checks);

if (dryRun) {
  const unknown = checks.filter(({ state }) => state === "unknown").length;
  process.stdout.write(
    `\nDry run: nothing was sent. ${checks.length} checks: ${lacking.length} missing, ${counted(unknown, "that needs", "that need")} the account.\n`,
  );
  const broken = lacking.some(({ what }) => /^(bundle|contract\/|WRITES_PLACEMENT$)/.test(what));
  process.exit(broken ? 1 : 0);
}
if (lacking.length > 0 || typeof options === "string") {
  process.stderr.write("\nNothing was deployed: set up what is missing first (docs/deploying.md).\n");
  process.exit(1);
}

/** Deploys the Worker, or both in their order. @returns whether all went well */
function deploy(): boolean {
  if (options === null || typeof options === "string") {
    return runStep({
      name: "deployment",
      command: ["wrangler", "deploy", ...environment],
      env: QUIET_WRANGLER,
    });
  }
  const names = {
    alone: "deployment, without its binding",
    first: "deployment",
    writes: `deployment of ${writes}`,
  };
  return orderOf(isBound()).every((each) =>
    runStep({ name: names[each], command: ["wrangler", "deploy", ...options[each]], env: QUIET_WRANGLER }),
  );
}

// Migrations only add, so that the old Worker works on the new schema until it is replaced.
const migrated = runStep({
  name: "migrations",
  command: ["wrangler", "d1", "migrations", "apply", "DB", "--remote", ...environment],
  env: QUIET_WRANGLER,
});
if (!(migrated && deploy())) process.exit(1);

/**
 * How often /ready is asked, and the pause between. A new address takes a moment to be known; an isolate tells what it has
 * seen of the other Worker for five seconds (src/operator/health.ts), and that was the release before.
 */
const ASKED = 4;
const PAUSE_MS = 2_000;

/** What /ready says: the lines to show, and whether all is well. */
interface Told {
  readonly lines: readonly string[];
  readonly isWell: boolean;
}

async function askReady(address: string): Promise<Told> {
  const asked = `${address}/ready`;
  let response: Response;
  let text: string;
  try {
    response = await fetch(new URL("/ready", address));
    text = await response.text();
  } catch (error) {
    const { message, cause } = error as Error;
    return { lines: [`${asked} can't be asked: ${cause ?? message}`], isWell: false };
  }
  // What stands before the Worker may answer in its place.
  const isTold = response.headers.get("content-type")?.startsWith("application/json") === true;
  const state = isTold ? (JSON.parse(text) as Partial<Readiness>).writes?.state : undefined;
  const differs = `${writes} has other settings than the first Worker, whose log names them (docs/deploying.md).`;
  return {
    lines: [`${asked}: ${response.status} ${text}`, ...(state === "differs" ? [differs] : [])],
    isWell: response.ok && state !== "differs",
  };
}

const address = typeof config.vars.PUBLIC_URL === "string" ? config.vars.PUBLIC_URL : "";
if (address) {
  let told = await askReady(address);
  for (let asked = 1; !told.isWell && asked < ASKED; asked++) {
    await pause(PAUSE_MS);
    told = await askReady(address);
  }
  (told.isWell ? process.stdout : process.stderr).write(`\n${told.lines.join("\n")}\n`);
  process.exit(told.isWell ? 0 : 1);
}
