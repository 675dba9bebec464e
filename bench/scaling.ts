/**
 * `npm run bench:scaling`: mints on 1, 4 and 16 ledgers of one deployment at once (docs/scaling.md), and how long a quiet
 * ledger's mints take alone and beside one that has as many as it takes. Blocks of 600 ms, 100 ms added to each call of the node,
 * storage in memory. The local runtime runs the Worker, D1 and all objects in one process, and objects of one class in one thread;
 * the chain runs in this process: `runtime_cores` and `chain_cores` say how much of the machine each of them took, so that what
 * the machine holds back can be told from what a ledger does. `--seconds 15` each; `--json` prints one line.
 */
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startService } from "../testing/service.ts";
import { callsOf, cpuOf, figures, pause, prepare, rounded, timed } from "./mint-load.ts";
import { embedded } from "./mint-network.ts";

const BLOCK_MS = 600;
const LATENCY_MS = 100;
const LEDGERS = [1, 4, 16] as const;
/** Requests in flight, of all ledgers together: more than the machine can carry out. */
const IN_FLIGHT = 480;
/** Until as many are answered as are begun. Milliseconds. */
const RAMP_MS = 6_000;
/** Requests that a quiet ledger makes one after the other, alone and beside a noisy one. */
const QUIET = 12;
const NOISY_IN_FLIGHT = 100;
/** Who is told to come later does. Milliseconds. */
const AFTER_REFUSAL_MS = 1_000;

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "15" }, json: { type: "boolean", default: false } },
});
const measuredMs = Number(values.seconds) * 1_000;
if (!(measuredMs > 0)) throw new Error("--seconds: give a number above 0");

type Mint = () => Promise<void>;

const load = loadavg()[0]!;
const service = await startService({
  entry: "bench/mint-worker.ts",
  blockMs: BLOCK_MS,
  inMemory: true,
  unrouted: true,
});
try {
  const network = await embedded(service, LATENCY_MS);
  const ledgers: Mint[] = [];
  const rows = [];
  for (const count of LEDGERS) {
    const missing = Array.from({ length: count - ledgers.length }, () => prepare(service));
    ledgers.push(...(await Promise.all(missing)).map(({ mint }) => mint));
    rows.push(await together(ledgers.slice(0, count)));
  }
  const alone = await oneByOne(ledgers[0]!);
  const noise = beside(ledgers[1]!, NOISY_IN_FLIGHT);
  await pause(RAMP_MS);
  const quiet = await oneByOne(ledgers[0]!);
  const noisy = await noise();
  const neighbour = {
    alone,
    beside: quiet,
    times: rounded(quiet.p95_ms / alone.p95_ms, 2),
    noisy_mints_s: noisy,
  };
  const machine = { cores: availableParallelism(), load_before: rounded(load, 1) };
  if (values.json) console.log(JSON.stringify({ machine, ledgers: rows, neighbour }));
  else {
    console.log(machine);
    console.table(rows);
    console.table({ alone, beside: quiet });
    console.log(`a quiet ledger's p95 beside ${noisy} mints/s of another: ${neighbour.times} times of alone`);
  }
  await network.calls();
} finally {
  await service.stop();
}

/** Mints with so many requests in flight until it is told to stop. @returns stops, and tells its mints a second */
function beside(mint: Mint, inFlight: number): () => Promise<number> {
  let [isOver, done] = [false, 0];
  const from = performance.now();
  const client = async () => {
    while (!isOver) {
      const { ok } = await timed(mint);
      if (ok) done += 1;
      else await pause(AFTER_REFUSAL_MS);
    }
  };
  const clients = Promise.all(Array.from({ length: inFlight }, client));
  return async () => {
    const seconds = (performance.now() - from) / 1_000;
    const rate = rounded(done / seconds, 1);
    isOver = true;
    await clients;
    return rate;
  };
}

/** One mint after the other. */
async function oneByOne(mint: Mint) {
  const startedAt = performance.now();
  const results = [];
  for (let sample = 0; sample < QUIET; sample++) {
    // Not always at the same place within a block.
    await pause((sample / QUIET) * BLOCK_MS);
    results.push(await timed(mint));
  }
  return figures(results, performance.now() - startedAt);
}

/** What ledgers do together under more load than there is machine. */
async function together(mints: readonly Mint[]) {
  const from = performance.now() + RAMP_MS;
  const until = from + measuredMs;
  const done = mints.map(() => 0);
  const results: { ms: number; ok: boolean }[] = [];
  const client = async (ledger: number) => {
    while (performance.now() < until) {
      const result = await timed(mints[ledger]!);
      const now = performance.now();
      if (now >= from && now < until) {
        results.push(result);
        if (result.ok) done[ledger]! += 1;
      }
      if (!result.ok) await pause(AFTER_REFUSAL_MS);
    }
  };
  const clients = Array.from({ length: IN_FLIGHT }, (_, index) => client(index % mints.length));
  await pause(RAMP_MS);
  const [runtime, chain, calls] = [cpuOf(service.pid), cpuOf(process.pid), await callsOf(service)];
  await pause(until - performance.now());
  const [runtimeMs, chainMs] = [cpuOf(service.pid) - runtime, cpuOf(process.pid) - chain];
  const made = await callsOf(service);
  await Promise.all(clients);
  const { requests_s, p50_ms, p95_ms, ok } = figures(results, measuredMs);
  const ofLedgers = done.map((mints) => mints / (measuredMs / 1_000));
  return {
    ledgers: mints.length,
    mints_s: requests_s,
    least_of_a_ledger: rounded(Math.min(...ofLedgers), 1),
    most_of_a_ledger: rounded(Math.max(...ofLedgers), 1),
    p50_ms,
    p95_ms,
    failed: results.length - ok,
    cpu_ms_per_mint: rounded(runtimeMs / ok, 2),
    runtime_cores: rounded(runtimeMs / measuredMs, 2),
    chain_cores: rounded(chainMs / measuredMs, 2),
    object_calls_per_mint: rounded((made.object_calls - calls.object_calls) / ok, 3),
    d1_calls_per_mint: rounded((made.d1_calls - calls.d1_calls) / ok, 3),
  };
}
