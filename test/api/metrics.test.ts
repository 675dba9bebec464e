import { env, exports } from "cloudflare:workers";
import parsePrometheus from "parse-prometheus-text-format";
import { beforeAll, describe, expect, test } from "vitest";
import { readMetrics } from "../../src/operator/metrics.ts";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";
import { background, killedAt, serviceContext } from "../support/operations.ts";

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
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  ]);
  text = await response.text();
});

interface Sample {
  readonly value: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Samples of a name as a parser of Prometheus' text reads them. */
const samplesOf = (name: string, from = text): readonly Sample[] =>
  parsePrometheus(from).flatMap((family) => (family.name === name ? family.metrics : []));
const told = (
  name: string,
  labels: Readonly<Record<string, string>> = {},
  from = text,
): number | undefined => {
  const found = samplesOf(name, from).find((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels?.[label] === value),
  );
  return found && Number(found.value);
};

describe("GET /admin/v1/metrics", () => {
  test("is for the operator alone, and takes what Prometheus accepts", async () => {
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

  test("tells what became of operations, and how long they took", () => {
    expect(told("mintage_operations_recent", { kind: "mint", state: "succeeded" })).toBe(MINTED);
    expect(told("mintage_operations_recent", { kind: "finalize", state: "succeeded" })).toBe(1);
    expect(samplesOf("mintage_operations_open")).toEqual([]);
    expect(told("mintage_tokens_minted_total")).toBe(MINTED);
    const buckets = samplesOf("mintage_operation_duration_seconds_bucket").filter(
      ({ labels }) => labels?.kind === "mint",
    );
    const counts = buckets.map(({ value }) => Number(value));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(buckets.at(-1)?.labels?.le).toBe("+Inf");
    expect(counts.at(-1)).toBe(MINTED);
    expect(told("mintage_operation_duration_seconds_gcount", { kind: "mint" })).toBe(MINTED);
    expect(told("mintage_operation_duration_seconds_gsum", { kind: "mint" })).toBeGreaterThan(0);
  });

  test("tells of an operation that takes longer than what is recent while it goes on, as later than every bound", async () => {
    const [receiver] = await createReceivers(1);
    const mint = () => api(path, { key: shop.key, json: { receiver_addresses: [receiver] } });
    await bodyOf(await killedAt("operation.accepted", mint), 500);
    const [open] = await bodyOf<{ operation_uuid: string }[]>(
      await api("/operation?state=pending", { key: shop.key }),
      200,
    );
    const late = await readMetrics(serviceContext(10 * 60_000));
    const duration = (suffix: string, le?: string) =>
      told(`mintage_operation_duration_seconds_${suffix}`, { kind: "mint", ...(le && { le }) }, late);
    expect([duration("bucket", "300.0"), duration("bucket", "+Inf"), duration("gcount")]).toEqual([0, 1, 1]);
    expect(duration("gsum")).toBeGreaterThanOrEqual(600);
    await background.resume(open!.operation_uuid);
    const over = await readMetrics(serviceContext(10 * 60_000));
    expect(samplesOf("mintage_operation_duration_seconds_gcount", over)).toEqual([]);
  });

  test("tells of parts, nodes, wallets and calls", () => {
    for (const part of ["database", "bucket", "chain", "platform", "schedule", "writes"]) {
      expect([part, told("mintage_part_up", { part })]).toEqual([part, 1]);
    }
    const node = new URL(env.NEAR_RPC_URL).host;
    expect(told("mintage_node_up", { node })).toBe(1);
    expect(told("mintage_node_height", { node })).toBeGreaterThan(0);
    expect(told("mintage_database_bytes")).toBeGreaterThan(0);
    expect(told("mintage_rpc_calls_total", { node, outcome: "answered" })).toBeGreaterThan(0);
    const wallet = { integration: shop.integrationUuid, account: shop.walletAccountId };
    expect(told("mintage_wallet_balance_near", wallet)).toBeGreaterThan(0);
    expect(told("mintage_wallet_low", wallet)).toBe(0);
    expect(told("mintage_platform_available_near")).toBeGreaterThan(0);
  });

  test("says that the nodes are down, and not that the platform's account is low", async () => {
    await setFaults({ kind: "down" });
    try {
      const without = await readMetrics(serviceContext(20 * 60_000));
      expect(told("mintage_part_up", { part: "chain" }, without)).toBe(0);
      expect(told("mintage_part_up", { part: "platform" }, without)).toBeUndefined();
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
