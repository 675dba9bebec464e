/**
 * `npm run bench:mint`: 1, 10 and 100 concurrent mint requests on one wallet, and as many as it takes for a while, on
 * blocks of 600 ms whose node answers after 100 ms, beside a plain near-api-js loop with one key on the same chain.
 * What the service stores is kept in memory, because the local runtime stands still for each commit to a disk; `--disk`
 * keeps it there. `--json` prints one line; `--latency 0` delays nothing; `--lane-depth 2` is for a node that keeps the
 * order of two transactions of a key (docs/transactions.md, "Lanes"); `--in-flight 100` keeps fewer requests of the sustained run
 * waiting, for a machine that is busy with other things. `--rpc URL --account ID --key ed25519:…` runs it on any network,
 * where that account pays for everything, some 30 NEAR; the delay is beside the network's own there, 0 unless it is given.
 * With none of these options but `--json` it ends with 1 where a figure misses its bar (testing/mint-bars.ts), and names it.
 */
import { parseArgs } from "node:util";
import { hasBars, type MintConditions, missedBars } from "../testing/mint-bars.ts";
import { type BenchService, hasMemory, startService } from "../testing/service.ts";
import {
  type Calls,
  callsOf,
  cpuOf,
  type Figures,
  figures,
  pause,
  prepare,
  rounded,
  timed,
} from "./mint-load.ts";
import { embedded, givenNetwork, type Measured } from "./mint-network.ts";

const BLOCK_MS = 600;
/** What a node that is some way off takes for each call. Milliseconds. */
const LATENCY_MS = "100";
/** Lone requests, of which the medians are taken; each pair starts at its own place within a block. */
const LONE = 12;
/** Bursts of one size, each at its own place within a block. */
const BURSTS = 5;
const SUSTAINED_MS = 20_000;
/** Until as many are answered as are begun, which isn't counted. Milliseconds. */
const RAMP_MS = 8_000;
/**
 * More than a wallet mints in the four to five seconds that a mint lasts, so that it is the wallet that sets the pace; fewer
 * than an integration may have waiting.
 */
const SUSTAINED_IN_FLIGHT = "800";
/** Who is told to come later does. Milliseconds. */
const AFTER_REFUSAL_MS = 1_000;
const GAS = 30_000_000_000_000n;
/**
 * yoctoNEAR that a wallet has from the start on another network: for the storage of the contract and of some 6,000 NFTs. A
 * wallet that runs dry stops the sustained run.
 */
const FUNDING_ELSEWHERE = 20n * 10n ** 24n;

/** `count` calls at the same moment. Percentiles are over those that worked. */
async function burst(count: number, call: () => Promise<void>): Promise<Figures> {
  const startedAt = performance.now();
  const results = await Promise.all(Array.from({ length: count }, () => timed(call)));
  return figures(results, performance.now() - startedAt);
}

/**
 * Bursts that start at places spread over a block, since where one starts is worth up to a block's time: the middle one
 * by p95, with the least number that worked in any.
 */
async function bursts(network: Measured, count: number, call: () => Promise<void>): Promise<Figures> {
  const all: Figures[] = [];
  for (let place = 0; place < BURSTS; place++) {
    await atPhase(network, place / BURSTS);
    all.push(await burst(count, call));
  }
  const middle = all.toSorted((a, b) => a.p95_ms - b.p95_ms)[Math.floor(BURSTS / 2)]!;
  return { ...middle, ok: Math.min(...all.map(({ ok }) => ok)) };
}

/** Waits for the next block and then for a part of its time, so that compared calls start alike. */
async function atPhase({ rpc, lookMs }: Measured, phase: number): Promise<void> {
  const height = async () =>
    (await rpc<{ header: { height: number } }>("block", { finality: "optimistic" })).header.height;
  const before = await height();
  while ((await height()) === before) await pause(lookMs);
  await pause(phase * BLOCK_MS);
}

/** Calls of a node for each mint, those after its answer included. */
async function withCalls<T>(
  network: Measured,
  mints: number,
  run: () => Promise<T>,
): Promise<T & { calls_each: number }> {
  const before = await network.calls();
  const figures = await run();
  await pause(BLOCK_MS);
  const calls = (await network.calls()) - before;
  return { ...figures, calls_each: rounded(calls / mints, 2) };
}

/** A plain call with one key by near-api-js, waited for to finality: what a shop would write without the service. */
async function plainLoop(network: Measured, contractId: string, collectionId: number) {
  const account = await network.plainAccount();
  return async () => {
    await account.callFunction({
      contractId,
      methodName: "allowlist_sweep",
      args: { collection_id: collectionId, limit: 1 },
      gas: GAS,
      waitUntil: "FINAL",
    });
  };
}

/** What one wallet does under more load than it can take, from when as many are answered as are begun. */
async function sustained(service: BenchService, network: Measured, mint: () => Promise<void>) {
  const { pid } = service;
  const storedBytes = await sizeOfDatabase(service);
  const from = performance.now() + RAMP_MS;
  const until = from + SUSTAINED_MS;
  let [done, failed] = [0, 0];
  const client = async () => {
    while (performance.now() < until) {
      const { ok } = await timed(mint);
      const now = performance.now();
      if (now >= from && now < until) {
        if (ok) done += 1;
        else failed += 1;
      }
      if (!ok) await pause(AFTER_REFUSAL_MS);
    }
  };
  const clients = Array.from({ length: inFlight }, client);
  await pause(RAMP_MS);
  const [calls, cpu, stored] = [await network.calls(), cpuOf(pid), await storedBytes()];
  const called = await callsOf(service);
  await pause(until - performance.now());
  const [callsMade, cpuUsed] = [(await network.calls()) - calls, cpuOf(pid) - cpu];
  const calledSince = await callsOf(service);
  const each = (name: keyof Calls) => rounded((calledSince[name] - called[name]) / done, 3);
  const storedSince = (await storedBytes()) - stored;
  await Promise.all(clients);
  return {
    sustained_tps: rounded(done / (SUSTAINED_MS / 1_000), 1),
    sustained_failed: failed,
    calls_per_mint: rounded(callsMade / done, 2),
    cpu_ms_per_mint: rounded(cpuUsed / done, 2),
    object_calls_per_mint: each("object_calls"),
    d1_calls_per_mint: each("d1_calls"),
    d1_trips_per_mint: each("d1_calls_of_requests"),
    d1_bytes_per_mint: rounded(storedSince / done, 0),
  };
}

/**
 * Tells the size of the database. Asked for the first time, the local runtime's proxy stops this process until it has an
 * answer: under load the runtime would wait meanwhile for this process to take what it logs.
 */
async function sizeOfDatabase(service: BenchService): Promise<() => Promise<number>> {
  const { DB } = await service.storage();
  const statement = DB.prepare("SELECT 1");
  const size = async () => (await statement.run()).meta.size_after;
  await size();
  return size;
}

async function measure(service: BenchService, network: Measured) {
  const { mint, gas, contractId, collectionId } = await prepare(service);
  const plain = await plainLoop(network, contractId, collectionId);
  // The wallet keeps the lanes it once needed: what is measured is a wallet that has had such load before.
  await burst(100, mint);
  await burst(100, mint);
  const total = (results: readonly { ms: number }[]) => results.reduce((sum, { ms }) => sum + ms, 0);
  const lone: { ms: number; ok: boolean }[] = [];
  const plainLone: { ms: number; ok: boolean }[] = [];
  const eachOnce = async () => {
    for (let sample = 0; sample < LONE; sample++) {
      await atPhase(network, sample / LONE);
      lone.push(await timed(mint));
      await atPhase(network, sample / LONE);
      plainLone.push(await timed(plain));
    }
    return figures(lone, total(lone));
  };
  const c1 = await withCalls(network, LONE, eachOnce);
  const naive1 = figures(plainLone, total(plainLone));
  const c10 = await withCalls(network, BURSTS * 10, () => bursts(network, 10, mint));
  const c100 = await withCalls(network, BURSTS * 100, () => bursts(network, 100, mint));
  const naive10 = await bursts(network, 10, plain);
  const naive100 = await bursts(network, 100, plain);
  const load = await sustained(service, network, mint);
  return {
    c1,
    c10,
    c100,
    ...load,
    tgas_per_token: gas.each,
    overhead_p50_ms: c1.p50_ms - naive1.p50_ms,
    c100_p95_of_plain: rounded(c100.p95_ms / naive1.p50_ms, 2),
    naive: { c1: naive1, c10: naive10, c100: naive100 },
  };
}

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    disk: { type: "boolean", default: false },
    latency: { type: "string" },
    "lane-depth": { type: "string", default: "1" },
    "in-flight": { type: "string", default: SUSTAINED_IN_FLIGHT },
    rpc: { type: "string" },
    account: { type: "string" },
    key: { type: "string" },
  },
});
const latencyMs = Number(values.latency ?? (values.rpc === undefined ? LATENCY_MS : "0"));
if (!Number.isFinite(latencyMs) || latencyMs < 0) throw new Error("--latency: give milliseconds");
const inFlight = Number(values["in-flight"]);
if (!(inFlight > 0)) throw new Error("--in-flight: give a number above 0");
const settings = { LANE_DEPTH: values["lane-depth"] };
const inMemory = !values.disk;
const { service, network } = await start();
try {
  const measured = await measure(service, network);
  const storage: MintConditions["storage"] = inMemory && hasMemory ? "memory" : "disk";
  const result = {
    ...measured,
    lane_depth: Number(settings.LANE_DEPTH),
    in_flight: inFlight,
    latency_ms: latencyMs,
    storage,
  };
  if (values.json) console.log(JSON.stringify(result));
  else print(result);
  const isPlain = values.rpc === undefined && values["in-flight"] === SUSTAINED_IN_FLIGHT;
  const missed = hasBars({ ...result, isEmbedded: isPlain }) ? missedBars(measured) : [];
  for (const text of missed) process.stderr.write(`${text}\n`);
  if (missed.length > 0) process.exitCode = 1;
} finally {
  await service.stop();
}

async function start(): Promise<{ service: BenchService; network: Measured }> {
  const { rpc, account, key } = values;
  if (rpc === undefined) {
    const service = await startService({
      entry: "bench/mint-worker.ts",
      blockMs: BLOCK_MS,
      settings,
      inMemory,
      unrouted: true,
    });
    return { service, network: await embedded(service, latencyMs) };
  }
  if (!account || !key)
    throw new Error("--rpc: name the account that pays with --account, and its key with --key");
  const given = await givenNetwork(rpc, account, key, latencyMs);
  const elsewhere = { WALLET_FUNDING: FUNDING_ELSEWHERE.toString(), PUBLIC_URL: "https://bench.invalid" };
  const service = await startService({
    entry: "bench/mint-worker.ts",
    blockMs: BLOCK_MS,
    network: given,
    inMemory,
    settings: { ...settings, ...elsewhere },
  });
  return { service, network: given.measured };
}

function print(
  result: Awaited<ReturnType<typeof measure>> & { lane_depth: number; latency_ms: number; storage: string },
): void {
  console.log(
    `each call of a node takes ${result.latency_ms} ms longer, and the service stores in ${result.storage}`,
  );
  console.table({ c1: result.c1, c10: result.c10, c100: result.c100 });
  console.log("a plain near-api-js loop with one key:");
  console.table(result.naive);
  console.log(`transactions of one access key on their way at once: ${result.lane_depth}`);
  console.log(
    `sustained: ${result.sustained_tps} mints/s from one wallet, ${result.sustained_failed} refused or failed, ` +
      `${result.calls_per_mint} calls of a node each, ` +
      `${result.cpu_ms_per_mint} ms of CPU each (runtime, database and objects), ${result.tgas_per_token} Tgas a token, ` +
      `${result.object_calls_per_mint} calls of an object and ${result.d1_calls_per_mint} of D1 a mint, ` +
      `${result.d1_trips_per_mint} of these by its request, ` +
      `${result.d1_bytes_per_mint} bytes of D1 a mint`,
  );
  console.log(`100 at once, p95: ${result.c100_p95_of_plain} times a lone plain transaction`);
  console.log(`over the plain transaction's time to finality, at p50: ${result.overhead_p50_ms} ms`);
}
