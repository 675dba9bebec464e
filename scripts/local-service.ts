/**
 * The service of `npm start`: builds the Worker, applies the migrations, serves, and runs the scheduled job every
 * minute. `node scripts/local-service.ts --settings FILE --host ADDRESS --port N --data DIR`
 *
 * Its port is the only one it opens, and leads to the Worker alone: there is no inspector, no explorer of the storage,
 * and no address that runs the scheduled job.
 */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs, parseEnv } from "node:util";
import { listen } from "./local-front.ts";
import { outboundWorker } from "./local-outbound.ts";
import { applyMigrations, buildWorker, builtWorker } from "./local-runtime.ts";
import { ROOT } from "./local-settings.ts";
import { startWorkerd } from "./workerd.ts";

/** The local runtime has no clock for cron triggers. Milliseconds. */
const SCHEDULE = 60_000;

const { values } = parseArgs({
  options: {
    settings: { type: "string", default: "" },
    host: { type: "string", default: "" },
    port: { type: "string", default: "" },
    data: { type: "string", default: "" },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);

// The runtime's folder is removed when this process exits.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(0));

const service = builtWorker(buildWorker("src/index.ts", join(values.data, "build"), { minify: false }));
const NAME = "mintage";
const OUTBOUND = "outbound";
const settings = parseEnv(readFileSync(values.settings, "utf8")) as Record<string, string>;

const runtime = await startWorkerd(
  {
    workers: [
      {
        ...service,
        name: NAME,
        bindings: settings,
        outboundService: OUTBOUND,
      },
      {
        name: "control",
        compatibilityDate: service.compatibilityDate,
        // So that a Worker may trigger another's schedule.
        compatibilityFlags: ["service_binding_extra_handlers"],
        modules: true,
        script: readFileSync(join(ROOT, "scripts", "local-control.mjs"), "utf8"),
        d1Databases: service.d1Databases,
        serviceBindings: { SERVICE: NAME },
      },
      outboundWorker(OUTBOUND, settings),
    ],
    // The folder's name is wrangler's, whose `d1 … --local --persist-to` finds the same data.
    resourcePersistencePath: join(values.data, "worker", "v3"),
    cf: false,
    logRequests: false,
    unsafeLocalExplorer: false,
    unsafeTriggerHandlers: false,
  },
  say,
);
void runtime.ended.then(() => {
  say("The runtime ended.");
  process.exit(1);
});
const [serviceSocket = "", controlSocket = ""] = runtime.sockets;

/** Asks the Worker beside the service's. @throws Error with its answer unless that is a success */
function control<Answer>(path: string, body: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath: controlSocket, path, method: "POST" }, (response) => {
      text(response).then((answer) => {
        if (response.statusCode === 200) resolve(JSON.parse(answer) as Answer);
        else reject(new Error(`${path}: ${response.statusCode} ${answer}`));
      }, reject);
    });
    asking.once("error", reject).end(JSON.stringify(body));
  });
}

async function runSchedule(): Promise<void> {
  try {
    const { outcome } = await control<{ outcome: string }>("/schedule", null);
    if (outcome !== "ok") say(`The scheduled job ended with ${outcome}.`);
  } catch (error) {
    say(`The scheduled job could not be called: ${(error as Error).message}`);
  }
}

await applyMigrations((statements) => control("/batch", statements));
// A service that listens on all addresses is reached by this one.
const host = values.host === "0.0.0.0" || values.host === "::" ? "127.0.0.1" : values.host;
const address = `http://${host.includes(":") ? `[${host}]` : host}:${values.port}`;
const hosts = [address, settings.PUBLIC_URL ?? address].map((url) => new URL(url).hostname);
await listen({ path: serviceSocket }, { host: values.host, port: Number(values.port), hosts });
// Also at the start: the last run may have left work.
void runSchedule();
setInterval(() => void runSchedule(), SCHEDULE);
say(`listening on ${address}`);
