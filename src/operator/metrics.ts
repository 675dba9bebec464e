import type { Overview } from "../api/resources/overview.ts";
import { type Metric, openMetrics, type Sample } from "../domain/open-metrics.ts";
import { DURATION_BOUNDS } from "../domain/operation-counts.ts";
import { RULES } from "./attention.ts";

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
