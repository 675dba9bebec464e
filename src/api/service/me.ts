import { and, desc, eq, sql } from "drizzle-orm";
import { type ContractBalance, type ContractMetadata, contractViews } from "../../chain/contract/views.ts";
import { type ChainRpc, connect } from "../../chain/rpc.ts";
import { SharedReads } from "../../chain/shared-reads.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { isForgotten, ledgerOf } from "../../db/ledger.ts";
import type { ContractRow } from "../../db/queries/contracts.ts";
import { countWaiting, selectUsage } from "../../db/queries/usage.ts";
import { toLimits } from "../../db/quota.ts";
import { apiKeys, contracts, ledgers } from "../../db/schema/index.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { roleOf } from "../../domain/key-rights.ts";
import { PLATFORM_FEE_PERCENT } from "../../domain/royalties.ts";
import { unknownKey } from "../../http/authentication.ts";
import { NANO, untakenSales } from "../../operations/sales.ts";
import { walletOf } from "../../wallet/client.ts";
import { endpoint, json } from "../endpoint.ts";
import { type Me, meView } from "../resources/me.ts";

/** Most contracts shown, newest first: each takes a call to the chain. */
const MOST_CONTRACTS = 50;

/** How long node responses are cached: a key may send a thousand requests in ten seconds. Milliseconds. */
const KEPT_MS = 5_000;
const keeping = { ttlMs: KEPT_MS, pendingMs: 30_000, most: 1_000 };
const ofMetadata = new SharedReads<ContractMetadata>(keeping);
const ofBalances = new SharedReads<ContractBalance>(keeping);

/** A key's integration, wallet and limits. Each call of a node counts as a request. @throws ServiceError rate_limited */
const readMe = async (context: ServiceContext, caller: Caller): Promise<Me> => {
  const { db, env, settings } = context;
  const { integrationId, keyId, rights } = caller;
  const rpc = connect(settings);
  const wallet = walletOf(env, integrationId);
  const read = db
    .batch([
      selectUsage(db, integrationId, context.now()),
      db
        .select()
        .from(apiKeys)
        .where(and(eq(apiKeys.id, keyId), eq(apiKeys.integrationId, integrationId))),
      db
        .select()
        .from(contracts)
        .where(and(eq(contracts.integrationId, integrationId), eq(contracts.state, "ready")))
        .orderBy(desc(contracts.id))
        .limit(MOST_CONTRACTS),
    ])
    .then(async ([[integration], [key], rows]) => ({
      integration,
      key,
      shown: await Promise.all(rows.map((row) => toContract(context, rpc, row))),
    }));
  const [{ integration, key, shown }, { unpaid, waiting }, status, spentToday, spentByKey] =
    await Promise.all([
      read,
      ofLedger(context, integrationId),
      wallet.status(KEPT_MS),
      wallet.spentToday(),
      rights.spendingPerDay === null ? null : wallet.spentToday(keyId),
    ]);
  if (!integration || !key) throw unknownKey();
  return {
    integration_uuid: integrationId,
    name: integration.name,
    key: {
      key_uuid: key.id,
      name: key.name,
      role: roleOf(rights.scopes),
      scopes: rights.scopes,
      collections: rights.collections,
      spending_per_day: rights.spendingPerDay,
      confirm_above: rights.confirmAbove,
      expires_at: key.expiresAt?.toISOString() ?? null,
      spent_today: spentByKey,
    },
    wallet: {
      account_id: integration.walletAccountId,
      state: status.state,
      balance: status.balance,
      available: status.available ?? null,
      unpaid_sales: (unpaid * NANO).toString(),
      queued: status.queued,
    },
    contracts: shown,
    network: settings.NEAR_NETWORK,
    platform_fee_percent: PLATFORM_FEE_PERCENT,
    limits: toLimits({ ...integration, operations_waiting: waiting }, spentToday),
  };
};

/** Sales in nanoNEAR, and operations in progress. While the ledger is being restored D1 has what it was told last. */
const ofLedger = async (context: ServiceContext, integrationId: Uuid) => {
  const ledger = ledgerOf(context, integrationId);
  try {
    const [{ nano }, waiting] = await Promise.all([
      ledger.get<{ nano: string }>(sql`SELECT CAST(${untakenSales(integrationId)} AS TEXT) AS nano`),
      countWaiting(ledger, integrationId),
    ]);
    return { unpaid: BigInt(nano), waiting };
  } catch (error) {
    if (!isForgotten(error)) throw error;
    const { unpaidSales: unpaid, pending: waiting } = ledgers;
    const [told] = await context.db
      .select({ unpaid, waiting })
      .from(ledgers)
      .where(eq(ledgers.id, integrationId));
    return { unpaid: BigInt(told?.unpaid ?? 0), waiting: told?.waiting ?? 0 };
  }
};

const toContract = async (
  context: ServiceContext,
  rpc: ChainRpc,
  { id, accountId }: ContractRow,
): Promise<Me["contracts"][number]> => {
  const views = contractViews(rpc, accountId);
  const asked = <T>(answer: Promise<T>): Promise<T | null> =>
    answer.catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === "rate_limited") throw error;
      context.log("me.contract_not_read", { account_id: accountId, error });
      return null;
    });
  const [metadata, balance] = await Promise.all([
    asked(ofMetadata.get(context, accountId, views.metadata, context.admitCall)),
    asked(ofBalances.get(context, accountId, views.balance, context.admitCall)),
  ]);
  return {
    contract_uuid: id,
    account_id: accountId,
    name: metadata?.name ?? null,
    symbol: metadata?.symbol ?? null,
    balance_free: balance?.free ?? null,
  };
};

export const me = endpoint(
  {
    method: "get",
    path: "/me",
    operationId: "getMe",
    scope: "any",
    limitsCollections: true,
    tag: "Who am I",
    summary: "Show the key's integration, wallet, contracts and limits",
    description:
      "Lists the newest 50 contracts that are ready. Values that only the chain knows are up to five seconds old, and null while no node responds; `balance` and `available` include all that the wallet itself has done.",
    success: { 200: json("The integration.", meView) },
    errors: ["wallet_busy"],
  },
  ({ context, caller }) => readMe(context, caller),
);
