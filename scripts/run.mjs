/**
 * The one entry point of every npm script. It needs nothing but the machine's Node (20 or later): it installs the
 * dependencies when they are not the lock file's, then hands over to the project's own Node, which runs TypeScript.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, "node_modules", ".bin");
const projectNode = join(bin, "node");
/** The first Node that runs TypeScript without a flag and as the project needs it. */
const OLDEST_NODE = 24;

const targets = {
  start: "scripts/start.ts",
  test: "scripts/test.ts",
  check: "scripts/check.ts",
  deploy: "scripts/deploy.ts",
  bench: "scripts/bench.ts",
  demo: "cli/demo.ts",
  admin: "cli/admin.ts",
  upload: "cli/upload.ts",
  launch: "cli/launch.ts",
  airdrop: "cli/airdrop.ts",
  collection: "cli/collection.ts",
  claim: "cli/claim.ts",
  payout: "cli/payout.ts",
  chain: "cli/chain.ts",
  snapshot: "cli/snapshot.ts",
  export: "cli/export.ts",
  backup: "cli/backup.ts",
  restore: "cli/restore.ts",
};

/** Whether a package that names systems is for this one. One that names none may be missing for other reasons. */
const isForThisSystem = ({ os, cpu, libc }) =>
  os !== undefined &&
  libc === undefined &&
  [os].flat().includes(process.platform) &&
  [cpu ?? process.arch].flat().includes(process.arch);

/** Whether node_modules holds exactly the versions that the lock file names; optional ones may be for other systems. */
function installed() {
  const hidden = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(hidden)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const present = JSON.parse(readFileSync(hidden, "utf8")).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const found = present[path];
    return found ? found.version === entry.version : entry.optional === true && !isForThisSystem(entry);
  });
}

/**
 * `npm ci`, with the reason said first, because it takes a while on a fresh clone. Some packages warn that they want a
 * later Node than the machine's; they run under the project's own.
 */
function install() {
  process.stderr.write("Installing dependencies (once, and again when package-lock.json changes) …\n");
  const npm = process.env.npm_execpath;
  const args = ["ci", "--no-audit", "--no-fund", "--engine-strict=false", "--loglevel=error"];
  // The command's own output belongs to the command, so that `--json` stays clean.
  const options = { cwd: root, stdio: ["ignore", 2, 2] };
  const result = npm?.endsWith(".js")
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync("npm", args, options);
  if (result.status !== 0) {
    process.stderr.write("npm ci failed; its output above says why.\n");
    process.exit(result.status ?? 1);
  }
}

/**
 * The project's own Node, a package for each platform; where there is none for this one, the machine's if recent
 * enough.
 */
function nodeToRun() {
  if (existsSync(projectNode)) return projectNode;
  if (Number(process.versions.node.split(".")[0]) >= OLDEST_NODE) return process.execPath;
  process.stderr.write(
    `There is no Node of the project's own for ${process.platform} ${process.arch}: install Node ${OLDEST_NODE} or later.\n`,
  );
  process.exit(1);
}

/** Runs a file under the project's Node. The closing channel tells it when this process has ended. */
function run(file, args) {
  const child = spawn(nodeToRun(), [join(root, file), ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH ?? ""}`,
      npm_config_nodedir: undefined,
    },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole group, so only what is meant for this process alone is passed on.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}

const [target, ...args] = process.argv.slice(2);
const file = targets[target] ?? (/\.(ts|mjs)$/.test(target ?? "") ? target : undefined);
if (file === undefined) {
  process.stderr.write(
    `usage: node scripts/run.mjs ${Object.keys(targets).join(" | ")} | <file> [arguments]\n`,
  );
  process.exit(2);
}
if (!installed()) install();
run(file, args);
