import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { ROOT } from "./imports.ts";

/** A script of npm that runs, or ran. */
export interface Started {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  output: string;
}

/** Runs a script as npm does, in a group of its own as a terminal gives it. */
export function startScript(
  target: string,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[] = [],
): Started {
  const child = spawn("node", ["scripts/run.mjs", target, ...args], {
    cwd: ROOT,
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

/** A port of this machine that nothing listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
