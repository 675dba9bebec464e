/**
 * The runtime of `npm start`: workerd by itself, with the configuration that Miniflare makes for it.
 *
 * Miniflare's own way to run it puts a Worker of its own in front of the service, which serves the bucket's objects
 * to anyone, and opens a second port. Here workerd listens on Unix sockets in a folder that is this
 * user's, and on no port.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

type Options = Extract<Parameters<typeof convertV4MiniflareOptions>[0], { workers: unknown[] }>;

/** A runtime that serves. */
export interface Runtime {
  /** Where the Worker listens, by its position in the options. */
  readonly sockets: readonly string[];
  /** Settles when the runtime has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Ends it, if it has not ended with its parent's process. */
  stop(): Promise<void>;
}

/** Where Miniflare's own Worker listens; nobody asks it anything. */
const ENTRY = "entry";

/**
 * Stands in for workerd while Miniflare starts: keeps the configuration it is given, and says that it listens. What it
 * says is what workerd says on the descriptor that `--control-fd` names.
 */
const recorder = (config: string, sockets: readonly string[]): string =>
  `#!/bin/sh
umask 077
cat > '${config}'
cat >&3 <<END
${sockets.map((socket) => JSON.stringify({ event: "listen", socket, port: 1 })).join("\n")}
END
exec sleep 600
`;

/**
 * Starts workerd with what Miniflare makes of the options. Every Worker has a socket of its own.
 * @param onLine is called with each line that a Worker logs
 */
export async function startWorkerd(options: Options, onLine: (line: string) => void): Promise<Runtime> {
  const folder = mkdtempSync(join(tmpdir(), "mintage-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const names = options.workers.map((_, index) => `direct:${index}:default`);
  const config = join(folder, "config");
  const program = join(folder, "recorder");
  writeFileSync(program, recorder(config, [ENTRY, ...names]), { mode: 0o700 });
  const { default: workerd } = createRequire(import.meta.resolve("miniflare"))("workerd") as {
    default: string;
  };
  process.env.MINIFLARE_WORKERD_PATH = program;
  const workers = options.workers.map((worker) => ({ ...worker, unsafeDirectSockets: [{}] }));
  const miniflare = new Miniflare(convertV4MiniflareOptions({ ...options, workers }));
  await miniflare.ready;
  const socket = (name: string) => join(folder, `${name.replaceAll(":", "-")}.sock`);
  const listening = [ENTRY, ...names].map((name) => `--socket-addr=${name}=unix:${socket(name)}`);
  // Miniflare would be called back there with errors of its simulators and for products that are not used.
  const callback = `--external-addr=loopback=unix:${socket("loopback")}`;
  const child = spawn(
    workerd,
    ["serve", "--binary", "--experimental", "--control-fd=3", ...listening, callback, "-"],
    { stdio: ["pipe", "pipe", "inherit", "pipe"], env: { ...process.env, TZ: "UTC" } },
  );
  const [input, output, , control] = child.stdio as unknown as [Writable, Readable, null, Readable];
  input.end(readFileSync(config));
  rmSync(config);
  createInterface(output).on("line", (line) => onLine(logged(line)));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await Promise.race([allListen(control, names.length + 1), ended]);
  // It keeps temporary folders for the runtime until then.
  await miniflare.dispose();
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { sockets: names.map(socket), ended, stop };
}

/** Waits until workerd has said of each socket that it listens. */
function allListen(control: Readable, sockets: number): Promise<void> {
  let left = sockets;
  return new Promise((resolve) => {
    createInterface(control).on("line", (line) => {
      if ((JSON.parse(line) as { event: string }).event === "listen") left -= 1;
      if (left === 0) resolve();
    });
  });
}

/** What a Worker logged, out of the line that workerd makes of it. */
function logged(line: string): string {
  try {
    return (JSON.parse(line) as { message?: string }).message ?? line;
  } catch {
    // workerd's own words are no JSON.
    return line;
  }
}
