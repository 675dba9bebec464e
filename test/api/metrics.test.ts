import { env, exports } from "cloudflare:workers";
import parsePrometheus from "parse-prometheus-text-format";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Overview } from "../../client/src/index.ts";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
  workerWith,
} from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";
import { killAt, observeCheckpoints } from "../support/operations.ts";
import { eventually, later } from "../support/waiting.ts";
import { resumeByPresentClock } from "../support/wallets.ts";

const NAME = 'Herons "and\\ egrets"';
const MINTED = 3;

let shop: TestIntegration;
let path: string;
let text: string;

beforeAll(async () => {
  shop = await createIntegration(NAME);
  const collection = await createCollection(shop);
  path = `/collection/${collection.collection_uuid}/mint`;
  for (const receiver of await createReceivers(MINTED)) {
    await bodyOf(await api(path, { key: shop.key, json: { receiver_addresses: [receiver] } }), 201);
  }
  // The scheduled job looks at the wallets.
  await exports.default.scheduled({
    scheduledTime: Date.now(),
    cron: "* * * * *",
    noRetry: () => {},
  } as never);
  const response = await admin("/metrics");
  await response.body?.cancel();
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  ]);
  // D1 has the mints within seconds, and a busy machine's node may take too long for one reading.
  await eventually(async () => {
    text = await (await admin("/metrics")).text();
    expect(sampleValue("mintage_operations_ended_total", { kind: "mint", state: "succeeded" })).toBe(MINTED);
    expect(samplesOf("mintage_operations_open")).toEqual([]);
    expect(samplesOf("mintage_platform_available_near")).toHaveLength(1);
    expect(samplesOf("mintage_attention").filter(({ value }) => value !== "0.0")).toEqual([]);
  });
});
afterEach(() => observeCheckpoints(null));

interface Sample {
  readonly value: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Samples of a name as a parser of Prometheus' text reads them. */
const samplesOf = (name: string, from = text): readonly Sample[] =>
  parsePrometheus(from).flatMap((family) => (family.name === name ? family.metrics : []));
const sampleValue = (
  name: string,
  labels: Readonly<Record<string, string>> = {},
  from = text,
): number | undefined => {
  const found = samplesOf(name, from).find((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels?.[label] === value),
  );
  return found && Number(found.value);
};

/** What is looked at for the operator's attention. */
const RULES = [
  "part_down",
  "operation_unknown",
  "wallet_inactive",
  "writes_refused",
  "operation_late",
  "operations_waiting",
  "platform_low",
  "wallet_low",
  "wallet_runway_short",
  "node_down",
  "database_filling",
  "archive_refused",
  "webhook_disabled",
];

/** The metrics as they will be after some time, milliseconds. */
const metricsAt = (ahead: number) => later(ahead, async () => (await admin("/metrics")).text());

describe("GET /admin/v1/metrics", () => {
  test("requires the operator's token, and negotiates the format with Prometheus", async () => {
    expect((await api("/admin/v1/metrics")).status).toBe(401);
    const accept =
      "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.1";
    const typeFor = async (accepted: string) => {
      const answer = await admin("/metrics", { headers: { accept: accepted } });
      await answer.body?.cancel();
      return answer.status === 200 ? answer.headers.get("content-type") : answer.status;
    };
    const openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    for (const accepted of [accept, "*/*", "application/openmetrics-text"])
      expect(await typeFor(accepted), accepted).toBe(openMetrics);
    expect(await typeFor("text/plain")).toBe("text/plain; charset=utf-8");
    expect(await typeFor("image/png")).toBe(406);
  });

  test("reports the outcomes and durations of operations", () => {
    expect(sampleValue("mintage_operations_ended_total", { kind: "mint", state: "succeeded" })).toBe(MINTED);
    expect(sampleValue("mintage_operations_ended_total", { kind: "mint", state: "failed" })).toBe(0);
    expect(sampleValue("mintage_operations_ended_total", { kind: "finalize", state: "succeeded" })).toBe(1);
    expect(samplesOf("mintage_operations_open")).toEqual([]);
    const buckets = [
      ...text.matchAll(/^mintage_operation_duration_seconds_bucket\{kind="mint",le="(.*)"\} (.*)$/gm),
    ];
    const counts = buckets.map(([, , count]) => Number(count));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(buckets.at(-1)?.slice(1)).toEqual(["+Inf", `${MINTED}.0`]);
    expect(buckets.map(([, bound]) => bound)).toContain("25.0");
  });

  test("reports in seconds how long a node took to answer, which the overview has in milliseconds", async () => {
    await setFaults({ kind: "delay", ms: 50 });
    try {
      // Different settings have no readings of a later clock.
      const ask = workerWith({ NEAR_RPC_URL: new URL("/delayed", env.NEAR_RPC_URL).href });
      const headers = { authorization: `Bearer ${env.ADMIN_TOKEN}` };
      const read = async (path: string) => (await ask(`/admin/v1${path}`, { headers })).response;
      const overview = async () => bodyOf<Overview>(await read("/overview"), 200);
      await eventually(async () => {
        const [before, text, after] = [
          await overview(),
          await (await read("/metrics")).text(),
          await overview(),
        ];
        const [{ host: node, latency_ms: ms }] = before.nodes as [Overview["nodes"][number]];
        expect(ms).toBeGreaterThan(0);
        // All three have the same reading.
        expect(after.nodes).toEqual(before.nodes);
        expect(sampleValue("mintage_node_latency_seconds", { node }, text)).toBe(ms! / 1_000);
      });
    } finally {
      await setFaults();
    }
  });

  test("reports a pending operation, and after two minutes that it needs attention", async () => {
    const [receiver] = await createReceivers(1);
    const mint = () => api(path, { key: shop.key, json: { receiver_addresses: [receiver] } });
    killAt("operation.before_effects");
    await bodyOf(await mint(), 202);
    const [open] = await bodyOf<{ operation_uuid: string }[]>(
      await api("/operation?state=pending", { key: shop.key }),
      200,
    );
    // D1 has it within seconds.
    const isOpen = async () => samplesOf("mintage_operations_open", await metricsAt(0)).length;
    await expect.poll(isOpen).toBe(1);
    const late = await metricsAt(10 * 60_000);
    expect(sampleValue("mintage_operations_open", { kind: "mint", state: "pending" }, late)).toBe(1);
    expect(sampleValue("mintage_wallet_operations_open", { integration: shop.integrationUuid }, late)).toBe(
      1,
    );
    expect(sampleValue("mintage_attention", { rule: "operation_late" }, late)).toBe(1);
    observeCheckpoints(null);
    await resumeByPresentClock(shop.integrationUuid, open!.operation_uuid);
    const succeeded = { kind: "mint", state: "succeeded" };
    // By the present time: what the ledger tells D1 by a later one delays what it tells next.
    const ended = async () => sampleValue("mintage_operations_ended_total", succeeded, await metricsAt(0));
    await expect.poll(ended).toBe(MINTED + 1);
    const over = await metricsAt(10 * 60_000);
    expect(sampleValue("mintage_attention", { rule: "operation_late" }, over)).toBe(0);
  });

  test("reports nodes, wallets, the database, and each rule", () => {
    const node = new URL(env.NEAR_RPC_URL).host;
    expect(sampleValue("mintage_node_block_age_seconds", { node })).toBeGreaterThanOrEqual(0);
    expect(sampleValue("mintage_node_latency_seconds", { node })).toBeGreaterThanOrEqual(0);
    expect(sampleValue("mintage_database_bytes")).toBeGreaterThan(0);
    const wallet = { integration: shop.integrationUuid, account: shop.walletAccountId };
    expect(sampleValue("mintage_wallet_balance_near", wallet)).toBeGreaterThan(0);
    expect(sampleValue("mintage_wallet_runway_days", wallet)).toBeGreaterThan(0);
    expect(sampleValue("mintage_platform_available_near")).toBeGreaterThan(0);
    expect(samplesOf("mintage_attention").map(({ labels, value }) => [labels?.rule, value])).toEqual(
      RULES.map((rule) => [rule, "0.0"]),
    );
  });

  test("reports that the nodes are down, but not that the platform's account is low", async () => {
    await setFaults({ kind: "down" });
    try {
      const without = await metricsAt(20 * 60_000);
      expect(sampleValue("mintage_attention", { rule: "part_down" }, without)).toBeGreaterThan(0);
      expect(sampleValue("mintage_attention", { rule: "node_down" }, without)).toBe(1);
      expect(sampleValue("mintage_attention", { rule: "platform_low" }, without)).toBe(0);
      expect(samplesOf("mintage_platform_available_near", without)).toEqual([]);
    } finally {
      await setFaults();
    }
  });

  test("describes every metric once before its samples, repeats no sample, and ends with EOF", () => {
    const lines = text.split("\n");
    expect(lines.slice(-2)).toEqual(["# EOF", ""]);
    const types = lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []);
    expect(new Set(types).size).toBe(types.length);
    const samples = lines.filter((line) => line !== "" && !line.startsWith("#"));
    const series = samples.map((line) => line.slice(0, line.lastIndexOf(" ")));
    expect(new Set(series).size).toBe(series.length);
    for (const sample of samples) expect(types.some((type) => sample.startsWith(type))).toBe(true);
  });
});
