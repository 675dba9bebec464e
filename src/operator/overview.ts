import { and, asc, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import { MOST_SHOWN, type Overview } from "../api/resources/overview.ts";
import type { ServiceContext } from "../context.ts";
import type { Database } from "../db/client.ts";
import { ledgerOf } from "../db/ledger.ts";
import { type IntegrationRow, IS_INACTIVE, IS_OPEN } from "../db/queries/integrations.ts";
import { OPEN } from "../db/queries/operations.ts";
import { selectSweeps } from "../db/queries/sweeps.ts";
import { integrations, ledgers, operationCounts, webhooks } from "../db/schema/index.ts";
import { operations } from "../db/schema/ledger.ts";
import type { Uuid } from "../domain/ids.ts";
import { DAYS_KEPT, DURATION_BOUNDS, dayOf, percentile, startOfDay } from "../domain/operation-counts.ts";
import { runwayDays } from "../domain/wallet-watch.ts";
import { attentionOf } from "./attention.ts";
import { readiness } from "./health.ts";
import { ARCHIVE, countRefused } from "./jobs/archiving.ts";

/** Pending operations older than this are listed. Milliseconds. */
const LATE_AFTER_MS = 120_000;

/** The overview's data from the database other than `readiness`, in one trip. */
const inDatabase = (db: Database) =>
  db.batch([
    db.select().from(operationCounts),
    db
      .select({ id: ledgers.id, count: sql<number>`pending + unknown` })
      .from(ledgers)
      .where(IS_OPEN)
      .orderBy(asc(ledgers.openSince)),
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
    db
      .select({ integration_uuid: ledgers.id, count: ledgers.refused })
      .from(ledgers)
      .where(sql`refused > 0 AND id > x''`)
      .limit(MOST_SHOWN.stuck),
    db
      .select({
        integration_uuid: integrations.id,
        account_id: integrations.walletAccountId,
        since: sql<number>`wallet_inactive_since`,
      })
      .from(integrations)
      .where(and(IS_INACTIVE, sql`id > x''`, isNull(integrations.deletedAt)))
      .orderBy(desc(integrations.id))
      .limit(MOST_SHOWN.stuck),
  ]);

type State = "pending" | "unknown";

/** What is open in a ledger, by kind and state, and what the operator should look at. */
const openIn = async (context: ServiceContext, integrationId: Uuid, now: Date) => {
  const ledger = ledgerOf(context, integrationId);
  const lateSince = new Date(now.getTime() - LATE_AFTER_MS);
  const { id, kind, createdAt } = operations;
  const state = sql<State>`state`;
  const [open, stuck] = await ledger.batch([
    ledger
      .select({ kind, state, count: sql<number>`count(*)`, oldest: sql<number>`min(created_at)` })
      .from(operations)
      .where(OPEN)
      .groupBy(kind, operations.state),
    ledger
      .select({ operation_uuid: id, integration_uuid: operations.integrationId, kind, state, createdAt })
      .from(operations)
      .where(and(OPEN, or(eq(operations.state, "unknown"), lt(createdAt, lateSince))))
      // Unknown ones first.
      .orderBy(sql`state DESC, +rowid`)
      .limit(MOST_SHOWN.stuck),
  ]);
  return { open, stuck };
};

/** Ledgers with open operations that are asked what these are, the longest open first, and how many at once. */
const MOST_LEDGERS = 100;
const AT_ONCE = 20;

/** The same of all ledgers. One that doesn't answer is left out. */
const openOperations = async (context: ServiceContext, ids: readonly Uuid[], now: Date) => {
  const found: Awaited<ReturnType<typeof openIn>>[] = [];
  const asked = ids.slice(0, MOST_LEDGERS);
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const some = asked.slice(at, at + AT_ONCE).map((id) =>
      openIn(context, id, now).catch((error: unknown) => {
        context.log("overview.ledger_not_read", { integration_uuid: id, error });
        return { open: [], stuck: [] };
      }),
    );
    found.push(...(await Promise.all(some)));
  }
  const by = Map.groupBy(
    found.flatMap(({ open }) => open),
    ({ kind, state }) => `${kind} ${state}`,
  );
  return {
    open: [...by.values()].map((rows) => ({
      kind: rows[0]!.kind,
      state: rows[0]!.state,
      count: rows.reduce((sum, { count }) => sum + count, 0),
      oldest_at: new Date(Math.min(...rows.map(({ oldest }) => oldest))).toISOString(),
    })),
    stuck: found
      .flatMap(({ stuck }) => stuck)
      .toSorted((one, other) => (one.state < other.state ? 1 : one.state > other.state ? -1 : 0))
      .slice(0, MOST_SHOWN.stuck)
      .map(({ createdAt, ...one }) => ({ ...one, created_at: createdAt.toISOString() })),
  };
};

/** A snapshot of the service: two trips to the database, a call of each ledger with open operations, and node calls. */
export const readOverview = async (context: ServiceContext): Promise<Overview> => {
  const now = context.now();
  const [readyParts, found] = await Promise.all([readiness(context), inDatabase(context.db)]);
  const { status, chain, ...parts } = readyParts;
  const [counts, ofWallets, rows, disabled, [archive], refused, inactive] = found;
  const { open, stuck } = await openOperations(
    context,
    ofWallets.map(({ id }) => id),
    now,
  );
  const openBy = new Map(ofWallets.map(({ id, count }) => [id, count]));
  const at = now.toISOString();
  const facts = {
    ...parts,
    nodes: chain.nodes,
    archive_refused: countRefused(archive?.cursor ?? null),
    writes_refused: refused,
    wallets_inactive: inactive.map(({ since, ...one }) => ({ ...one, since: new Date(since).toISOString() })),
    wallets: rows.map((row) => toWallet(row, openBy.get(row.id) ?? 0)).toSorted(byRunway),
    operations: {
      open,
      ...countsOf(counts, now),
    },
    stuck,
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
