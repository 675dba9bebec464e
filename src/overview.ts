import { contractViews } from "./chain/contract/views.ts";
import { connect } from "./chain/rpc.ts";
import type { ServiceContext } from "./context.ts";
import { listIntegrations } from "./db/queries/integrations.ts";
import {
  countSlots,
  mintedByContract,
  newestContracts,
  newestWebhooks,
  storedBytes,
} from "./db/queries/overview.ts";
import { firstItems } from "./domain/cursors.ts";
import { contractRunway, daysOf, MOST_SHOWN, seriesUpTo, slotsOf, whatToDo } from "./domain/overview.ts";
import { nodesWithLatency, readiness } from "./health.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { listStuck } from "./provisioning/stuck.ts";
import type { Overview } from "./resources/overview.ts";
import { endpointOf } from "./webhooks/client.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Pages of the list of what is stuck that are asked for, at most: each asks some twenty wallets. */
const STUCK_PAGES = 10;

/** How long the day's counts and contracts' balances are told again: they read much. Milliseconds. */
const KEPT_MS = 30_000;

/** The whole service at one look. @throws ServiceError wallet_busy */
export const readOverview = async (context: ServiceContext): Promise<Overview> => {
  const now = context.now();
  const [parts, nodes, integrations, slow, hour, stuck, webhooks] = await Promise.all([
    readiness(context),
    nodesWithLatency(context),
    listIntegrations(context.db, {}, null, MOST_SHOWN.integrations),
    kept.get(context, "overview", () => readSlow(context)),
    slots(context, 5 * MINUTE, 12),
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
    last_hour: hour,
    last_day: slow.day,
    stuck: stuck.items.map((one) => ({ ...one, what_to_do: whatToDo(one.state, one.operation_uuid) })),
    stuck_goes_on: stuck.next !== null,
    webhooks,
  };
};

interface Slow {
  readonly contracts: Overview["contracts"];
  readonly day: Overview["last_day"];
  /** Bytes of all files. */
  readonly stored: number;
}

const kept = new KeptAnswers<Slow>({ lastsMs: KEPT_MS, patienceMs: 10_000, most: 1 });

const readSlow = async (context: ServiceContext): Promise<Slow> => {
  const [contracts, day, stored] = await Promise.all([
    contractsOf(context),
    slots(context, HOUR, 24),
    storedBytes(context.db),
  ]);
  return { contracts, day, stored };
};

const slots = async ({ db, now }: ServiceContext, width: number, count: number) => {
  const series = seriesUpTo(now().getTime(), width, count);
  return slotsOf(series, await countSlots(db, series));
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
  const [rows, minted] = await Promise.all([
    newestContracts(db, MOST_SHOWN.contracts),
    mintedByContract(db, new Date(now().getTime() - DAY)),
  ]);
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
