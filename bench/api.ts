/**
 * `npm run bench:api`: what the service adds to a request. GET collection, POST draft and allowlist-checkaccount beside
 * a bare hono handler with one D1 query in the same runtime; the size of the bundle; how long it takes to start beside
 * an empty Worker. `--json` prints one line. `--d1-latency MS` puts the database so far away and measures something else:
 * how many trips to it each kind of request waits for, and how many rows of events it writes. `--only TEXT`
 * measures the kinds alone whose names contain it.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { buildWorker, modulesOf } from "../scripts/local-runtime.ts";
import { picture } from "../testing/pictures.ts";
import { PLATFORM, startService } from "../testing/service.ts";
import { type Call, type Kind, kindsOf } from "./request-kinds.ts";
import { startupTimes } from "./startup.ts";

const WARM_UP = 100;
/** Rounds in which all take turns, so that other load on the machine affects all alike. */
const ROUNDS = 20;
const REQUESTS_A_ROUND = 50;
const IN_FLIGHT = 16;
const AT_ONCE_MS = 3_000;
/** Keys that take turns: together they may send more than the bench does. */
const KEYS = 12;
/** Drafts that the operator lets the bench's integration keep: some thousands are made, more than the default. */
const DRAFTS = 100_000;

/** The most that each may be. */
const MOST = { ratio: 1.5, bundle: 1_048_576, startup: 100 };

/** Requests of a kind, of which the median counts. */
const TRIPS_OF = 5;
/** Requests of a kind that may be left out, because the isolate has looked up again what it keeps for some seconds. */
const MOST_LEFT_OUT = 20;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    "d1-latency": { type: "string" },
    only: { type: "string", default: "" },
  },
});
const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });

let turn = 0;

/** Sends a request and reads its answer. @returns milliseconds */
const send = ({ method, url, authorizations, body, status, ...call }: Call): Promise<number> =>
  new Promise((resolve, reject) => {
    const authorization = authorizations?.[turn++ % authorizations.length];
    const headers = { ...call.headers, ...(authorization && { authorization }) };
    const startedAt = performance.now();
    const outgoing = request(url, { method, headers, agent }, (response) => {
      response.resume().once("end", () => {
        if (response.statusCode === status) resolve(performance.now() - startedAt);
        else reject(new Error(`${method} ${url}: ${response.statusCode} instead of ${status}`));
      });
    });
    outgoing.once("error", reject).end(body);
  });

const percentile = (times: readonly number[], share: number): number => {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? 0;
};

const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** Answers a second while `IN_FLIGHT` calls are in flight. */
async function throughput(call: Call): Promise<number> {
  const until = performance.now() + AT_ONCE_MS;
  let done = 0;
  const worker = async () => {
    while (performance.now() < until) {
      await send(call);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return rounded((done / AT_ONCE_MS) * 1_000, 0);
}

/** Latencies one at a time, in turns, then throughput one after the other. */
async function measure<Name extends string>(calls: Readonly<Record<Name, Call>>) {
  const names = Object.keys(calls) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) for (let sent = 0; sent < WARM_UP; sent += 1) await send(calls[name]);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) {
      for (let sent = 0; sent < REQUESTS_A_ROUND; sent += 1) times[name].push(await send(calls[name]));
    }
  }
  const figures = {} as Record<Name, { p50_ms: number; p99_ms: number; requests_s: number }>;
  for (const name of names) {
    figures[name] = {
      p50_ms: rounded(percentile(times[name], 0.5)),
      p99_ms: rounded(percentile(times[name], 0.99)),
      requests_s: await throughput(calls[name]),
    };
  }
  return figures;
}

const directory = mkdtempSync(join(tmpdir(), "mintage-bench-api-"));
const service = await startService({
  entry: "bench/api-worker.ts",
  blockMs: 100,
});
try {
  const collection = await createCollection();
  if (values["d1-latency"] !== undefined) await showTrips(collection, Number(values["d1-latency"]));
  else await showFigures(collection);
} finally {
  agent.destroy();
  await service.stop();
  rmSync(directory, { recursive: true, force: true });
}

type Collection = Awaited<ReturnType<typeof createCollection>>;

async function showFigures(collection: Collection): Promise<void> {
  const { keys, contractUuid, collectionUuid } = collection;
  const authorizations = keys.map((key) => `Api-Key ${key}`);
  const headers = { "content-type": "application/json" };
  const api = `${service.url}/api/v1`;
  const figures = await measure({
    bare: {
      method: "GET",
      url: `${service.url}/bare/${collectionUuid.replaceAll("-", "")}`,
      headers: {},
      status: 200,
    },
    get_collection: {
      method: "GET",
      url: `${api}/collection/${collectionUuid}`,
      headers: {},
      authorizations,
      status: 200,
    },
    post_draft: {
      method: "POST",
      url: `${api}/collection-draft`,
      headers,
      authorizations,
      body: JSON.stringify({ contract_uuid: contractUuid, title: "Herons" }),
      status: 201,
    },
    checkaccount: {
      method: "PUT",
      url: `${api}/collection/${collectionUuid}/allowlist-checkaccount`,
      headers,
      authorizations,
      body: JSON.stringify({ account: "alice.near" }),
      status: 200,
    },
  });
  agent.destroy();
  report(figures, await sizes());
}

/** What was asked of the database so far. */
interface Asked {
  /** All calls. */
  readonly begun: number;
  /** Calls that a request has waited for, and those of them for what an isolate keeps for some seconds. */
  readonly trips: number;
  readonly lookups: number;
}

/** What the Worker has asked of the database so far, which is so far away from now on. */
async function distance(ms?: number): Promise<Asked> {
  const answer = await fetch(`${service.url}/distance${ms === undefined ? "" : `?ms=${ms}`}`);
  return (await answer.json()) as Asked;
}

function middle(numbers: readonly number[]): number {
  return percentile(numbers, 0.5);
}

/** Requests of one kind, one after the other. What goes on behind an answer is waited for. */
async function eachOf({ call }: Kind, known: Call, latencyMs: number) {
  const each: { readonly trips: number; readonly ms: number }[] = [];
  let leftOut = 0;
  await send(await call());
  while (each.length < TRIPS_OF) {
    const prepared = await call();
    await quiet(latencyMs);
    await send(known);
    const before = await distance(latencyMs);
    const ms = await send(prepared);
    const after = await distance(latencyMs);
    await distance(0);
    // What is measured is a request of a key that was seen lately, to an isolate that was asked lately.
    if (after.lookups > before.lookups) {
      leftOut += 1;
      if (leftOut > MOST_LEFT_OUT)
        throw new Error(`${prepared.method} ${prepared.url} is looked up for each time`);
      continue;
    }
    each.push({
      ms,
      trips: after.trips - before.trips,
    });
  }
  return each;
}

/** The trips that each kind of request waits for before it is answered, and how long it takes. */
async function showTrips(collection: Collection, latencyMs: number): Promise<void> {
  const rows: Record<string, { trips: number; most: number; ms: number }> = {};
  const kinds = await kindsOf(service, collection);
  const known = await kinds[0]!.call();
  for (const kind of kinds.filter(({ name }) => name.includes(values.only))) {
    const { name, most } = kind;
    const each = await eachOf(kind, known, latencyMs);
    rows[name] = {
      trips: middle(each.map(({ trips }) => trips)),
      most,
      ms: rounded(middle(each.map(({ ms }) => ms)), 0),
    };
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ d1_latency_ms: latencyMs, requests: rows })}\n`);
  else console.table(rows);
  const missed = Object.entries(rows).flatMap(([name, { trips, most }]) =>
    trips > most ? [`${name} makes ${trips} trips to the database, and may make ${most}`] : [],
  );
  for (const text of missed) process.stderr.write(`${text}\n`);
  if (missed.length > 0) process.exitCode = 1;
}

/** Waits until nothing asks the database. */
async function quiet(latencyMs: number): Promise<void> {
  for (let before = (await distance()).begun; ; ) {
    await new Promise((resolve) => setTimeout(resolve, 2 * latencyMs));
    const now = (await distance()).begun;
    if (now === before) return;
    before = now;
  }
}

/** The compatibility that wrangler.toml asks for. */
function compatibility(): { date: string; flags: string[] } {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(
    join(import.meta.dirname, "..", "wrangler.toml"),
  );
  const { compatibilityDate, compatibilityFlags } = workerOptions as Record<string, unknown>;
  return { date: compatibilityDate as string, flags: compatibilityFlags as string[] };
}

interface Sizes {
  readonly bundle_gzip_bytes: number;
  readonly startup_ms: number;
  readonly empty_startup_ms: number;
}

/** The bundle as it is deployed, and how long it takes to start. */
async function sizes(): Promise<Sizes> {
  const out = buildWorker("src/index.ts", directory);
  const bytes = modulesOf(out).reduce((sum, { path }) => sum + gzipSync(readFileSync(path)).length, 0);
  const empty = join(directory, "empty");
  mkdirSync(empty);
  writeFileSync(join(empty, "index.js"), 'export default { fetch: () => new Response("ok") };\n');
  const [startup = 0, emptyStartup = 0] = await startupTimes([out, empty], compatibility());
  return { bundle_gzip_bytes: bytes, startup_ms: startup, empty_startup_ms: emptyStartup };
}

type Figures = Record<string, { p50_ms: number; p99_ms: number; requests_s: number }>;

function report({ bare, ...measured }: Figures, sized: Sizes): void {
  const base = bare!.p50_ms;
  const figures = Object.fromEntries(
    Object.entries(measured).map(([name, each]) => [
      name,
      { ...each, p50_ratio: rounded(each.p50_ms / base) },
    ]),
  );
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ ...figures, bare, ...sized })}\n`);
  } else {
    console.table({ bare: { ...bare, p50_ratio: 1 }, ...figures });
    console.table(sized);
  }
  const missed = [
    figures.get_collection!.p50_ratio > MOST.ratio &&
      `GET collection takes more than ${MOST.ratio} times the bare handler`,
    sized.bundle_gzip_bytes > MOST.bundle && `the bundle is above ${MOST.bundle} bytes`,
    sized.startup_ms - sized.empty_startup_ms > MOST.startup &&
      `the start takes more than ${MOST.startup} ms more`,
  ].filter((text) => typeof text === "string");
  for (const text of missed) process.stderr.write(`${text}\n`);
  if (missed.length > 0) process.exitCode = 1;
}

/** A collection on the chain, to read. */
async function createCollection() {
  const { integration_uuid: uuid } = await service.admin<{ integration_uuid: string }>("/integration", {
    name: "Bench",
  });
  await service.admin(`/integration/${uuid}/limits`, { drafts: DRAFTS }, "PUT");
  const keys: string[] = [];
  while (keys.length < KEYS) {
    const issued = await service.admin<{ api_key: string }>(`/integration/${uuid}/key`, { name: "bench" });
    keys.push(issued.api_key);
  }
  const contract = await service.admin<{ contract_uuid: string; account_id: string }>(
    `/integration/${uuid}/contract`,
    {
      name: "Bench",
      symbol: "BENCH",
    },
  );
  const post = async <Answer>(path: string, body?: BodyInit, type?: string): Promise<Answer> => {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `Api-Key ${keys[0]}`, ...(type && { "content-type": type }) },
      body,
    });
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  const settings = JSON.stringify({ contract_uuid: contract.contract_uuid, title: "Herons" });
  const draft = await post<{ collection_draft_uuid: string }>(
    "/collection-draft",
    settings,
    "application/json",
  );
  const form = new FormData();
  form.append("asset_file", new File([picture("png", 1)], "a.png"));
  form.append("assets_detail", JSON.stringify([{ asset_filename: "a.png", copies: 1_000 }]));
  await post(`/collection-draft/${draft.collection_draft_uuid}/asset-bulk`, form);
  const finalize = `/collection-draft/${draft.collection_draft_uuid}/finalize`;
  const { collection_uuid: collectionUuid } = await post<{ collection_uuid: string }>(finalize);
  const other = await post<{ collection_draft_uuid: string }>(
    "/collection-draft",
    settings,
    "application/json",
  );
  const listed = await fetch(`${service.url}/api/v1/operation?limit=1`, {
    headers: { authorization: `Api-Key ${keys[0]}` },
  });
  const [operation] = (await listed.json()) as { operation_uuid: string }[];
  return {
    keys,
    integrationUuid: uuid,
    contractUuid: contract.contract_uuid,
    collectionUuid,
    draftUuid: other.collection_draft_uuid,
    finalizedDraftUuid: draft.collection_draft_uuid,
    operationUuid: operation!.operation_uuid,
    receiver: PLATFORM,
  };
}
