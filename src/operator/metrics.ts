import type { Overview } from "../api/resources/overview.ts";
import { DURATION_BOUNDS } from "../domain/operation-counts.ts";
import { RULES } from "./attention.ts";

/** The media type of OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/). */
export const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** A value with its labels. A metric leaves out samples whose value is null. */
type Sample = readonly [value: number | null, labels?: Readonly<Record<string, string>>];

/** What stands behind the name of a metric in its samples. */
const SUFFIXES = { gauge: "", counter: "_total", histogram: "_bucket" } as const;

/** The text of a metric. The samples of a histogram are cumulative counts, with their bound as the label `le`. */
export const metricText = (
  type: keyof typeof SUFFIXES,
  name: string,
  help: string,
  samples: readonly Sample[],
): string => {
  const lines = samples.flatMap(([value, labels = {}]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    const all = pairs.length > 0 ? `{${pairs.join(",")}}` : "";
    return value === null ? [] : [`${name}${SUFFIXES[type]}${all} ${numberText(value)}`];
  });
  return [`# TYPE ${name} ${type}`, `# HELP ${name} ${escaped(help)}`, ...lines, ""].join("\n");
};

/** Bounds of buckets have to be written as floating-point numbers. */
export const numberText = (value: number): string => {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value);
};

const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

/** yoctoNEAR as NEAR, for plots: exact amounts are those of the API. */
const inNear = (yocto: string | null): number | null =>
  yocto === null ? null : Number(BigInt(yocto) / 10n ** 15n) / 1e9;

const operationMetrics = ({ operations: { totals, open } }: Overview): string[] => [
  metricText(
    "counter",
    "mintage_operations_ended",
    "Operations that are over, by kind and outcome.",
    totals.flatMap(({ kind, succeeded, failed }) => [
      [succeeded, { kind, state: "succeeded" }] as const,
      [failed, { kind, state: "failed" }] as const,
    ]),
  ),
  metricText(
    "histogram",
    "mintage_operation_duration_seconds",
    "From acceptance to the end, of operations that succeeded.",
    totals.flatMap(({ kind, within }) =>
      DURATION_BOUNDS.map((bound, index) => [within[index] ?? 0, { kind, le: numberText(bound) }] as const),
    ),
  ),
  metricText(
    "gauge",
    "mintage_operations_open",
    "Operations that are not over, by kind and state.",
    open.map(({ kind, state, count }) => [count, { kind, state }]),
  ),
];

const walletMetrics = ({ wallets }: Overview): string[] => {
  const ofEach = (read: (one: Overview["wallets"][number]) => number | null) =>
    wallets.map(
      (one) => [read(one), { integration: one.integration_uuid, account: one.account_id ?? "" }] as const,
    );
  return [
    metricText(
      "gauge",
      "mintage_wallet_balance_near",
      "What a wallet had when the scheduled job last looked, NEAR.",
      ofEach(({ balance }) => inNear(balance)),
    ),
    metricText(
      "gauge",
      "mintage_wallet_runway_days",
      "Days that a wallet lasts at the pace of the last seven.",
      ofEach(({ runway_days }) => runway_days),
    ),
    metricText(
      "gauge",
      "mintage_wallet_operations_open",
      "Operations of an integration that are not over.",
      ofEach(({ operations_open }) => operations_open || null),
    ),
  ];
};

export const metricsOf = (overview: Overview): string => {
  const { attention, database, nodes, platform } = overview;
  const metrics = [
    metricText(
      "gauge",
      "mintage_attention",
      "How many things need the operator's attention, by rule (GET /admin/v1/overview names them).",
      Object.keys(RULES).map((rule) => [attention.filter((one) => one.rule === rule).length, { rule }]),
    ),
    ...operationMetrics(overview),
    ...walletMetrics(overview),
    metricText(
      "gauge",
      "mintage_node_block_age_seconds",
      "Age of a node's last final block.",
      nodes.map(({ host: node, age_seconds }) => [age_seconds, { node }]),
    ),
    metricText(
      "gauge",
      "mintage_node_latency_seconds",
      "How long a node took to answer.",
      nodes.map(({ host: node, latency_ms: ms }) => [ms === null ? null : ms / 1_000, { node }]),
    ),
    metricText("gauge", "mintage_platform_available_near", "What the platform's account can spend, NEAR.", [
      [inNear(platform.available)],
    ]),
    metricText("gauge", "mintage_database_bytes", "Size of the database.", [[database.size_bytes]]),
    metricText("gauge", "mintage_database_limit_bytes", "What the database holds at most.", [
      [database.limit_bytes],
    ]),
  ];
  return `${metrics.join("")}# EOF\n`;
};
