import type { LimitsShown } from "../api/resources/me.ts";
import type { ServiceContext } from "../context.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { limitsWith, quotaExceeded, REQUEST_PERIOD_S, USED_NAMES, type UsedName } from "../domain/quota.ts";
import { ledgerOf } from "./ledger.ts";
import { countWaiting, exceededLimit, selectUsage, type UsageRow } from "./queries/usage.ts";

/** The use of all limits. */
export type Usage = UsageRow & { readonly operations_waiting: number };

/** Limits as callers see them. @param spentToday spending of the wallet that counts towards its limit, yoctoNEAR */
export const toLimits = (usage: Usage, spentToday: string): LimitsShown => {
  const { requests, ...others } = limitsWith(usage.set);
  const used = Object.fromEntries(USED_NAMES.map((name) => [name, usage[name]])) as Record<UsedName, number>;
  return {
    requests,
    period_s: REQUEST_PERIOD_S,
    ...others,
    spending_per_day: usage.spendingPerDay,
    used: { ...used, spending_per_day: spentToday },
  };
};

/** An integration's limits and use. @throws ServiceError not_found */
export const requireUsage = async (context: ServiceContext, integrationId: Uuid): Promise<Usage> => {
  const [usage, waiting] = await Promise.all([
    selectUsage(context.db, integrationId, context.now()).get(),
    countWaiting(ledgerOf(context, integrationId), integrationId),
  ]);
  if (usage) return { ...usage, operations_waiting: waiting };
  throw new ServiceError("not_found", "There is no such integration. Check its integration_uuid.");
};

/** The error for a limit that a write would exceed. */
export const exceeded = async (context: ServiceContext, integrationId: Uuid, name: UsedName) => {
  const usage = await requireUsage(context, integrationId);
  return quotaExceeded(name, usage[name], limitsWith(usage.set)[name]);
};

/** Reports which of some limits rejected a write. @throws ServiceError if one of them is reached */
export const refuseUsedUp = async (
  context: ServiceContext,
  integrationId: Uuid,
  names: readonly UsedName[],
): Promise<void> => {
  const usage = await requireUsage(context, integrationId);
  const limits = limitsWith(usage.set);
  const name = names.find((each) => usage[each] >= limits[each]);
  if (name) throw quotaExceeded(name, usage[name], limits[name]);
};

/** The error for a change that would exceed the integration's share of the database. */
export const noRoom = (context: ServiceContext, integrationId: Uuid): Promise<ServiceError> =>
  exceeded(context, integrationId, "database_bytes");

/** The error for the caller of a batch that exceeded a limit; every other error is returned as it is. */
export const toQuotaError = async (
  context: ServiceContext,
  integrationId: Uuid,
  error: unknown,
): Promise<unknown> => {
  const limit = exceededLimit(error);
  return limit === null ? error : exceeded(context, integrationId, limit);
};
