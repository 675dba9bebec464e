import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import { MOST_SHOWN, type Overview } from "../api/resources/overview.ts";
import type { ServiceContext } from "../context.ts";
import type { Database } from "../db/client.ts";
import type { IntegrationRow } from "../db/queries/integrations.ts";
import { OPEN } from "../db/queries/operations.ts";
import { selectSweeps } from "../db/queries/sweeps.ts";
import { integrations, operationCounts, operations, webhooks } from "../db/schema/index.ts";
import { DAYS_KEPT, DURATION_BOUNDS, dayOf, percentile, startOfDay } from "../domain/operation-counts.ts";
import { runwayDays } from "../domain/wallet-watch.ts";
import { attentionOf } from "./attention.ts";
import { readiness } from "./health.ts";
import { ARCHIVE, countRefused } from "./jobs/archiving.ts";

/** Pending operations older than this are listed. Milliseconds. */
const LATE_AFTER_MS = 120_000;

/** The overview's data from the database other than `readiness`, in one trip. */
const inDatabase = (db: Database, now: Date) => {
  const count = sql<number>`count(*)`;
  const lateSince = new Date(now.getTime() - LATE_AFTER_MS);
  const { id, integrationId, kind, createdAt } = operations;
  const state = sql<"pending" | "unknown">`state`;
  return db.batch([
    db.select().from(operationCounts),
    db
      .select({ kind, state, count, oldest: sql<number>`min(created_at)` })
      .from(operations)
      .where(OPEN)
      .groupBy(kind, operations.state),
    db.select({ id: integrationId, count }).from(operations).where(OPEN).groupBy(integrationId),
    db
      .select({
        id: integrations.id,
        name: integrations.name,
        suspendedAt: integrations.suspendedAt,
        walletAccountId: integrations.walletAccountId,
        walletSeen: integrations.walletSeen,
      })
      .from(integrations)
      .where(isNull(integrations.deletedAt))
      .orderBy(desc(integrations.id))
      .limit(MOST_SHOWN.wallets),
    db
      .select({ operation_uuid: id, integration_uuid: integrationId, kind, state, createdAt })
      .from(operations)
      .where(and(OPEN, or(eq(operations.state, "unknown"), lt(createdAt, lateSince))))
      // Unknown ones first.
      .orderBy(sql`state DESC, +rowid`)
      .limit(MOST_SHOWN.stuck),
    db
      .select({
        webhook_uuid: webhooks.id,
        integration_uuid: webhooks.integrationId,
        url: webhooks.url,
        disabled_reason: sql<string>`disabled_reason`,
      })
      .from(webhooks)
      .where(sql`disabled_reason IS NOT NULL AND state = 'disabled'`)
      .orderBy(desc(webhooks.id))
      .limit(MOST_SHOWN.webhooks),
    selectSweeps(db, [ARCHIVE]),
  ]);
};

/** A snapshot of the service: two trips to the database, whose cost doesn't grow with ended operations, and node calls. */
export const readOverview = async (context: ServiceContext): Promise<Overview> => {
  const now = context.now();
  const [readyParts, found] = await Promise.all([readiness(context), inDatabase(context.db, now)]);
  const { status, chain, ...parts } = readyParts;
  const [counts, open, ofWallets, rows, stuck, disabled, [archive]] = found;
  const openBy = new Map(ofWallets.map(({ id, count }) => [id, count]));
  const at = now.toISOString();
  const facts = {
    ...parts,
    nodes: chain.nodes,
    archive_refused: countRefused(archive?.cursor ?? null),
    wallets: rows.map((row) => toWallet(row, openBy.get(row.id) ?? 0)).toSorted(byRunway),
    operations: {
      open: open.map(({ oldest, ...one }) => ({ ...one, oldest_at: new Date(oldest).toISOString() })),
      ...countsOf(counts, now),
    },
    stuck: stuck.map(({ createdAt, ...one }) => ({ ...one, created_at: createdAt.toISOString() })),
    webhooks: disabled,
  };
  return { at, attention: attentionOf({ at, ...facts }), ...facts };
};

type Wallet = Overview["wallets"][number];

const toWallet = (
  {
    id,
    name,
    suspendedAt,
    walletAccountId,
    walletSeen: seen,
  }: Pick<IntegrationRow, "id" | "name" | "suspendedAt" | "walletAccountId" | "walletSeen">,
  open: number,
): Wallet => ({
  integration_uuid: id,
  name,
  state: suspendedAt ? "suspended" : "active",
  account_id: walletAccountId,
  balance: seen?.balance ?? null,
  low: seen?.low ?? false,
  runway_days: seen === null ? null : runwayDays(seen),
  operations_open: open,
});

const byRunway = (one: Wallet, other: Wallet): number =>
  (one.runway_days ?? Number.MAX_VALUE) - (other.runway_days ?? Number.MAX_VALUE);

type Counts = readonly (typeof operationCounts.$inferSelect)[];

const countsOf = (counts: Counts, now: Date): Omit<Overview["operations"], "open"> => {
  const today = dayOf(now);
  const byDay = Map.groupBy(counts, ({ day }) => day);
  return {
    today: [...Map.groupBy(byDay.get(today) ?? [], ({ kind }) => kind)].map(([kind, rows]) => ({
      kind,
      ...outcomesOf(rows),
      ...timesOf(rows),
    })),
    days: Array.from({ length: DAYS_KEPT }, (_, index) => today - DAYS_KEPT + 1 + index).map((day) => {
      const rows = byDay.get(day) ?? [];
      return { date: startOfDay(day).toISOString().slice(0, 10), ...outcomesOf(rows), ...timesOf(rows) };
    }),
    totals: [...Map.groupBy(counts, ({ kind }) => kind)].map(([kind, rows]) => ({
      kind,
      ...outcomesOf(rows),
      within: DURATION_BOUNDS.map((_, bound) =>
        sumOf(rows.filter(({ state, bucket }) => state === "succeeded" && bucket <= bound)),
      ),
    })),
  };
};

const sumOf = (counts: Counts): number => counts.reduce((sum, { count }) => sum + count, 0);

const outcomesOf = (counts: Counts) => ({
  succeeded: sumOf(counts.filter(({ state }) => state === "succeeded")),
  failed: sumOf(counts.filter(({ state }) => state === "failed")),
});

const timesOf = (counts: Counts) => {
  const succeeded = counts.filter(({ state }) => state === "succeeded");
  return { p50_seconds: percentile(succeeded, 0.5), p95_seconds: percentile(succeeded, 0.95) };
};
