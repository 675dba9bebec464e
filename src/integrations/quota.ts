import type { ServiceContext } from "../context.ts";
import { type Counter, exceededCounter, readUsage, setLimits, type UsageRead } from "../db/queries/usage.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import {
  type LimitName,
  limitsWith,
  quotaExceeded,
  REQUEST_PERIOD_S,
  type UsedName,
} from "../domain/quota.ts";
import type { LimitsShown } from "../resources/limits.ts";
import { walletOf } from "../wallet/client.ts";

/** The limits of an integration, and what it uses of them. @throws ServiceError not_found, wallet_busy */
export const readLimits = async (context: ServiceContext, integrationId: Uuid): Promise<LimitsShown> => {
  const [usage, spentToday] = await Promise.all([
    requireUsage(context, integrationId),
    walletOf(context.env, integrationId).spentToday(),
  ]);
  return toLimits(usage, spentToday);
};

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

const requireUsage = async (context: ServiceContext, integrationId: Uuid): Promise<UsageRead> => {
  const usage = await readUsage(context.db, integrationId, context.now());
  if (usage) return usage;
  throw new ServiceError("not_found", "There is no such integration. Check its integration_uuid.");
};

const usageOf = async (context: ServiceContext, integrationId: Uuid) => {
  const { set, used } = await requireUsage(context, integrationId);
  return { limits: limitsWith(set), used };
};

/** What an operator changes of the limits: an absent one stays, null goes back to the default. */
export type LimitChanges = Readonly<Partial<Record<LimitName, number | null>>> & {
  /** yoctoNEAR. */
  readonly spending_per_day?: string | null;
};

/** Sets limits of an integration; null goes back to the default. @throws ServiceError not_found, wallet_busy */
export const changeLimits = async (
  context: ServiceContext,
  integrationId: Uuid,
  { spending_per_day: spendingPerDay, ...changes }: LimitChanges,
): Promise<LimitsShown> => {
  await setLimits(context.db, integrationId, { changes, spendingPerDay }, context.now());
  return readLimits(context, integrationId);
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
