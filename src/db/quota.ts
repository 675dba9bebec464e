import type { LimitsShown } from "../api/resources/me.ts";
import type { ServiceContext } from "../context.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { limitsWith, quotaExceeded, REQUEST_PERIOD_S, type UsedName } from "../domain/quota.ts";
import { type Counter, exceededCounter, readUsage, type UsageRead } from "./queries/usage.ts";

/** Limits as callers see them. @param spentToday spending of the wallet that counts towards its limit, yoctoNEAR */
export const toLimits = ({ set, used, spendingPerDay }: UsageRead, spentToday: string): LimitsShown => {
  const { requests, ...others } = limitsWith(set);
  return {
    requests,
    period_s: REQUEST_PERIOD_S,
    ...others,
    spending_per_day: spendingPerDay,
    used: { ...used, spending_per_day: spentToday },
  };
};

/** An integration's limits and use. @throws ServiceError not_found */
export const requireUsage = async (context: ServiceContext, integrationId: Uuid): Promise<UsageRead> => {
  const usage = await readUsage(context.db, integrationId, context.now());
  if (usage) return usage;
  throw new ServiceError("not_found", "There is no such integration. Check its integration_uuid.");
};

const usageOf = async (context: ServiceContext, integrationId: Uuid) => {
  const { set, used } = await requireUsage(context, integrationId);
  return { limits: limitsWith(set), used };
};

/** Reports which of some limits rejected a write. @throws ServiceError if one of them is reached */
export const refuseUsedUp = async (
  context: ServiceContext,
  integrationId: Uuid,
  names: readonly UsedName[],
): Promise<void> => {
  const { limits, used } = await usageOf(context, integrationId);
  const name = names.find((each) => used[each] >= limits[each]);
  if (name) throw quotaExceeded(name, used[name], limits[name]);
};

/** The error for a change that would exceed the integration's share of the database. */
export const noRoom = async (context: ServiceContext, integrationId: Uuid): Promise<ServiceError> => {
  const { limits, used } = await usageOf(context, integrationId);
  return quotaExceeded("database_bytes", used.database_bytes, limits.database_bytes);
};

/** The error for the caller of a batch that exceeded a limit; every other error is returned as it is. */
export const toQuotaError = async (
  context: ServiceContext,
  integrationId: Uuid,
  error: unknown,
): Promise<unknown> => {
  const counter: Counter | null = exceededCounter(error);
  if (counter === null) return error;
  const { limits, used } = await usageOf(context, integrationId);
  return quotaExceeded(counter, used[counter], limits[counter]);
};
