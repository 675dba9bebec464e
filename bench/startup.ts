/** How long the runtime takes from nothing to a Worker's first answer. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { KeyPair } from "near-api-js";
import { modulesOf } from "../scripts/local-runtime.ts";

/** What the Worker is configured with; nothing is signed or sent, and no query is made. */
const SETTINGS = {
  NEAR_NETWORK: "devchain",
  NEAR_RPC_URL: "http://127.0.0.1:1",
  PLATFORM_ACCOUNT_ID: "platform.bench",
  PLATFORM_PRIVATE_KEY: KeyPair.fromRandom("ed25519").toString(),
  WALLET_SECRETS: JSON.stringify({ 1: Buffer.alloc(32).toString("base64") }),
};

const STARTS = 15;
const CONFIG = "bench.capnp";
/** A runtime that takes longer has failed. Milliseconds. */
const LIMIT = 30_000;

const workerd = createRequire(import.meta.resolve("miniflare"))("workerd") as { default: string };

/** The runtime's own configuration of the modules of a build, in its folder. */
function configure(
  directory: string,
  port: number,
  compatibility: { date: string; flags: readonly string[] },
): void {
  const kinds = { ESModule: "esModule", Data: "data", Text: "text", CompiledWasm: "wasm" } as const;
  const modules = modulesOf(directory).map(({ type, path }) => {
    const name = basename(path);
    return `(name = "${name}", ${kinds[type]} = embed "${name}")`;
  });
  const bindings = Object.entries(SETTINGS).map(
    ([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`,
  );
  const flags = compatibility.flags.map((flag) => `"${flag}"`);
  writeFileSync(
    join(directory, CONFIG),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [${modules.join(", ")}],
    compatibilityDate = "${compatibility.date}",
    compatibilityFlags = [${flags.join(", ")}],
    bindings = [(name = "DB", json = "{}"), ${bindings.join(", ")}],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`,
  );
}

/** A port that nothing listens on. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** Starts the runtime, waits for an answer, ends it. @returns milliseconds */
async function start(directory: string, port: number): Promise<number> {
  const startedAt = performance.now();
  const runtime = spawn(workerd.default, ["serve", CONFIG], {
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  runtime.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  const ended = new Promise((resolve) => runtime.once("exit", resolve));
  try {
    while (runtime.exitCode === null && performance.now() - startedAt < LIMIT) {
      const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
      if (response !== null) {
        if (!response.ok) throw new Error(`the Worker of ${directory} answers ${response.status}`);
        await response.text();
        return performance.now() - startedAt;
      }
      await setTimeout(1);
    }
    throw new Error(`the Worker of ${directory} does not answer: ${said}`);
  } finally {
    runtime.kill("SIGKILL");
    await ended;
  }
}

/**
 * The quickest of several starts of each build, taken in turns: what is slower waited for other work of the machine.
 * Milliseconds.
 * @param directories with the modules of a Worker each
 */
export async function startupTimes(
  directories: readonly string[],
  compatibility: { date: string; flags: readonly string[] },
): Promise<number[]> {
  const times = directories.map(() => [] as number[]);
  for (let round = 0; round < STARTS; round += 1) {
    for (const [index, directory] of directories.entries()) {
      const port = await freePort();
      configure(directory, port, compatibility);
      times[index]!.push(await start(directory, port));
    }
  }
  return times.map((list) => Math.round(Math.min(...list)));
}
