import { and, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Overview } from "../api/resources/overview.ts";
import { contractViews } from "../chain/contract/views.ts";
import { connect } from "../chain/rpc.ts";
import { SharedReads } from "../chain/shared-reads.ts";
import type { ServiceContext } from "../context.ts";
import type { Database } from "../db/client.ts";
import { listIntegrations } from "../db/queries/integrations.ts";
import { countsSince, mintedSince } from "../db/queries/operation-counts.ts";
import { contracts, integrations, webhooks } from "../db/schema/index.ts";
import { firstItems } from "../domain/cursors.ts";
import {
  contractRunway,
  daysOf,
  MOST_SHOWN,
  seriesUpTo,
  slotAt,
  spansOf,
  whatToDo,
} from "../domain/overview.ts";
import { endpointOf } from "../events/webhooks/interface.ts";
import { nodesWithLatency, readiness } from "./health.ts";
import { listStuck } from "./stuck.ts";

/** The newest contracts of all integrations that are ready. */
const newestContracts = (db: Database, limit: number) =>
  db
    .select({ id: contracts.id, integrationId: contracts.integrationId, accountId: contracts.accountId })
    .from(contracts)
    .where(eq(contracts.state, "ready"))
    .orderBy(desc(contracts.id))
    .limit(limit)
    .all();

/** Webhooks that are enabled, or that the service has disabled, the newest first. */
const newestWebhooks = (db: Database, state: "enabled" | "disabled", limit: number) =>
  db
    .select({
      id: webhooks.id,
      integrationId: webhooks.integrationId,
      url: webhooks.url,
      disabledReason: webhooks.disabledReason,
    })
    .from(webhooks)
    .where(
      state === "enabled"
        ? sql`state = 'enabled'`
        : and(isNotNull(webhooks.disabledReason), eq(webhooks.state, state)),
    )
    .orderBy(desc(webhooks.id))
    .limit(limit)
    .all();

/** Bytes of files that assets and collections refer to, of all integrations. */
const storedBytes = async (db: Database): Promise<number> => {
  const row = await db
    .select({ bytes: sql<number | null>`sum(${integrations.storedBytes})` })
    .from(integrations)
    .where(isNull(integrations.deletedAt))
    .get();
  return row?.bytes ?? 0;
};

const DAY = 24 * 3_600_000;
/** Slots of an hour. */
const HOUR_SLOTS = 12;

/** Pages of the list of what is stuck that are asked for, at most: each asks some twenty wallets. */
const STUCK_PAGES = 10;

/** How long contracts' balances and the sum of all files are told again: they ask much. Milliseconds. */
const KEPT_MS = 30_000;

/** The whole service at one look. @throws ServiceError wallet_busy */
export const readOverview = async (context: ServiceContext): Promise<Overview> => {
  const now = context.now();
  const hour = seriesUpTo(now.getTime(), 1, HOUR_SLOTS);
  const day = seriesUpTo(now.getTime(), HOUR_SLOTS, 24);
  const [parts, nodes, integrations, slow, counts, stuck, webhooks] = await Promise.all([
    readiness(context),
    nodesWithLatency(context),
    listIntegrations(context.db, {}, null, MOST_SHOWN.integrations),
    kept.get(context, "overview", () => readSlow(context)),
    countsSince(context.db, day.since),
    firstItems((cursor, size) => listStuck(context, cursor, size), {
      items: MOST_SHOWN.stuck,
      pages: STUCK_PAGES,
    }),
    failingWebhooks(context),
  ]);
  return {
    at: now.toISOString(),
    database: parts.database,
    bucket: { ...parts.bucket, stored_bytes: slow.stored },
    schedule: parts.schedule,
    platform: parts.platform,
    writes: parts.writes,
    nodes,
    integrations: integrations.map(toIntegration),
    contracts: slow.contracts,
    last_hour: spansOf(hour, counts),
    last_day: spansOf(day, counts),
    stuck: stuck.items.map((one) => ({ ...one, what_to_do: whatToDo(one.state, one.operation_uuid) })),
    stuck_goes_on: stuck.next !== null,
    webhooks,
  };
};

interface Slow {
  readonly contracts: Overview["contracts"];
  /** Bytes of all files. */
  readonly stored: number;
}

const kept = new SharedReads<Slow>({ ttlMs: KEPT_MS, pendingMs: 10_000, most: 1 });

const readSlow = async (context: ServiceContext): Promise<Slow> => {
  const [contracts, stored] = await Promise.all([contractsOf(context), storedBytes(context.db)]);
  return { contracts, stored };
};

const toIntegration = (
  row: Awaited<ReturnType<typeof listIntegrations>>[number],
): Overview["integrations"][number] => {
  const { walletSeen: seen } = row;
  const spends =
    seen?.perDay === undefined ? null : daysOf(seen.available ?? seen.balance, BigInt(seen.perDay));
  return {
    integration_uuid: row.id,
    name: row.name,
    state: row.suspendedAt ? "suspended" : "active",
    wallet_account_id: row.walletAccountId,
    balance: seen?.balance ?? null,
    low: seen?.low ?? false,
    runway_days: spends,
  };
};

const contractsOf = async (context: ServiceContext): Promise<Slow["contracts"]> => {
  const { db, now, settings } = context;
  const rpc = connect(settings);
  const rows = await newestContracts(db, MOST_SHOWN.contracts);
  const minted = await mintedSince(
    db,
    rows.map(({ id }) => id),
    slotAt(now().getTime() - DAY),
  );
  return Promise.all(
    rows.map(async ({ id, integrationId, accountId }) => {
      const tokens = minted.get(id) ?? 0;
      const balance = await contractViews(rpc, accountId)
        .balance()
        .catch((error: unknown) => {
          context.log("overview.contract_not_read", { account_id: accountId, error });
          return null;
        });
      return {
        contract_uuid: id,
        integration_uuid: integrationId,
        account_id: accountId,
        balance_free: balance?.free ?? null,
        minted_last_day: tokens,
        runway_days: balance === null ? null : contractRunway(balance.free, tokens),
      };
    }),
  );
};

const failingWebhooks = async (context: ServiceContext): Promise<Overview["webhooks"]> => {
  const { db, env } = context;
  const [disabled, enabled] = await Promise.all([
    newestWebhooks(db, "disabled", MOST_SHOWN.webhooks),
    newestWebhooks(db, "enabled", MOST_SHOWN.webhooks),
  ]);
  const shown = ({ id, integrationId, url }: (typeof enabled)[number], trouble: string | null) =>
    trouble === null ? [] : [{ webhook_uuid: id, integration_uuid: integrationId, url, trouble }];
  const failing = await Promise.all(
    enabled.map(async (row) => {
      const { items } = await endpointOf(env, row.id).deliveries(null, 1);
      return shown(row, troubleOf(items[0]));
    }),
  );
  return [
    ...disabled.flatMap((row) => shown(row, row.disabledReason)).map((one) => ({ ...one, enabled: false })),
    ...failing.flat().map((one) => ({ ...one, enabled: true })),
  ].map(({ webhook_uuid, integration_uuid, url, enabled: isEnabled, trouble }) => ({
    webhook_uuid,
    integration_uuid,
    url,
    enabled: isEnabled,
    trouble,
  }));
};

/** What went wrong with an attempt; null: nothing, or there was none. */
const troubleOf = (
  attempt: { readonly status: number | null; readonly response: string } | undefined,
): string | null => {
  if (attempt === undefined) return null;
  const { status, response } = attempt;
  if (status !== null && status >= 200 && status < 300) return null;
  return [status, response].filter((part) => part !== null && part !== "").join(": ") || "No answer.";
};
