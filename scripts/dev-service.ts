/**
 * The service of `npm run dev`: applies the migrations, and has `wrangler dev` build, serve and reload the Worker. It takes
 * what local-service.ts takes, and `--inspector-port N`. Data is where `npm start` has it.
 *
 * The port leads to wrangler's tools too: the storage's explorer, and the address that runs the scheduled job. wrangler
 * answers whatever host a request names, so it listens on a port of its own, behind local-front.ts.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, parseEnv, stripVTControlCharacters } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { listen } from "./local-front.ts";
import { applyMigrations, batchIn, configuredWorker, WRANGLER } from "./local-runtime.ts";
import { ROOT } from "./local-settings.ts";
import { QUIET_WRANGLER } from "./steps.ts";

/** `wrangler dev` has no clock for cron triggers. Milliseconds. */
const SCHEDULE = 60_000;
const THIS_MACHINE = "127.0.0.1";

const { values } = parseArgs({
  options: {
    settings: { type: "string", default: "" },
    host: { type: "string", default: "" },
    port: { type: "string", default: "" },
    data: { type: "string", default: "" },
    "inspector-port": { type: "string", default: "" },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);

// As wrangler's `d1 migrations apply --local` does, which takes 20 s for all of them.
const { d1Databases, compatibilityDate } = configuredWorker();
const database = new Miniflare(
  convertV4MiniflareOptions({
    ...{ d1Databases, compatibilityDate, modules: true, script: "export default {}" },
    resourcePersistencePath: join(values.data, "worker", "v3"),
  }),
);
await applyMigrations(batchIn(await database.getD1Database("DB")));
await database.dispose();

const options = {
  ip: THIS_MACHINE,
  port: "0",
  "persist-to": join(values.data, "worker"),
  "inspector-ip": THIS_MACHINE,
  "inspector-port": values["inspector-port"],
  "env-file": values.settings,
  minify: "false",
  "show-interactive-dev-session": "false",
};
const wrangler = spawn(
  process.execPath,
  [WRANGLER, "dev", ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])],
  {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    // Nothing is asked of other machines at the start.
    env: {
      ...process.env,
      ...QUIET_WRANGLER,
      WRANGLER_HIDE_BANNER: "true",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
    },
  },
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => wrangler.kill("SIGTERM"));
wrangler.once("exit", (code) => process.exit(code ?? 0));

const address = `http://${values.host.includes(":") ? `[${values.host}]` : values.host}:${values.port}`;

async function runSchedule(port: number): Promise<void> {
  try {
    const answer = await fetch(`http://${THIS_MACHINE}:${port}/cdn-cgi/local/scheduled`);
    const text = await answer.text();
    if (!answer.ok) say(`The scheduled job ended with ${answer.status} ${text}.`);
  } catch (error) {
    // While wrangler reloads, too.
    say(`The scheduled job could not be called: ${(error as Error).message}`);
  }
}

/** wrangler's line of a request, of which the service logs one itself. */
const REQUEST = /^\[wrangler:info\] [A-Z]+ \/\S* \d{3} .*\(\d+ms\)$/;

/** @param port wrangler's own */
async function open(port: number): Promise<void> {
  const { PUBLIC_URL: publicUrl } = parseEnv(readFileSync(values.settings, "utf8"));
  const hosts = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  await listen({ host: THIS_MACHINE, port }, { host: values.host, port: Number(values.port), hosts });
  void runSchedule(port);
  setInterval(() => void runSchedule(port), SCHEDULE);
  say(`listening on ${address}`);
}

let listens = false;
for (const stream of [wrangler.stdout, wrangler.stderr]) {
  createInterface(stream).on("line", (coloured) => {
    const line = stripVTControlCharacters(coloured);
    if (!REQUEST.test(line)) say(line);
    const port = /Ready on http:\/\/[^/]*:(\d+)/.exec(line)?.[1];
    if (listens || port === undefined) return;
    listens = true;
    void open(Number(port));
  });
}
