import { createHash } from "node:crypto";
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { readJson, UsageError } from "../command.ts";

/** A file of a backup. */
interface CopiedFile {
  /** Below the folder, with `/`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** What a backup is of, and all its files: one that lacks some, or has others, isn't restored. */
export interface Manifest {
  readonly version: 1;
  /** The network whose data it is. */
  readonly network: string;
  /** Whether the chain is in it too; on another network what was done since stays done. */
  readonly has_chain: boolean;
  /** RFC 3339. */
  readonly created_at: string;
  readonly files: readonly CopiedFile[];
}

const MANIFEST = "backup.json";
const FILES = "data";
/** Made again by every start, or nobody's loss: the built Worker, logs, caches and counters of requests. */
const LEFT_OUT =
  /^(start\.pid|build\/|[^/]*\.log$|worker\/v3\/(cache|ratelimit)\/|worker\/v3\/do\/[^/]*-RequestCounter\/)/;
/**
 * Wallets' objects. A copy of one would sign again what it had waiting at that time, although it was sent since: unless
 * the chain goes back with it, wallets come back from their sealed keys.
 */
const WALLETS = /^worker\/v3\/do\/[^/]*-IntegrationWallet\//;

/** The folder of a chain that the data brings along. */
const CHAIN = "chain";

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}

/** Copies files, readable by their owner alone. */
function copyFiles(from: string, to: string, paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    copyFileSync(join(from, path), join(to, path));
  }
}

/**
 * Copies the data of a service that doesn't run into a new folder. Killed anywhere, there is no such folder.
 * @param stateDir the data of one network
 */
export async function writeBackup(stateDir: string, network: string, target: string): Promise<Manifest> {
  const hasChain = existsSync(join(stateDir, CHAIN));
  const paths = filesBelow(stateDir).filter(
    (path) => !LEFT_OUT.test(path) && (hasChain || !WALLETS.test(path)),
  );
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  copyFiles(stateDir, join(unfinished, FILES), paths);
  const files: CopiedFile[] = [];
  for (const path of paths) {
    const copy = join(unfinished, FILES, path);
    files.push({ path, size: statSync(copy).size, sha256: await sha256(copy) });
  }
  const manifest: Manifest = {
    version: 1,
    network,
    has_chain: hasChain,
    created_at: new Date().toISOString(),
    files,
  };
  writeFileSync(join(unfinished, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, target);
  return manifest;
}

/**
 * Reads what a backup is of, and compares every file with it.
 * @throws UsageError that names what is missing, changed or too many
 */
export async function readBackup(folder: string): Promise<Manifest> {
  const file = join(folder, MANIFEST);
  if (!existsSync(file)) throw new UsageError(`${folder} is no backup: it has no ${MANIFEST}.`);
  const manifest = readJson<Manifest>(file);
  if (manifest.version !== 1)
    throw new UsageError(`${file} is of version ${manifest.version}, which another release wrote.`);
  const present = new Set(existsSync(join(folder, FILES)) ? filesBelow(join(folder, FILES)) : []);
  const problems: string[] = [];
  for (const { path, size, sha256: digest } of manifest.files) {
    const copy = join(folder, FILES, path);
    if (!present.delete(path)) problems.push(`${path} is missing.`);
    else if (statSync(copy).size !== size || (await sha256(copy)) !== digest)
      problems.push(`${path} was changed since the backup.`);
  }
  for (const path of present) problems.push(`${path} isn't the backup's.`);
  if (problems.length > 0)
    throw new UsageError(`Nothing was restored: the backup isn't whole.\n${problems.join("\n")}`);
  return manifest;
}

/**
 * Puts a backup in the place of a network's data. What is there is kept beside it.
 * @param kept where the data that is there goes
 * @returns whether there was any
 */
export function putBack(folder: string, { files }: Manifest, stateDir: string, kept: string): boolean {
  const unfinished = `${stateDir}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  copyFiles(
    join(folder, FILES),
    unfinished,
    files.map(({ path }) => path),
  );
  const hadData = existsSync(stateDir) && filesBelow(stateDir).some((path) => path !== "start.pid");
  rmSync(join(stateDir, "start.pid"), { force: true });
  if (hadData) renameSync(stateDir, kept);
  else rmSync(stateDir, { recursive: true, force: true });
  renameSync(unfinished, stateDir);
  return hadData;
}
