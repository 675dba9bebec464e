import { sql } from "drizzle-orm";
import type { Readiness } from "../api/resources/readiness.ts";
import { readBlock } from "../chain/blocks.ts";
import { ChainRpc, connect } from "../chain/rpc.ts";
import { SharedReads } from "../chain/shared-reads.ts";
import { accountBalance } from "../chain/views.ts";
import type { ServiceContext } from "../context.ts";
import { selectSweeps } from "../db/queries/sweeps.ts";
import { fullAt } from "../domain/database-growth.ts";
import { SCHEDULE } from "./jobs/reconcile.ts";
import { DATABASE_SIZE, sizeSamples } from "./jobs/statistics.ts";

/** How long results of other services are cached, because the endpoint is public. Milliseconds. */
const KEPT_MS = 5_000;
const NODE_MS = 3_000;
/** After this time without a new final block a chain has stopped, as in src/wallet/chain-state/head.ts. Milliseconds. */
const STILL_MS = 60_000;
/** The schedule runs every minute and is late after this time; a missed run does no harm. Milliseconds. */
const LATE_MS = 5 * 60_000;

export const readiness = async (context: ServiceContext): Promise<Readiness> => {
  const [{ database, schedule }, others] = await Promise.all([
    inDatabase(context),
    kept.get(context, "outside", () => outside(context)),
  ]);
  const needed = [database.size_bytes !== null, others.bucket.state === "up", others.chain.state === "up"];
  return { status: needed.every(Boolean) ? "ready" : "unavailable", database, ...others, schedule };
};

/** The database's part, never cached: the query shows that the database responds. */
const inDatabase = async (context: ServiceContext): Promise<Pick<Readiness, "database" | "schedule">> => {
  const { db, settings, now, log } = context;
  const limit = settings.DATABASE_LIMIT;
  try {
    const [{ meta }, noted] = await db.batch([
      db.run(sql`SELECT 1`),
      selectSweeps(db, [SCHEDULE, DATABASE_SIZE]),
    ]);
    const lastRun = noted.find(({ name }) => name === SCHEDULE)?.updatedAt ?? null;
    const samples = sizeSamples(noted.find(({ name }) => name === DATABASE_SIZE)?.cursor ?? null);
    const late = lastRun === null || now().getTime() - lastRun.getTime() > LATE_MS;
    const size = meta.size_after;
    const fullTime = fullAt(samples, [now().getTime(), size], limit);
    return {
      database: {
        size_bytes: size,
        limit_bytes: limit,
        full_percent: Math.round((1_000 * size) / limit) / 10,
        full_at: fullTime === null || fullTime > LAST_DATE ? null : new Date(fullTime).toISOString(),
      },
      schedule: { last_run_at: lastRun?.toISOString() ?? null, state: late ? "late" : "running" },
    };
  } catch (error) {
    log("ready.database_failed", { error });
    return {
      database: { size_bytes: null, limit_bytes: limit, full_percent: null, full_at: null },
      schedule: { last_run_at: null, state: "late" },
    };
  }
};

/** A later time is left out. Milliseconds since the epoch. */
const LAST_DATE = Date.UTC(2100, 0);

type Outside = Pick<Readiness, "bucket" | "chain" | "platform">;

/** Without the cache, a burst of requests would slow the nodes down. */
const kept = new SharedReads<Outside>({ ttlMs: KEPT_MS, pendingMs: NODE_MS + 1_000, most: 1 });

const outside = async (context: ServiceContext): Promise<Outside> => {
  const { settings } = context;
  const [bucket, nodes, platform] = await Promise.all([
    bucketHealth(context),
    Promise.all(settings.NEAR_RPC_URL.map((url) => nodeHealth(context, url))),
    platformHealth(context),
  ]);
  const isUp = nodes.some(({ state }) => state === "up");
  return { bucket, chain: { state: isUp ? "up" : "down", nodes }, platform };
};

/** Key of an object that doesn't exist, to check the bucket. */
const PROBE = "ready";

const bucketHealth = async ({ env, log }: ServiceContext): Promise<Readiness["bucket"]> => {
  try {
    await env.BUCKET.head(PROBE);
    return { state: "up" };
  } catch (error) {
    log("ready.bucket_failed", { error });
    return { state: "down" };
  }
};

/** The final height of each node at the last check, and when it was seen to rise. Milliseconds. */
const seen = new Map<string, { readonly height: number; readonly roseAt: number }>();

const nodeHealth = async (
  { now }: ServiceContext,
  url: string,
): Promise<Readiness["chain"]["nodes"][number]> => {
  const { host } = new URL(url);
  const began = now().getTime();
  try {
    const { height, time } = await readBlock(new ChainRpc([url]), "final", { timeoutMs: NODE_MS });
    const at = now().getTime();
    const before = seen.get(url);
    const rises = before !== undefined && height > before.height;
    const roseAt = rises ? at : (before?.roseAt ?? Number.NEGATIVE_INFINITY);
    seen.set(url, { height, roseAt });
    // If this machine's clock differs from the chain's, the height still rises between two checks.
    const moves = Math.abs(at - time) < STILL_MS || at - roseAt < STILL_MS;
    const age = Math.max(0, Math.round((at - time) / 1_000));
    return { host, state: moves ? "up" : "still", height, age_seconds: age, latency_ms: at - began };
  } catch {
    // src/chain/call-counts.ts counts the kinds of failure.
    return { host, state: "down", height: null, age_seconds: null, latency_ms: null };
  }
};

const platformHealth = async ({ settings }: ServiceContext): Promise<Readiness["platform"]> => {
  const { PLATFORM_ACCOUNT_ID: account_id, WALLET_FUNDING, CONTRACT_FUNDING } = settings;
  try {
    const balance = await accountBalance(connect(settings), account_id, "final", { timeoutMs: NODE_MS });
    if (balance === null) return { account_id, available: null, state: "low" };
    const isFunded = balance.available >= BigInt(WALLET_FUNDING) + BigInt(CONTRACT_FUNDING);
    return { account_id, available: String(balance.available), state: isFunded ? "funded" : "low" };
  } catch {
    return { account_id, available: null, state: "unknown" };
  }
};
