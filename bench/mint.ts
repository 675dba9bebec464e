/**
 * `npm run bench:mint`: 1, 10 and 100 concurrent mint requests on one wallet, on blocks of 600 ms, beside a plain
 * near-api-js loop with one key on the same chain. `--json` prints one line. `--lane-depth 1` is what a wallet does by
 * default; here it is 2, because the embedded chain is one node, on which two transactions of one key land in order
 * (docs/transactions.md, "Lanes").
 */
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { Account, JsonRpcProvider, KeyPair, type KeyPairString } from "near-api-js";
import { picture } from "../testing/pictures.ts";
import { type BenchService, SERVICE_NODE, startService } from "../testing/service.ts";

const BLOCK_MS = 600;
/** Lone requests, of which the medians are taken; each pair starts at its own place within a block. */
const LONE = 12;
/** Bursts of one size, each at its own place within a block. */
const BURSTS = 5;
const SUSTAINED_MS = 20_000;
/**
 * More than a wallet of 64 lanes takes in the four seconds that a mint lasts, so that it is the wallet that sets the
 * pace.
 */
const SUSTAINED_IN_FLIGHT = 400;
const GAS = 30_000_000_000_000n;
/** yoctoNEAR for the plain loop's account: a thousand NEAR. */
const PLAIN_BALANCE = "1000000000000000000000000000";

interface Figures {
  /** Calls of a node for each request that worked; null if they weren't counted. */
  readonly calls_each?: number;
  readonly requests_s: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly ok: number;
}

const percentile = (times: readonly number[], share: number): number => {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? 0);
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs a call once and says how long it took, and whether it worked. Milliseconds. */
async function timed(call: () => Promise<void>): Promise<{ ms: number; ok: boolean }> {
  const startedAt = performance.now();
  try {
    await call();
    return { ms: performance.now() - startedAt, ok: true };
  } catch (error) {
    process.stderr.write(`  ${String(error).slice(0, 160)}\n`);
    return { ms: performance.now() - startedAt, ok: false };
  }
}

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
async function bursts(service: BenchService, count: number, call: () => Promise<void>): Promise<Figures> {
  const all: Figures[] = [];
  for (let place = 0; place < BURSTS; place++) {
    await atPhase(service, place / BURSTS);
    all.push(await burst(count, call));
  }
  const middle = all.toSorted((a, b) => a.p95_ms - b.p95_ms)[Math.floor(BURSTS / 2)]!;
  return { ...middle, ok: Math.min(...all.map(({ ok }) => ok)) };
}

function figures(results: readonly { ms: number; ok: boolean }[], elapsed: number): Figures {
  const times = results.filter(({ ok }) => ok).map(({ ms }) => ms);
  return {
    requests_s: Math.round((times.length / elapsed) * 10_000) / 10,
    p50_ms: percentile(times, 0.5),
    p95_ms: percentile(times, 0.95),
    ok: times.length,
  };
}

async function rpc<T>({ rpcUrl }: BenchService, method: string, params: unknown): Promise<T> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: T; error?: unknown };
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return result as T;
}

/** Waits for the next block and then for a part of its time, so that compared calls start alike. */
async function atPhase(service: BenchService, phase: number): Promise<void> {
  const height = async () =>
    (await rpc<{ header: { height: number } }>(service, "block", { finality: "optimistic" })).header.height;
  const before = await height();
  while ((await height()) === before) await pause(5);
  await pause(phase * BLOCK_MS);
}

/** Calls that the service has made of its node so far. The chain counts them as delayed, by 0 ms. */
async function callsOf(service: BenchService): Promise<number> {
  const { injected } = await rpc<{ injected: Record<string, number> }>(service, "devchain_faults", {});
  return Object.values(injected).reduce((sum, count) => sum + count, 0);
}

const countCalls = (service: BenchService) =>
  rpc(service, "devchain_faults", { set: [{ kind: "delay", ms: 0, node: SERVICE_NODE }] });

/** Calls of a node for each mint, those after its answer included. */
async function withCalls<T extends { ok: number }>(
  service: BenchService,
  mints: (figures: T) => number,
  run: () => Promise<T>,
): Promise<T & { calls_each: number }> {
  const before = await callsOf(service);
  const figures = await run();
  await pause(BLOCK_MS);
  const calls = (await callsOf(service)) - before;
  return { ...figures, calls_each: Math.round((calls / mints(figures)) * 10) / 10 };
}

/** A collection with more copies than the bench mints, and the request that mints one. */
async function prepare(service: BenchService) {
  const { integration_uuid } = await service.admin<{ integration_uuid: string }>("/integration", {
    name: "Bench",
  });
  const { contract_uuid, account_id } = await service.admin<{ contract_uuid: string; account_id: string }>(
    `/integration/${integration_uuid}/contract`,
    { name: "Bench", symbol: "BENCH" },
  );
  const { api_key } = await service.admin<{ api_key: string }>(`/integration/${integration_uuid}/key`, {
    name: "bench",
    role: "full",
  });
  const authorization = `Api-Key ${api_key}`;
  const post = async <T>(path: string, body: BodyInit | null, type?: string): Promise<T> => {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method: "POST",
      headers: { authorization, ...(type && { "content-type": type }) },
      body,
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const json = "application/json";
  const draft = await post<{ collection_draft_uuid: string }>(
    "/collection-draft",
    JSON.stringify({ contract_uuid, title: "Bench" }),
    json,
  );
  const form = new FormData();
  form.append("asset_file", new File([picture("png", 1)], "a.png", { type: "image/png" }));
  form.append("assets_detail", JSON.stringify([{ asset_filename: "a.png", copies: 1_000_000 }]));
  await post(`/collection-draft/${draft.collection_draft_uuid}/asset-bulk`, form);
  const { collection_uuid, near_collection } = await post<{
    collection_uuid: string;
    near_collection: { collection_id: number };
  }>(`/collection-draft/${draft.collection_draft_uuid}/finalize`, null);
  const body = JSON.stringify({ receiver_addresses: [account_id] });
  const mint = async () => {
    await post(`/collection/${collection_uuid}/mint`, body, json);
  };
  return { mint, contractId: account_id, collectionId: near_collection.collection_id };
}

/** A plain call with one key by near-api-js, waited for to finality: what a shop would write without the service. */
async function plainLoop(service: BenchService, contractId: string, collectionId: number) {
  const key = KeyPair.fromRandom("ed25519");
  const accountId = `plain${randomBytes(4).toString("hex")}`;
  const publicKey = key.getPublicKey().toString();
  const account = { account_id: accountId, public_key: publicKey, balance: PLAIN_BALANCE };
  await rpc(service, "devchain_create_account", account);
  const provider = new JsonRpcProvider({ url: service.rpcUrl });
  const signer = new Account(accountId, provider, key.toString() as KeyPairString);
  return async () => {
    await signer.callFunction({
      contractId,
      methodName: "allowlist_sweep",
      args: { collection_id: collectionId, limit: 1 },
      gas: GAS,
      waitUntil: "FINAL",
    });
  };
}

/** Keeps requests in flight for a while. Returns how many a second were answered, and how many worked in all. */
async function sustained(mint: () => Promise<void>): Promise<{ tps: number; ok: number }> {
  const until = performance.now() + SUSTAINED_MS;
  const startedAt = performance.now();
  let done = 0;
  let worked = 0;
  const client = async () => {
    while (performance.now() < until) {
      const { ok } = await timed(mint);
      if (ok) worked += 1;
      if (ok && performance.now() < until) done += 1;
    }
  };
  await Promise.all(Array.from({ length: SUSTAINED_IN_FLIGHT }, client));
  const tps = Math.round((done / (Math.min(performance.now(), until) - startedAt)) * 10_000) / 10;
  return { tps, ok: worked };
}

async function sustainedWithCalls(service: BenchService, mint: () => Promise<void>) {
  const { tps, calls_each } = await withCalls(
    service,
    ({ ok }) => ok,
    () => sustained(mint),
  );
  return { sustained_tps: tps, sustained_calls_each: calls_each };
}

async function measure(service: BenchService) {
  const { mint, contractId, collectionId } = await prepare(service);
  const plain = await plainLoop(service, contractId, collectionId);
  await countCalls(service);
  // The wallet keeps the lanes it once needed: what is measured is a wallet that has had such load before.
  await burst(100, mint);
  await burst(100, mint);
  const plainLone: { ms: number; ok: boolean }[] = [];
  const total = (results: readonly { ms: number }[]) => results.reduce((sum, { ms }) => sum + ms, 0);
  const eachOnce = async () => {
    const lone: { ms: number; ok: boolean }[] = [];
    for (let sample = 0; sample < LONE; sample++) {
      await atPhase(service, sample / LONE);
      lone.push(await timed(mint));
      await atPhase(service, sample / LONE);
      plainLone.push(await timed(plain));
    }
    return figures(lone, total(lone));
  };
  const c1 = await withCalls(service, ({ ok }) => ok, eachOnce);
  const naive1 = figures(plainLone, total(plainLone));
  const c10 = await withCalls(
    service,
    () => BURSTS * 10,
    () => bursts(service, 10, mint),
  );
  const c100 = await withCalls(
    service,
    () => BURSTS * 100,
    () => bursts(service, 100, mint),
  );
  const naive10 = await bursts(service, 10, plain);
  const naive100 = await bursts(service, 100, plain);
  return {
    c1,
    c10,
    c100,
    ...(await sustainedWithCalls(service, mint)),
    overhead_p50_ms: c1.p50_ms - naive1.p50_ms,
    naive: { c1: naive1, c10: naive10, c100: naive100 },
  };
}

const { values } = parseArgs({
  options: { json: { type: "boolean", default: false }, "lane-depth": { type: "string", default: "2" } },
});
const settings = { LANE_DEPTH: values["lane-depth"] };
const service = await startService({ entry: "src/index.ts", blockMs: BLOCK_MS, settings });
try {
  const result = { ...(await measure(service)), lane_depth: Number(settings.LANE_DEPTH) };
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.table({ c1: result.c1, c10: result.c10, c100: result.c100 });
    console.log("a plain near-api-js loop with one key:");
    console.table(result.naive);
    console.log(`transactions of one access key on their way at once: ${result.lane_depth}`);
    console.log(
      `sustained: ${result.sustained_tps} mints/s from one wallet, ${result.sustained_calls_each} calls of a node each`,
    );
    console.log(`over the plain transaction's time to finality, at p50: ${result.overhead_p50_ms} ms`);
  }
} finally {
  await service.stop();
}
