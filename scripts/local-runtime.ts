/**
 * The Worker in the local runtime, built as a deployment builds it: `npm start`, the benches and the fault runs start
 * it with these pieces.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { ROOT } from "./local-settings.ts";
import { QUIET_WRANGLER } from "./steps.ts";

export const WRANGLER = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
const MIGRATIONS = join(ROOT, "migrations");

/**
 * Builds a Worker with wrangler.
 * @param entry its entry point, from the project's root
 * @param directory where the build goes, into a folder of its own
 * @returns the folder with the modules
 * @throws Error with wrangler's message
 */
export function buildWorker(entry: string, directory: string, { minify = true } = {}): string {
  const out = join(directory, "worker");
  const options = ["deploy", entry, "--dry-run", "--outdir", out, `--minify=${minify}`];
  const { status, stderr } = spawnSync(process.execPath, [WRANGLER, ...options], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, ...QUIET_WRANGLER },
  });
  if (status !== 0) throw new Error(`the Worker can't be built: ${stderr}`);
  return out;
}

/** The contract's code is data, as the rule of wrangler.toml says; other wasm is of libraries. */
const CONTRACT = /-(mintage|previous)\.wasm$/;

/** The modules of a build, the entry point first. */
export function modulesOf(directory: string) {
  const types = { ".js": "ESModule", ".wasm": "CompiledWasm", ".html": "Text", ".bin": "Data" } as const;
  const names = readdirSync(directory).sort(
    (left, right) => Number(right.endsWith(".js")) - Number(left.endsWith(".js")),
  );
  return names.flatMap((name) => {
    const type = CONTRACT.test(name) ? "Data" : types[extname(name) as keyof typeof types];
    return type ? [{ type, path: join(directory, name) }] : [];
  });
}

/** What is used of the options that wrangler makes of wrangler.toml, which it has no type for. */
interface WorkerOptions {
  readonly compatibilityDate: string;
  readonly compatibilityFlags: string[];
  readonly d1Databases: Record<string, string>;
}

/** What a configuration says of a Worker, for Miniflare. @param config the configuration's file */
export const configuredWorker = (config = join(ROOT, "wrangler.toml")): WorkerOptions =>
  unstable_getMiniflareWorkerOptions(config).workerOptions as unknown as WorkerOptions;

/** The same with the modules of a build in place of its sources. */
export function builtWorker(out: string, config?: string) {
  return {
    ...configuredWorker(config),
    rootPath: undefined,
    modulesRules: undefined,
    modulesRoot: out,
    modules: modulesOf(out),
  };
}

/** A statement of SQL with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly string[];
}

/** Carries out statements in a database, all or none. @returns the rows of each */
export type Batch = (statements: readonly Statement[]) => Promise<readonly (readonly object[])[]>;

/** The batches of a D1 database that Miniflare runs. */
export const batchIn =
  (database: D1Database): Batch =>
  async (statements) => {
    const prepared = statements.map(({ sql, values }) => database.prepare(sql).bind(...values));
    const results = await database.batch<object>(prepared);
    return results.map((result) => result.results);
  };

/** The table in which wrangler, too, notes what it has applied. */
const NOTED = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

const statement = (sql: string, ...values: string[]): Statement => ({ sql, values });

/** Applies the migrations that a database doesn't have yet, in order, each whole or not at all. */
export async function applyMigrations(batch: Batch): Promise<void> {
  const [, rows = []] = await batch([statement(NOTED), statement("SELECT name FROM d1_migrations")]);
  const applied = new Set((rows as { name: string }[]).map(({ name }) => name));
  const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql") && !applied.has(name));
  for (const name of names.sort()) {
    const statements = readFileSync(join(MIGRATIONS, name), "utf8").split("--> statement-breakpoint");
    await batch([
      ...statements.map((sql) => statement(sql)),
      statement("INSERT INTO d1_migrations (name) VALUES (?)", name),
    ]);
  }
}
