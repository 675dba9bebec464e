import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Files whose processes hold a folder of data: the service, and the commands that copy it as a whole. */
const HOLDERS = /scripts\/start\.ts|cli\/(?:backup|restore)\.ts/;

/** What a killed start leaves ends within the watchdog's grace of 5 s. Milliseconds. */
export const LEFTOVERS = 10_000;

const fileOf = (stateDir: string): string => join(stateDir, "start.pid");

/** The process that holds a folder of data; null: none does. */
export function holderOf(stateDir: string): number | null {
  const file = fileOf(stateDir);
  if (!existsSync(file)) return null;
  const pid = Number(readFileSync(file, "utf8"));
  // Process ids are reused: only a process that runs one of these files holds the data.
  return pid > 0 && pid !== process.pid && HOLDERS.test(commandOf(pid)) ? pid : null;
}

/** The command line of a process; empty where there is none. */
function commandOf(pid: number): string {
  if (process.platform !== "linux") {
    return spawnSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout ?? "";
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}

/**
 * Claims a folder of data for this process, until it ends.
 * @returns whether its last holder was killed, so that what it left may still be ending; null: another process holds it
 */
export function claimState(stateDir: string): { readonly killed: boolean } | null {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  if (holderOf(stateDir) !== null) return null;
  const file = fileOf(stateDir);
  const killed = existsSync(file);
  writeFileSync(file, String(process.pid));
  process.on("exit", () => rmSync(file, { force: true }));
  return { killed };
}
