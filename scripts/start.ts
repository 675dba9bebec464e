/**
 * `npm start`: the whole service on this machine. Everything it starts ends with it; everything it keeps is under
 * .mintage/, so that the next start finds it again. `npm run dev` (`--dev`) has wrangler serve it, which builds it again when
 * its source changes, on the same data.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DemoIntegration, demoIntegration } from "./demo-integration.ts";
import { firstCollection } from "./first-collection.ts";
import {
  EMBEDDED_PLATFORM,
  givenSettings,
  isThisMachine,
  planStart,
  publicKeyOf,
  ROOT,
  SetupError,
  type StartPlan,
  workerEnvFile,
  writeDevVars,
  writePrivately,
} from "./local-settings.ts";
import { portIsFree, type ServiceProcess, startProcess } from "./service-process.ts";
import { shownLine } from "./shown-line.ts";
import { claimState, holderOf, LEFTOVERS } from "./state-claim.ts";

/** A fifth longer than the slowest start seen on two busy cores. Milliseconds. */
const START_LIMIT = 180_000;
/** Where the embedded chain listens, which makes accounts and blocks for every caller, and the debugger. */
const THIS_MACHINE = "127.0.0.1";
/** yoctoNEAR: a hundred million NEAR, for a chain that exists on this machine only. */
const EMBEDDED_BALANCE = 10n ** 32n;

const IS_DEV = process.argv.includes("--dev");
const COMMAND = IS_DEV ? "npm run dev" : "npm start";

const HELP = `${COMMAND} takes no options, but settings from the environment or .dev.vars, such as PORT=8788 ${COMMAND}:

  PORT            where the service answers (8787)
  HOST            the address it listens on (127.0.0.1: this machine alone)
  NEAR_PORT       where the embedded chain answers (3030)
  NEAR_BLOCK_MS   milliseconds between its blocks (600)
  NEAR_NETWORK    testnet or mainnet instead of the embedded chain; needs PLATFORM_ACCOUNT_ID, PLATFORM_PRIVATE_KEY and
                  PUBLIC_URL
  MINTAGE_DATA    the folder of all data (.mintage)

docs/deploying.md lists the others.`;

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
 * Claims the state directory, which two starts can't share.
 * @returns whether its last holder was killed, so that what it left may still be ending
 */
function claim(stateDir: string): boolean {
  const claimed = claimState(stateDir);
  if (claimed !== null) return claimed.killed;
  throw new SetupError(
    `Mintage already runs on this data, or it is being copied (process ${holderOf(stateDir)}). End it first with Ctrl-C in its terminal.`,
  );
}

const openWarning = (host: string) =>
  `Warning: HOST=${host} lets other machines in, over plain HTTP. Keys, the operator's token and what they are used for
can be read on the way. Use it in a network that you trust, or leave HOST out: the service then answers this machine.`;

async function checkPorts(plan: StartPlan, patience: number): Promise<void> {
  const deadline = performance.now() + patience;
  const wanted = [
    { name: "PORT", host: plan.host, port: plan.port, what: "the service" },
    ...(IS_DEV
      ? [{ name: "INSPECTOR_PORT", host: THIS_MACHINE, port: plan.inspectorPort, what: "the debugger" }]
      : []),
    ...(plan.embedded
      ? [{ name: "NEAR_PORT", host: THIS_MACHINE, port: plan.embedded.port, what: "the embedded chain" }]
      : []),
  ];
  for (const { name, host, port, what } of wanted) {
    const isFree = () =>
      portIsFree(port, host).catch((error: Error) => {
        throw new SetupError(
          `HOST must be an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all; it is "${host}" (${error.message}).`,
        );
      });
    let free = await isFree();
    while (!free && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      free = await isFree();
    }
    if (free) continue;
    throw new SetupError(
      `Port ${port}, meant for ${what}, is in use. Free it, or choose another: ${name}=${port + 1} ${COMMAND}`,
    );
  }
}

/** A program that has to stay up: when it ends on its own, so does everything. */
function keep(started: ServiceProcess, logFile: string): void {
  running.push(started);
  void started.ended.then(() => {
    if (stopping) return;
    say(`\n${started.name} ended unexpectedly. ${endOf(logFile)}`);
    void exit(1);
  });
}

function endOf(logFile: string): string {
  const text = existsSync(logFile) ? readFileSync(logFile, "utf8") : "";
  return `The end of ${logFile}:\n${text.split("\n").slice(-25).join("\n") || "(nothing was written)"}`;
}

async function startChain(
  plan: StartPlan,
  { port, blockMs }: { port: number; blockMs: number },
): Promise<void> {
  const logFile = join(plan.stateDir, "chain.log");
  const platformKey = publicKeyOf(plan.worker.PLATFORM_PRIVATE_KEY ?? "");
  await new Promise<void>((resolve) => {
    const chain = startProcess({
      name: "The embedded chain",
      command: [
        process.execPath,
        join(ROOT, "devchain", "main.ts"),
        "--host",
        THIS_MACHINE,
        "--port",
        String(port),
        "--data",
        join(plan.stateDir, "chain"),
        "--block-ms",
        String(blockMs),
        "--account",
        `${EMBEDDED_PLATFORM}:${platformKey}:${EMBEDDED_BALANCE}`,
      ],
      logFile,
      onLine: (line) => line.includes("listening on") && resolve(),
    });
    keep(chain, logFile);
  });
}

/** Starts the service. @returns its address on this machine */
function startService(plan: StartPlan): Promise<string> {
  const logFile = join(plan.stateDir, "worker.log");
  const settingsFile = join(plan.stateDir, "worker.env");
  writePrivately(settingsFile, workerEnvFile(plan.worker));
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      const seconds = START_LIMIT / 1000;
      reject(new SetupError(`The service did not start within ${seconds} s. ${endOf(logFile)}`));
    }, START_LIMIT);
    const service = startProcess({
      name: "The service",
      command: [
        process.execPath,
        join(ROOT, "scripts", IS_DEV ? "dev-service.ts" : "local-service.ts"),
        "--settings",
        settingsFile,
        "--host",
        plan.host,
        "--port",
        String(plan.port),
        "--data",
        plan.stateDir,
        ...(IS_DEV ? ["--inspector-port", String(plan.inspectorPort)] : []),
      ],
      logFile,
      onLine: (line) => {
        const address = /^listening on (\S+)$/.exec(line)?.[1];
        if (address !== undefined) {
          clearTimeout(late);
          resolve(address);
        }
        const text = ready ? shownLine(line) : null;
        if (text !== null) say(text);
      },
    });
    keep(service, logFile);
  });
}

/** Prints what is being done, then how long it took. */
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
    `  operator      ${plan.url}/operator, whose token is adminToken in ${join(plan.stateDir, "demo.json")}`,
    `  contract      ${demo.contractUuid} (${demo.contractAccountId})`,
    `  data          ${plan.stateDir}`,
    ...(IS_DEV
      ? [`  debugger      ${THIS_MACHINE}:${plan.inspectorPort}, and src/ is built again when it changes`]
      : []),
    "",
    "A first collection, line by line, in another terminal:",
    "",
    ...firstCollection(plan.url, demo).flatMap((line) => [line, ""]),
    "Or all of it, with 25 mints: npm run demo",
    "A folder of your own pictures: npm run launch -- --init <folder>",
    "Ctrl-C ends the service and what belongs to it.",
    "",
  ].join("\n");
}

async function main(): Promise<void> {
  const plan = planStart(givenSettings());
  if (IS_DEV && !isThisMachine(plan.host)) {
    throw new SetupError(
      `HOST=${plan.host} lets other machines in, and wrangler shows whoever asks all that is stored. Leave HOST out, or use npm start.`,
    );
  }
  const killed = claim(plan.stateDir);
  await checkPorts(plan, killed ? LEFTOVERS : 0);
  const { embedded } = plan;
  if (IS_DEV && writeDevVars(plan))
    say("Wrote .dev.vars: settings with new secrets, for wrangler's own commands.");
  if (!isThisMachine(plan.host)) say(openWarning(plan.host));
  if (!embedded) say(`Using ${plan.network} through ${plan.worker.NEAR_RPC_URL}`);
  // The service asks the chain for nothing before its first request, so that both can start at once.
  const address = await announced(`Starting the service${embedded ? " and a chain" : ""}`, async () => {
    const chain = embedded ? startChain(plan, embedded) : null;
    const started = await startService(plan);
    await chain;
    return started;
  });
  const demo = await announced("Preparing the demo integration, its wallet and contract", () =>
    demoIntegration({
      baseUrl: address,
      adminToken: plan.worker.ADMIN_TOKEN ?? "",
      rpcUrl: plan.worker.NEAR_RPC_URL?.split(",")[0]?.trim() ?? "",
      file: join(plan.stateDir, "demo.json"),
      publicUrl: plan.url,
    }),
  );
  say(summary(plan, demo));
  ready = true;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (!stopping) say("\nEnding …");
    void exit(0);
  });
}
// The channel to the script that npm runs closes when that script has ended, for whatever reason.
process.on("disconnect", () => void exit(0));

const unknown = process.argv.slice(2).filter((argument) => argument !== "--dev");
if (unknown.length > 0) {
  const isHelp = unknown.every((argument) => argument === "--help" || argument === "-h");
  say(isHelp ? HELP : `Leave out ${unknown.join(" ")}.\n\n${HELP}`);
  process.exit(isHelp ? 0 : 2);
}

main().catch(async (error: unknown) => {
  if (stopping) return;
  process.stderr.write(
    error instanceof SetupError ? `\n${error.message}\n` : `\n${(error as Error).stack}\n`,
  );
  await exit(1);
});
