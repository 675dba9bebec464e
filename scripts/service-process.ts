import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, existsSync, renameSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { logFileLine } from "./log-file-line.ts";

/** A program that runs beside this one and ends with it. */
export interface ServiceProcess {
  readonly name: string;
  /** Settles when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Asks it to end, and answers when it and all that it started are gone. */
  stop(): Promise<void>;
}

interface Options {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** File for its output. */
  readonly logFile: string;
  /** Called with every line of its output. */
  readonly onLine?: (line: string) => void;
}

/** Starts a program under parent-watchdog.ts, so that it can't outlive this process even if this one is killed. */
export function startProcess({ name, command, env, logFile, onLine }: Options): ServiceProcess {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, "parent-watchdog.ts"), ...command],
    {
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      env: { ...process.env, ...env },
    },
  );
  // Keeps the last run's log only, to tell why it ended.
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.previous`);
  const log = createWriteStream(logFile, { mode: 0o600 });
  const write = (line: string): void => {
    if (line.trim() !== "") log.write(`${logFileLine(line, name, new Date())}\n`);
    onLine?.(line);
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface(stream).on("line", write);
  }
  // Once both streams have ended; a last line may come after the process.
  child.once("close", () => log.end());
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      // A watchdog that was itself killed leaves its group behind.
      if (child.pid !== undefined) killGroup(child.pid);
      resolve();
    });
    child.once("error", () => resolve());
  });
  return {
    name,
    ended,
    async stop() {
      child.stdin?.end();
      await ended;
    },
  };
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Whether a TCP port can be listened on.
 * @param host an address of this machine
 * @throws the system's error where it is none
 */
export function portIsFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" || error.code === "EACCES" ? resolve(false) : reject(error),
    );
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
