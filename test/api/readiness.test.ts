import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Readiness } from "../../client/src/index.ts";
import { apiWith, bodyOf, workerWith } from "../support/api.ts";
import { chainCall, setFaults } from "../support/chain-control.ts";
import { background } from "../support/operations.ts";
import { eventually, later, until } from "../support/waiting.ts";

/** What is reported before the schedule has run. */
let begun: Readiness;

beforeAll(async () => {
  begun = await ready(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await setFaults();
});

/** `GET /ready` with other bindings. Different settings have no cached answers. */
async function ready(status: number, changes: object = {}): Promise<Readiness> {
  const { response, background } = await apiWith({ ...changes }, "/ready");
  await background();
  return bodyOf<Readiness>(response, status);
}

const [A, B] = ["/a", "/b"].map((path) => new URL(path, env.NEAR_RPC_URL).href);

test("a service whose schedule has never run reports that, and is ready", () => {
  expect(begun.schedule).toEqual({ last_run_at: null, state: "late" });
});

const finalHeight = async (): Promise<number> => {
  const { header } = await chainCall<{ header: { height: number } }>("block", { finality: "final" });
  return header.height;
};

/** A binding whose every use fails. */
const broken = new Proxy(
  {},
  {
    get: () => () => {
      throw new Error("out of order");
    },
  },
);

test("every part is reported as healthy", async () => {
  const before = Date.now();
  await background.reconcile();
  const height = await finalHeight();
  const found = await ready(200, { NEAR_RPC_URL: `${A},${B}` });
  const { host } = new URL(env.NEAR_RPC_URL);
  const number = expect.any(Number);
  const node = { host, state: "up", height: number, age_seconds: number, latency_ms: number };
  expect(found).toEqual({
    status: "ready",
    database: {
      size_bytes: expect.any(Number),
      limit_bytes: 10_000_000_000,
      full_percent: 0,
      full_at: null,
    },
    bucket: { state: "up" },
    chain: { state: "up", nodes: [node, node] },
    platform: {
      account_id: env.PLATFORM_ACCOUNT_ID,
      available: expect.stringMatching(/^\d+$/),
      state: "funded",
    },
    schedule: { last_run_at: expect.any(String), state: "running" },
  });
  expect(found.chain.nodes[0]?.height).toBeGreaterThanOrEqual(height);
  expect(found.chain.nodes[0]?.age_seconds).toBeLessThan(60);
  expect(Date.parse(found.schedule.last_run_at ?? "")).toBeGreaterThanOrEqual(before);
});

test("the service is ready with one node down, and not ready with all nodes down", async () => {
  await setFaults({ kind: "down", node: "/a" });
  const one = await ready(200, { NEAR_RPC_URL: `${A},${B}` });
  expect(one.chain).toMatchObject({
    state: "up",
    nodes: [{ state: "down", height: null, age_seconds: null, latency_ms: null }, { state: "up" }],
  });
  await setFaults({ kind: "down" });
  expect(await ready(503, { NEAR_RPC_URL: `${A},${B}` })).toMatchObject({
    status: "unavailable",
    bucket: { state: "up" },
    chain: { state: "down", nodes: [{ state: "down" }, { state: "down" }] },
    platform: { available: null, state: "unknown" },
  });
  await setFaults();
  await eventually(() => ready(200, { NEAR_RPC_URL: `${A},${B}` }));
});

test("concurrent requests share one check of the nodes and the bucket", async () => {
  const head = vi.fn(() => Promise.resolve(null));
  const worker = workerWith({ NEAR_RPC_URL: `${A},${B}`, BUCKET: { head } });
  const ask = async (): Promise<number> => {
    const { response, background: rest } = await worker("/ready");
    await response.body?.cancel();
    await rest();
    return response.status;
  };
  // If the look took longer than a node's time limit, all of them would find the service unavailable.
  await setFaults({ kind: "delay", ms: 50 });
  expect(await Promise.all(Array.from({ length: 60 }, ask))).toEqual(Array(60).fill(200));
  expect(head).toHaveBeenCalledTimes(1);
});

test("a node without new blocks is reported as not up, and a node with a wrong clock as up", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
  const path = { NEAR_RPC_URL: new URL("/still", env.NEAR_RPC_URL).href };
  await setFaults({ kind: "freeze", node: "/still" });
  for (let look = 0; look < 2; look += 1) {
    expect(await ready(503, path)).toMatchObject({ chain: { state: "down", nodes: [{ state: "still" }] } });
    expect((await ready(503, path)).chain.nodes[0]?.age_seconds).toBeGreaterThan(500);
  }
  await setFaults();
  await eventually(async () => {
    expect(await ready(200, path)).toMatchObject({ chain: { state: "up", nodes: [{ state: "up" }] } });
  });
});

test("the service is not ready without the bucket or the database", async () => {
  expect(await ready(503, { BUCKET: broken })).toMatchObject({
    status: "unavailable",
    bucket: { state: "down" },
    chain: { state: "up" },
  });
  expect(await ready(503, { DB: broken })).toMatchObject({
    status: "unavailable",
    database: {
      size_bytes: null,
      limit_bytes: 10_000_000_000,
      full_percent: null,
      full_at: null,
    },
    bucket: { state: "up" },
    schedule: { last_run_at: null, state: "late" },
  });
});

test("a low platform account and a late schedule are reported, but the service stays ready", async () => {
  const poor = await ready(200, { WALLET_FUNDING: (10n ** 36n).toString() });
  expect(poor.platform.state).toBe("low");
  const absent = await ready(200, { PLATFORM_ACCOUNT_ID: "nobody.test" });
  expect(absent.platform).toEqual({ account_id: "nobody.test", available: null, state: "low" });
  // In front of a clock that was moved, a node counts as up if its height has risen since the last check.
  const seen = await finalHeight();
  await until(async () => (await finalHeight()) > seen);
  expect((await later(600_000, () => ready(200))).schedule.state).toBe("late");
});

test("only the host of a node's URL is shown", async () => {
  const secret = new URL("/a?apiKey=hidden-in-the-query", env.NEAR_RPC_URL);
  const found = await ready(200, { NEAR_RPC_URL: secret.href });
  expect(JSON.stringify(found)).not.toContain("hidden");
  expect(found.chain.nodes.map(({ host }) => host)).toEqual([secret.host]);
});

test("the database, the bucket and the nodes are checked at most once every few seconds", async () => {
  const worker = workerWith({});
  // The clock stands, so that a slow machine takes no longer than those seconds.
  vi.setSystemTime(Date.now());
  const calls = vi.spyOn(globalThis, "fetch");
  for (let turn = 0; turn < 20; turn += 1) {
    await bodyOf((await worker("/ready")).response, 200);
  }
  // The node's block, and the platform's balance.
  expect(calls.mock.calls.length).toBeLessThanOrEqual(3);
});
