import type { Readiness } from "../api/resources/readiness.ts";
import { callCounts } from "../chain/call-counts.ts";
import type { ServiceContext } from "../context.ts";
import {
  busiestIntegrations,
  countOpen,
  countSince,
  type Durations,
  durationsSince,
  type OperationCount,
  pendingBefore,
  seenWallets,
} from "../db/queries/metrics.ts";
import { newUuid } from "../domain/ids.ts";
import { type Metric, openMetrics, type Sample } from "../domain/open-metrics.ts";
import { walletOf } from "../wallet/client.ts";
import { readiness } from "./health.ts";
import { countRefused } from "./jobs/archiving.ts";
import { mintedTokens } from "./jobs/wallet-mints.ts";

/** Operations that were accepted within this time are counted by outcome and duration. Milliseconds. */
const RECENT_MS = 5 * 60_000;
/**
 * Bounds of the durations, seconds: a block, the usual time to finality, the wait of a request, and what is recent: all that
 * is pending for longer lies above the last one.
 */
const BOUNDS = [1, 2, 3, 4, 6, 10, 25, 60, 300];
/** Wallets whose balance is told. */
const MOST_WALLETS = 1_000;
/** Wallets whose object is asked for its queue: those with most operations open. */
const ASKED_WALLETS = 20;

/** Tells this isolate's counters from those of others, which count from zero as well. */
let isolate: string | null = null;

/**
 * All that a collector of metrics is told, as OpenMetrics. Counts come from the database, so that every isolate tells
 * the same; what only an isolate knows, its calls of nodes, has the isolate as a label.
 */
export const readMetrics = async (context: ServiceContext): Promise<string> => {
  const { db, now } = context;
  const since = new Date(now().getTime() - RECENT_MS);
  const [parts, open, recent, durations, minted, refused, wallets, queues] = await Promise.all([
    readiness(context),
    countOpen(db),
    countSince(db, since),
    recentDurations(context, since),
    mintedTokens(context),
    countRefused(context),
    seenWallets(db, MOST_WALLETS),
    busyWallets(context),
  ]);
  return openMetrics([
    ...partMetrics(parts),
    ...operationMetrics({ open, recent, durations }),
    {
      name: "mintage_tokens_minted",
      type: "counter",
      help: "Tokens of all collections, as the scheduled job last counted them.",
      samples: [{ value: minted }],
    },
    gauge(
      "mintage_archive_refused",
      "Integrations with old operations that could not be moved to R2 when the scheduled job last tried.",
      [{ value: refused }],
    ),
    ...walletMetrics(wallets),
    ...queueMetrics(queues),
    callMetric(),
  ]);
};

/**
 * How long operations take now. One that takes longer than what is recent would never be told of once it is over, so that
 * it is told of while it goes on, with the time so far.
 */
const recentDurations = async ({ db, now }: ServiceContext, since: Date): Promise<Durations[]> => {
  const bounds = BOUNDS.map((bound) => bound * 1_000);
  const [over, pending] = await Promise.all([
    durationsSince(db, since, bounds),
    pendingBefore(db, since, now()),
  ]);
  const byKind = new Map(over.map((one) => [one.kind, one]));
  for (const { kind, count, sum } of pending) {
    const { atMost, ...others } = byKind.get(kind) ?? { atMost: bounds.map(() => 0), count: 0, sum: 0 };
    byKind.set(kind, { kind, atMost, count: others.count + count, sum: others.sum + sum });
  }
  return [...byKind.values()];
};

const gauge = (name: string, help: string, samples: readonly Sample[], unit?: string): Metric => ({
  name,
  type: "gauge",
  help,
  samples,
  ...(unit !== undefined && { unit }),
});

const flag = (isSo: boolean): number => (isSo ? 1 : 0);

/** yoctoNEAR as NEAR, for plots: exact amounts are those of the API. */
const inNear = (yocto: string): number => Number(BigInt(yocto) / 10n ** 15n) / 1e9;

const partMetrics = ({ database, bucket, chain, platform, schedule, writes }: Readiness): Metric[] => {
  const known = <T>(value: T | null, toSample: (value: T) => Sample): Sample[] =>
    value === null ? [] : [toSample(value)];
  return [
    gauge("mintage_part_up", "Whether a part does its work (GET /ready).", [
      { labels: { part: "database" }, value: flag(database.size_bytes !== null) },
      { labels: { part: "bucket" }, value: flag(bucket.state === "up") },
      { labels: { part: "chain" }, value: flag(chain.state === "up") },
      // Without a node nobody knows what the account has: nothing is told, so that nobody sends it NEAR for that.
      ...(platform.state === "unknown"
        ? []
        : [{ labels: { part: "platform" }, value: flag(platform.state === "funded") }]),
      { labels: { part: "schedule" }, value: flag(schedule.state === "running") },
      { labels: { part: "writes" }, value: flag(writes.state === "here" || writes.state === "up") },
    ]),
    gauge(
      "mintage_database_bytes",
      "Size of the database.",
      known(database.size_bytes, (value) => ({ value })),
      "bytes",
    ),
    gauge(
      "mintage_database_limit_bytes",
      "What the database holds at most.",
      [{ value: database.limit_bytes }],
      "bytes",
    ),
    gauge(
      "mintage_node_up",
      "Whether a node answers with blocks that move.",
      chain.nodes.map(({ host, state }) => ({ labels: { node: host }, value: flag(state === "up") })),
    ),
    gauge(
      "mintage_node_height",
      "The last final block of a node.",
      chain.nodes.flatMap(({ host, height }) =>
        known(height, (value) => ({ labels: { node: host }, value })),
      ),
    ),
    gauge(
      "mintage_node_block_age_seconds",
      "Age of a node's last final block.",
      chain.nodes.flatMap(({ host, age_seconds }) =>
        known(age_seconds, (value) => ({ labels: { node: host }, value })),
      ),
      "seconds",
    ),
    gauge(
      "mintage_platform_available_near",
      "What the platform's account can spend, NEAR.",
      known(platform.available, (value) => ({ value: inNear(value) })),
      "near",
    ),
  ];
};

const countSamples = (counts: readonly OperationCount[]): Sample[] =>
  counts.map(({ kind, state, count }) => ({ labels: { kind, state }, value: count }));

const operationMetrics = ({
  open,
  recent,
  durations,
}: {
  readonly open: readonly OperationCount[];
  readonly recent: readonly OperationCount[];
  readonly durations: readonly Durations[];
}): Metric[] => [
  gauge("mintage_operations_open", "Operations that are not over, by kind and state.", countSamples(open)),
  gauge(
    "mintage_operations_recent",
    "Operations accepted in the last five minutes, by kind and state.",
    countSamples(recent),
  ),
  {
    name: "mintage_operation_duration_seconds",
    type: "gaugehistogram",
    unit: "seconds",
    help: "From acceptance to the end, of operations accepted in the last five minutes that are over, and of older ones that are pending, so far.",
    distributions: durations.map(({ kind, atMost, count, sum }) => ({
      labels: { kind },
      buckets: [
        ...BOUNDS.map((bound, index) => ({ atMost: bound, count: atMost[index] ?? 0 })),
        { atMost: Number.POSITIVE_INFINITY, count },
      ],
      sum: sum / 1_000,
    })),
  },
];

const walletMetrics = (wallets: Awaited<ReturnType<typeof seenWallets>>): Metric[] => {
  const samples = (toValue: (seen: { balance: string; low: boolean }) => number): Sample[] =>
    wallets.flatMap(({ id, accountId, seen }) =>
      seen === null || accountId === null
        ? []
        : [{ labels: { integration: id, account: accountId }, value: toValue(seen) }],
    );
  return [
    gauge(
      "mintage_wallet_balance_near",
      "Balance of a wallet when the scheduled job last looked, NEAR.",
      samples(({ balance }) => inNear(balance)),
      "near",
    ),
    gauge(
      "mintage_wallet_low",
      "Whether less than 1 NEAR was left for new writes then.",
      samples(({ low }) => flag(low)),
    ),
  ];
};

interface BusyWallet {
  readonly integration: string;
  readonly queued: number;
  readonly open: number;
  readonly lanes: number;
}

/** Queue and lanes of the wallets with most to do. One that doesn't answer is left out; its operations are counted. */
const busyWallets = async (context: ServiceContext): Promise<BusyWallet[]> => {
  const busiest = await busiestIntegrations(context.db, ASKED_WALLETS);
  const found = await Promise.all(
    busiest.map(async ({ id }) => {
      try {
        const { queued, open, lanes } = await walletOf(context.env, id).status();
        return [{ integration: id, queued, open, lanes: lanes.length }];
      } catch (error) {
        context.log("metrics.wallet_not_read", { integration_uuid: id, error });
        return [];
      }
    }),
  );
  return found.flat();
};

const queueMetrics = (wallets: readonly BusyWallet[]): Metric[] => {
  const samples = (field: "queued" | "open" | "lanes"): Sample[] =>
    wallets.map((wallet) => ({ labels: { integration: wallet.integration }, value: wallet[field] }));
  return [
    gauge(
      "mintage_wallet_queued",
      "Transactions that wait to be signed, of the twenty wallets with most to do.",
      samples("queued"),
    ),
    gauge(
      "mintage_wallet_open",
      "Transactions that are signed and not over, of the same wallets.",
      samples("open"),
    ),
    gauge(
      "mintage_wallet_lanes",
      "Access keys that sign for a wallet, of the same wallets.",
      samples("lanes"),
    ),
  ];
};

const callMetric = (): Metric => {
  isolate ??= newUuid();
  const id = isolate;
  const samples = [...callCounts()].flatMap(([node, counts]) =>
    Object.entries(counts).map(([outcome, value]) => ({
      labels: { node: new URL(node).host, outcome, isolate: id },
      value,
    })),
  );
  return {
    name: "mintage_rpc_calls",
    type: "counter",
    help: "Calls of a node by the isolate that answered this request; outcomes are those of chain.calls in the log.",
    samples,
  };
};
