/**
 * The service of `npm run dev`: applies the migrations, and has `wrangler dev` build, serve and reload the Worker. It takes
 * what local-service.ts takes, and `--inspector-port N`. Data is where `npm start` has it.
 *
 * The port leads to wrangler's tools too: the storage's explorer, and the address that runs the scheduled job.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { applyMigrations, batchIn, configuredWorker, WRANGLER } from "./local-runtime.ts";
import { ROOT } from "./local-settings.ts";
import { QUIET_WRANGLER } from "./steps.ts";

/** `wrangler dev` has no clock for cron triggers. Milliseconds. */
const SCHEDULE = 60_000;

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
  ip: values.host,
  port: values.port,
  "persist-to": join(values.data, "worker"),
  "inspector-ip": "127.0.0.1",
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

async function runSchedule(): Promise<void> {
  try {
    const answer = await fetch(`${address}/cdn-cgi/local/scheduled`);
    const text = await answer.text();
    if (!answer.ok) say(`The scheduled job ended with ${answer.status} ${text}.`);
  } catch (error) {
    // While wrangler reloads, too.
    say(`The scheduled job could not be called: ${(error as Error).message}`);
  }
}

/** wrangler's line of a request, of which the service logs one itself. */
const REQUEST = /^\[wrangler:info\] [A-Z]+ \/\S* \d{3} .*\(\d+ms\)$/;

let listens = false;
for (const stream of [wrangler.stdout, wrangler.stderr]) {
  createInterface(stream).on("line", (coloured) => {
    const line = stripVTControlCharacters(coloured);
    if (!REQUEST.test(line)) say(line);
    if (listens || !line.includes("Ready on ")) return;
    listens = true;
    void runSchedule();
    setInterval(() => void runSchedule(), SCHEDULE);
    say(`listening on ${address}`);
  });
}
