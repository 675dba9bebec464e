import type { Overview } from "../api/resources/overview.ts";
import { DURATION_BOUNDS } from "../domain/operation-counts.ts";
import { RULES } from "./attention.ts";

/**
 * Media type of the text format of OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/), which
 * Prometheus and compatible collectors read.
 */
export const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Labels of a sample. */
type Labels = Readonly<Record<string, string>>;

/** A value with its labels. */
interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** Values of one distribution: bounds in rising order with the count of values at or below each; the last is infinity. */
interface Distribution {
  readonly labels?: Labels;
  readonly buckets: readonly { readonly atMost: number; readonly count: number }[];
}

/** A metric: its name, what it means, and its samples. */
type Metric = { readonly name: string; readonly help: string } & (
  | { readonly type: "gauge" | "counter"; readonly samples: readonly Sample[] }
  | { readonly type: "histogram"; readonly distributions: readonly Distribution[] }
);

/** The text of all metrics. */
export const openMetrics = (metrics: readonly Metric[]): string =>
  `${metrics.map(metricText).join("")}# EOF\n`;

const metricText = (metric: Metric): string => {
  const { name, type, help } = metric;
  const lines = [`# TYPE ${name} ${type}`, `# HELP ${name} ${escaped(help)}`];
  if (metric.type === "histogram")
    lines.push(...metric.distributions.flatMap((one) => distributionLines(name, one)));
  else {
    const suffix = metric.type === "counter" ? "_total" : "";
    lines.push(...metric.samples.map(({ labels, value }) => sampleLine(`${name}${suffix}`, labels, value)));
  }
  return lines.map((line) => `${line}\n`).join("");
};

const distributionLines = (name: string, { labels, buckets }: Distribution): string[] =>
  buckets.map(({ atMost, count }) =>
    sampleLine(`${name}_bucket`, { ...labels, le: numberText(atMost) }, count),
  );

const sampleLine = (name: string, labels: Labels | undefined, value: number): string => {
  const pairs = Object.entries(labels ?? {}).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${numberText(value)}`;
};

/** Bounds of buckets have to be written as floating-point numbers. */
const numberText = (value: number): string => {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value);
};

const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: "gauge",
  help,
  samples,
});

/** yoctoNEAR as NEAR, for plots: exact amounts are those of the API. */
const inNear = (yocto: string): number => Number(BigInt(yocto) / 10n ** 15n) / 1e9;

/** A sample of each that has a value. */
const known = <T>(
  all: readonly T[],
  read: (one: T) => number | null,
  labelsOf: (one: T) => Record<string, string> = () => ({}),
): Sample[] =>
  all.flatMap((one) => {
    const value = read(one);
    return value === null ? [] : [{ labels: labelsOf(one), value }];
  });

const operationMetrics = ({ operations }: Overview): Metric[] => [
  {
    name: "mintage_operations_ended",
    type: "counter",
    help: "Operations that are over, by kind and outcome.",
    samples: operations.totals.flatMap(({ kind, succeeded, failed }) => [
      { labels: { kind, state: "succeeded" }, value: succeeded },
      { labels: { kind, state: "failed" }, value: failed },
    ]),
  },
  {
    name: "mintage_operation_duration_seconds",
    type: "histogram",
    help: "From acceptance to the end, of operations that succeeded.",
    distributions: operations.totals.map(({ kind, within }) => ({
      labels: { kind },
      buckets: DURATION_BOUNDS.map((atMost, bound) => ({ atMost, count: within[bound] ?? 0 })),
    })),
  },
  gauge(
    "mintage_operations_open",
    "Operations that are not over, by kind and state.",
    operations.open.map(({ kind, state, count: value }) => ({ labels: { kind, state }, value })),
  ),
];

const walletMetrics = ({ wallets }: Overview): Metric[] => {
  const labelsOf = (one: (typeof wallets)[number]) => ({
    integration: one.integration_uuid,
    account: one.account_id ?? "",
  });
  return [
    gauge(
      "mintage_wallet_balance_near",
      "What a wallet had when the scheduled job last looked, NEAR.",
      known(wallets, ({ balance }) => (balance === null ? null : inNear(balance)), labelsOf),
    ),
    gauge(
      "mintage_wallet_runway_days",
      "Days that a wallet lasts at the pace of the last seven.",
      known(wallets, ({ runway_days }) => runway_days, labelsOf),
    ),
    gauge(
      "mintage_wallet_operations_open",
      "Operations of an integration that are not over.",
      known(wallets, ({ operations_open }) => operations_open || null, labelsOf),
    ),
  ];
};

const nodeMetrics = ({ nodes }: Overview): Metric[] => {
  const labelsOf = ({ host: node }: (typeof nodes)[number]) => ({ node });
  return [
    gauge(
      "mintage_node_block_age_seconds",
      "Age of a node's last final block.",
      known(nodes, ({ age_seconds }) => age_seconds, labelsOf),
    ),
    gauge(
      "mintage_node_latency_seconds",
      "How long a node took to answer.",
      known(nodes, ({ latency_ms }) => (latency_ms === null ? null : latency_ms / 1_000), labelsOf),
    ),
  ];
};

/** An overview as OpenMetrics text. */
export const metricsOf = (overview: Overview): string => {
  const { attention, database, platform } = overview;
  return openMetrics([
    gauge(
      "mintage_attention",
      "How many things need the operator's attention, by rule (GET /admin/v1/overview names them).",
      Object.keys(RULES).map((rule) => ({
        labels: { rule },
        value: attention.filter((one) => one.rule === rule).length,
      })),
    ),
    ...operationMetrics(overview),
    ...walletMetrics(overview),
    ...nodeMetrics(overview),
    gauge(
      "mintage_platform_available_near",
      "What the platform's account can spend, NEAR.",
      known([platform], ({ available }) => (available === null ? null : inNear(available))),
    ),
    gauge(
      "mintage_database_bytes",
      "Size of the database.",
      known([database], ({ size_bytes }) => size_bytes),
    ),
    gauge("mintage_database_limit_bytes", "What the database holds at most.", [
      { value: database.limit_bytes },
    ]),
  ]);
};
