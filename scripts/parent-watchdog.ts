/**
 * Runs a command that must not outlive its parent: `node parent-watchdog.ts command arguments…`, started as the
 * leader of a process group with a pipe for standard input. When the pipe closes, for whatever reason, or a signal
 * comes, the command is asked to end, and after a grace its whole group is killed, grandchildren included.
 */
import { spawn } from "node:child_process";

/** Long enough to write out state, short enough for somebody who waits at a terminal. Milliseconds. */
const GRACE = 5_000;

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error("parent-watchdog: no command given");

const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
let ending = false;

/** Ends what is left of the group, this process with it. */
function endGroup(): never {
  process.kill(-process.pid, "SIGKILL");
  process.exit(1);
}

function end(): void {
  if (ending) return;
  ending = true;
  child.kill("SIGTERM");
  setTimeout(endGroup, GRACE);
}

process.stdin.on("end", end).on("error", end).on("close", end).resume();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
child.on("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  endGroup();
});
child.on("exit", endGroup);
