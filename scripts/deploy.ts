/**
 * `npm run deploy`: checks what is missing, applies the database's migrations, deploys, and asks /ready. With
 * `-- --dry-run` it builds and checks, and sends nothing.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { unstable_readConfig } from "wrangler";
import { counted, table } from "../cli/table.ts";
import { pause } from "../src/waiting.ts";
import { type Bundle, bindingsOf, checksOf, missing } from "./deployment.ts";
import { ROOT } from "./local-settings.ts";
import { QUIET_WRANGLER, runStep } from "./steps.ts";

const { values } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, env: { type: "string" } },
});
const dryRun = values["dry-run"];
const environmentName = values.env || process.env.CLOUDFLARE_ENV || undefined;
const environment = environmentName === undefined ? [] : ["--env", environmentName];

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
  bundle: bundle(environment),
});
process.stdout.write(`${table(checks.map(({ what, state, remedy }) => ({ what, state, remedy })))}\n`);
const lacking = missing(checks);

if (dryRun) {
  const unknown = checks.filter(({ state }) => state === "unknown").length;
  process.stdout.write(
    `\nDry run: nothing was sent. ${checks.length} checks: ${lacking.length} missing, ${counted(unknown, "that needs", "that need")} the account.\n`,
  );
  const broken = lacking.some(({ what }) => /^(bundle|contract\/)/.test(what));
  process.exit(broken ? 1 : 0);
}
if (lacking.length > 0) {
  process.stderr.write("\nNothing was deployed: set up what is missing first (docs/deploying.md).\n");
  process.exit(1);
}

// Migrations only add, so that the old Worker works on the new schema until it is replaced.
const migrated = runStep({
  name: "migrations",
  command: ["wrangler", "d1", "migrations", "apply", "DB", "--remote", ...environment],
  env: QUIET_WRANGLER,
});
const deployed =
  migrated &&
  runStep({ name: "deployment", command: ["wrangler", "deploy", ...environment], env: QUIET_WRANGLER });
if (!deployed) process.exit(1);

/**
 * How often /ready is asked, and the pause between: a new address takes a moment to be known.
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
  return { lines: [`${asked}: ${response.status} ${text}`], isWell: response.ok };
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
