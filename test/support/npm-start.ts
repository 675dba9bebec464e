import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "./imports.ts";

/** A script of npm that runs, or ran. */
export interface Started {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  output: string;
}

/** Copies the project's files, with the packages of this one. @returns the copy's folder */
export function copyProject(prefix: string): string {
  const copy = mkdtempSync(join(tmpdir(), prefix));
  const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of stdout.split("\0").filter((name) => name !== "")) {
    const to = join(copy, file);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(ROOT, file), to);
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Runs a script as npm does, in a group of its own as a terminal gives it. @param cwd the project, or a copy of it */
export function startScript(
  target: string,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[] = [],
  cwd: string = ROOT,
): Started {
  const child = spawn("node", ["scripts/run.mjs", target, ...args], {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const run: Started = { child, output: "", exit: new Promise((resolve) => child.once("exit", resolve)) };
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (run.output += chunk));
  return run;
}

/** Waits until a process has said something, and fails with all it said where it ends without. */
export async function said(run: Started, text: string): Promise<void> {
  let ended = false;
  void run.exit.then(() => (ended = true));
  while (!run.output.includes(text)) {
    if (ended) throw new Error(`it ended before it said "${text}":\n${run.output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Ctrl-C in its terminal. */
export const interrupt = (run: Started): boolean => process.kill(-(run.child.pid ?? 0), "SIGINT");

/** Ends what still runs. */
export async function endScripts(started: readonly Started[]): Promise<void> {
  for (const run of started) {
    if (run.child.exitCode === null && run.child.signalCode === null) interrupt(run);
    await run.exit;
  }
}

/**
 * A port that nothing listens on, below those that the system gives to connections: one of these could take it before the test does,
 * or between two of its starts.
 */
export function freePort(): Promise<number> {
  const port = randomInt(12_000, 32_000);
  return new Promise((resolve) => {
    const server = createServer()
      .once("error", () => resolve(freePort()))
      .listen(port, "127.0.0.1", () => server.close(() => resolve(port)));
  });
}
