import type { LimitsShown } from "../api/resources/me.ts";
import type { ServiceContext } from "../context.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { limitsWith, quotaExceeded, REQUEST_PERIOD_S, type UsedName } from "../domain/quota.ts";
import { type Counter, exceededCounter, readUsage, type UsageRead } from "./queries/usage.ts";

/** Limits as callers see them. @param spentToday what the wallet has spent of its limit, yoctoNEAR */
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

/** What an integration may use and uses. @throws ServiceError not_found */
export const requireUsage = async (context: ServiceContext, integrationId: Uuid): Promise<UsageRead> => {
  const usage = await readUsage(context.db, integrationId, context.now());
  if (usage) return usage;
  throw new ServiceError("not_found", "There is no such integration. Check its integration_uuid.");
};

const usageOf = async (context: ServiceContext, integrationId: Uuid) => {
  const { set, used } = await requireUsage(context, integrationId);
  return { limits: limitsWith(set), used };
};

/** Says which of some limits a write was not carried out for. @throws ServiceError if one of them is used up */
export const refuseUsedUp = async (
  context: ServiceContext,
  integrationId: Uuid,
  names: readonly UsedName[],
): Promise<void> => {
  const { limits, used } = await usageOf(context, integrationId);
  const name = names.find((each) => used[each] >= limits[each]);
  if (name) throw quotaExceeded(name, used[name], limits[name]);
};

/** What a change is refused with that would take more of the database than the integration may. */
export const noRoom = async (context: ServiceContext, integrationId: Uuid): Promise<ServiceError> => {
  const { limits, used } = await usageOf(context, integrationId);
  return quotaExceeded("database_bytes", used.database_bytes, limits.database_bytes);
};

/** The error that a batch which was refused for a limit means to its caller; every other error is itself. */
export const explained = async (
  context: ServiceContext,
  integrationId: Uuid,
  error: unknown,
): Promise<unknown> => {
  const counter: Counter | null = exceededCounter(error);
  if (counter === null) return error;
  const { limits, used } = await usageOf(context, integrationId);
  return quotaExceeded(counter, used[counter], limits[counter]);
};
