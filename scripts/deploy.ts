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
import { table } from "../cli/table.ts";
import { checksOf, type Findings, missing } from "./deployment.ts";
import { ROOT } from "./local-settings.ts";
import { QUIET_WRANGLER, runStep } from "./steps.ts";

const { values } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, env: { type: "string" } },
});
const dryRun = values["dry-run"];
const environment = values.env ? ["--env", values.env] : [];

/** Runs wrangler. @returns its output; null if it failed */
function ask(...args: string[]): string | null {
  const { status, stdout } = spawnSync("wrangler", [...args, ...environment], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...QUIET_WRANGLER },
  });
  return status === 0 ? stdout : null;
}

function secretNames(): string[] | null {
  const listed = ask("secret", "list", "--format", "json");
  return listed === null ? null : (JSON.parse(listed) as { name: string }[]).map(({ name }) => name);
}

/** Builds the Worker as it would be sent and says how large it is. */
function bundle(): Findings["bundle"] {
  const out = mkdtempSync(join(tmpdir(), "mintage-bundle-"));
  try {
    const { status, stderr } = spawnSync(
      "wrangler",
      ["deploy", "--dry-run", "--outdir", out, ...environment],
      {
        cwd: ROOT,
        encoding: "utf8",
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, ...QUIET_WRANGLER },
      },
    );
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

const config = unstable_readConfig({ config: join(ROOT, "wrangler.toml"), env: values.env });
const bucketName = config.r2_buckets[0]?.bucket_name ?? "mintage";
const checks = checksOf({
  vars: config.vars as Record<string, unknown>,
  databaseId: config.d1_databases[0]?.database_id,
  routes: (config.routes?.length ?? 0) + (config.route === undefined ? 0 : 1),
  bucketExists: dryRun ? null : ask("r2", "bucket", "info", bucketName) !== null,
  bucketName,
  loggedIn: dryRun ? null : ask("whoami") !== null && process.env.CLOUDFLARE_API_TOKEN !== "",
  secrets: dryRun ? null : secretNames(),
  wasmDigestMatches: wasmDigestMatches(),
  bundle: bundle(),
});
process.stdout.write(`${table(checks.map(({ what, state, remedy }) => ({ what, state, remedy })))}\n`);
const lacking = missing(checks);

if (dryRun) {
  const unknown = checks.filter(({ state }) => state === "unknown").length;
  process.stdout.write(
    `\nDry run: nothing was sent. ${checks.length} checks: ${lacking.length} missing, ${unknown} that need the account.\n`,
  );
  const broken = lacking.some(({ what }) => what === "bundle" || what.startsWith("contract/"));
  process.exit(broken ? 1 : 0);
}
if (lacking.length > 0) {
  process.stderr.write("\nNothing was deployed: set up what is missing first (docs/deploying.md).\n");
  process.exit(1);
}
// Migrations only add, so that the old Worker works on the new schema until it is replaced.
const deployed =
  runStep({
    name: "migrations",
    command: ["wrangler", "d1", "migrations", "apply", "DB", "--remote", ...environment],
    env: QUIET_WRANGLER,
  }) && runStep({ name: "deployment", command: ["wrangler", "deploy", ...environment], env: QUIET_WRANGLER });
if (!deployed) process.exit(1);

const address = typeof config.vars.PUBLIC_URL === "string" ? config.vars.PUBLIC_URL : "";
if (address) {
  const response = await fetch(new URL("/ready", address));
  process.stdout.write(`\n${address}/ready: ${response.status} ${await response.text()}\n`);
  process.exit(response.ok ? 0 : 1);
}
