/**
 * `npm start`: the whole service on this machine. Everything it starts ends with it; everything it keeps is under
 * .mintage/, so that the next start finds it again.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DemoIntegration, demoIntegration } from "./demo-integration.ts";
import { firstCollection } from "./first-collection.ts";
import {
  EMBEDDED_PLATFORM,
  givenSettings,
  localSecrets,
  planStart,
  ROOT,
  SetupError,
  type StartPlan,
  workerEnvFile,
  writePrivately,
} from "./local-settings.ts";
import { portIsFree, runToEnd, type ServiceProcess, startProcess } from "./service-process.ts";

const WRANGLER = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
/** `wrangler dev` has no clock for cron triggers. Milliseconds. */
const SCHEDULE = 60_000;
/** A fifth longer than the slowest start seen on two busy cores. Milliseconds. */
const START_LIMIT = 180_000;
/** What a killed start leaves ends within the leash's grace of 5 s. Milliseconds. */
const LEFTOVERS = 10_000;
/** yoctoNEAR: a hundred million NEAR, for a chain that exists on this machine only. */
const EMBEDDED_BALANCE = 10n ** 32n;

const running: ServiceProcess[] = [];
let stopping: Promise<void> | null = null;
/** Until the summary is printed only what goes wrong is worth a line; after it, requests are. */
let ready = false;

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Ends what was started, last first, once. */
function stop(): Promise<void> {
  stopping ??= (async () => {
    for (const started of running.toReversed()) await started.stop();
  })();
  return stopping;
}

async function exit(code: number): Promise<never> {
  await stop();
  process.exit(code);
}

/**
 * Takes the state directory, which two can't share.
 * @returns whether its last holder was killed, so that what it left may still be ending
 */
function claim(stateDir: string): boolean {
  const file = join(stateDir, "start.pid");
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const holder = holderOf(file);
  if (holder !== null) {
    throw new SetupError(
      `Mintage runs already on this data (process ${holder}). End it first, with Ctrl-C where it runs.`,
    );
  }
  const killed = existsSync(file);
  writeFileSync(file, String(process.pid));
  process.on("exit", () => rmSync(file, { force: true }));
  return killed;
}

function holderOf(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, "utf8"));
    process.kill(pid, 0);
    // A process id is soon used again; only one that runs this script holds the data.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("scripts/start.ts") ? pid : null;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ESRCH" || code === "EPERM") return null;
    throw error;
  }
}

async function checkPorts(plan: StartPlan, patience: number): Promise<void> {
  const deadline = performance.now() + patience;
  const wanted = [
    { name: "PORT", port: plan.port, what: "the service" },
    ...(plan.embedded ? [{ name: "NEAR_PORT", port: plan.embedded.port, what: "the embedded chain" }] : []),
  ];
  for (const { name, port, what } of wanted) {
    let free = await portIsFree(port);
    while (!free && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      free = await portIsFree(port);
    }
    if (free) continue;
    throw new SetupError(
      `Port ${port}, meant for ${what}, is in use. Free it, or choose another: ${name}=${port + 1} npm start`,
    );
  }
}

/** A program that has to stay up: when it ends on its own, so does everything. */
function keep(started: ServiceProcess, logFile: string): void {
  running.push(started);
  void started.ended.then(() => {
    if (stopping) return;
    say(`\n${started.name} ended unexpectedly. The end of ${logFile}:\n${tail(logFile)}`);
    void exit(1);
  });
}

function tail(file: string): string {
  try {
    return readFileSync(file, "utf8").split("\n").slice(-25).join("\n");
  } catch {
    return "(nothing was written)";
  }
}

async function startChain(plan: StartPlan, port: number): Promise<void> {
  const logFile = join(plan.stateDir, "chain.log");
  const { platformPublicKey } = localSecrets(plan.stateDir);
  await new Promise<void>((resolve) => {
    const chain = startProcess({
      name: "The embedded chain",
      command: [
        process.execPath,
        join(ROOT, "devchain", "main.ts"),
        "--port",
        String(port),
        "--data",
        join(plan.stateDir, "chain"),
        "--block-ms",
        process.env.NEAR_BLOCK_MS || "600",
        "--account",
        `${EMBEDDED_PLATFORM}:${platformPublicKey}:${EMBEDDED_BALANCE}`,
      ],
      logFile,
      onLine: (line) => line.includes("listening on") && resolve(),
    });
    keep(chain, logFile);
  });
}

const WRANGLER_ENV = { WRANGLER_SEND_METRICS: "false", NO_COLOR: "1", CLOUDFLARE_CF_FETCH_ENABLED: "false" };

async function applyMigrations(plan: StartPlan): Promise<void> {
  const logFile = join(plan.stateDir, "migrations.log");
  const status = await runToEnd({
    command: [
      process.execPath,
      WRANGLER,
      "d1",
      "migrations",
      "apply",
      "DB",
      "--local",
      "--persist-to",
      join(plan.stateDir, "worker"),
    ],
    env: { ...WRANGLER_ENV, CI: "true" },
    logFile,
  });
  if (status !== 0) throw new SetupError(`The database's migrations failed:\n${tail(logFile)}`);
}

/** Requests are shown as wrangler says them; the log file has them as JSON too, and the minute's scheduled call. */
const worthShowing = (line: string) =>
  line.trim() !== "" && !line.includes('"event":"request"') && !line.includes("/__scheduled");

async function startWorker(plan: StartPlan): Promise<void> {
  const logFile = join(plan.stateDir, "worker.log");
  const envFile = join(plan.stateDir, "worker.env");
  writePrivately(envFile, workerEnvFile(plan.worker));
  const worker = startProcess({
    name: "The service",
    command: [
      process.execPath,
      WRANGLER,
      "dev",
      "--local",
      "--port",
      String(plan.port),
      "--ip",
      process.env.HOST || "127.0.0.1",
      "--inspector-port",
      "0",
      "--env-file",
      envFile,
      "--persist-to",
      join(plan.stateDir, "worker"),
      "--test-scheduled",
      "--show-interactive-dev-session=false",
    ],
    env: WRANGLER_ENV,
    logFile,
    onLine: (line) => ready && worthShowing(line) && say(line),
  });
  keep(worker, logFile);
  await answers(`${localAddress(plan)}/health`, logFile);
}

const localAddress = (plan: StartPlan) => `http://127.0.0.1:${plan.port}`;

/** Waits until an address answers at all; its own checks come later, at /ready. */
async function answers(url: string, logFile: string): Promise<void> {
  const deadline = performance.now() + START_LIMIT;
  while (performance.now() < deadline) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      await response.body?.cancel();
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new SetupError(
    `${url} did not answer within ${START_LIMIT / 1000} s. The end of ${logFile}:\n${tail(logFile)}`,
  );
}

function keepSchedule(plan: StartPlan): void {
  const tick = async () => {
    try {
      const response = await fetch(`${localAddress(plan)}/__scheduled?cron=*+*+*+*+*`);
      await response.body?.cancel();
      if (!response.ok) say(`The scheduled job answered ${response.status}.`);
    } catch (error) {
      if (!stopping) say(`The scheduled job could not be called: ${(error as Error).message}`);
    }
  };
  setInterval(tick, SCHEDULE);
}

/** Says what is being done, and how long it took once it is. */
async function announced<T>(what: string, work: () => Promise<T>): Promise<T> {
  process.stdout.write(`${what} … `);
  const started = performance.now();
  const result = await work();
  say(`${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}

function summary(plan: StartPlan, demo: DemoIntegration): string {
  return [
    "",
    `Mintage is ready at ${plan.url}`,
    `  network       ${plan.network}${plan.embedded ? `, embedded, RPC at http://127.0.0.1:${plan.embedded.port}` : ""}`,
    `  API reference ${plan.url}/docs`,
    `  demo key      ${demo.apiKey}`,
    `  contract      ${demo.contractUuid} (${demo.contractAccountId})`,
    `  data          ${plan.stateDir}`,
    "",
    "A first collection, line by line, in another terminal:",
    "",
    ...firstCollection(plan.url, demo).flatMap((line) => [line, ""]),
    "Or all of it, with 25 mints: npm run demo",
    "Ctrl-C ends the service and what belongs to it.",
    "",
  ].join("\n");
}

async function main(): Promise<void> {
  const plan = planStart(givenSettings());
  const killed = claim(plan.stateDir);
  await checkPorts(plan, killed ? LEFTOVERS : 0);
  const { embedded } = plan;
  if (embedded) await announced("Starting the embedded chain", () => startChain(plan, embedded.port));
  else say(`Using ${plan.network} through ${plan.worker.NEAR_RPC_URL}`);
  await announced("Applying the database's migrations", () => applyMigrations(plan));
  await announced("Starting the service", () => startWorker(plan));
  const demo = await announced("Preparing the demo integration, its wallet and contract", () =>
    demoIntegration({
      baseUrl: localAddress(plan),
      adminToken: plan.worker.ADMIN_TOKEN ?? "",
      rpcUrl: plan.worker.NEAR_RPC_URL?.split(",")[0]?.trim() ?? "",
      file: join(plan.stateDir, "demo.json"),
      publicUrl: plan.url,
    }),
  );
  keepSchedule(plan);
  say(summary(plan, demo));
  ready = true;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (!stopping) say("\nEnding …");
    void exit(0);
  });
}
// The channel to the script that npm runs closes when that one is gone, however it went.
process.on("disconnect", () => void exit(0));

main().catch(async (error: unknown) => {
  if (stopping) return;
  process.stderr.write(
    error instanceof SetupError ? `\n${error.message}\n` : `\n${(error as Error).stack}\n`,
  );
  await exit(1);
});
