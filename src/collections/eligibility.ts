import type { Eligibility } from "../api/resources/collection.ts";
import { instant } from "../chain/contract/settings.ts";
import type { ContractEligibility, ContractPhaseEligibility } from "../chain/contract/views.ts";
import { SharedReads } from "../chain/shared-reads.ts";
import type { Caller, ServiceContext } from "../context.ts";
import type { Uuid } from "../domain/ids.ts";
import { readableOf } from "./collection-target.ts";

const cached = new SharedReads<ContractEligibility>({ ttlMs: 5_000, pendingMs: 30_000, most: 1_000 });

/**
 * The contract's view of whether an account may mint, cached for five seconds; operations raise the collection's
 * height, and so invalidate it. @throws ServiceError not_found, chain_unavailable, rate_limited
 */
export const eligibility = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  {
    account_id: accountId,
    currency,
  }: { readonly account_id: string; readonly currency?: string | undefined },
): Promise<Eligibility> => {
  // The caller's limit is checked before the call: its result is shared with callers whose limits allow it.
  const unlimited = { ...context, admitCall: async () => undefined };
  const { contract, collectionId, views, height } = await readableOf(unlimited, caller, collectionUuid);
  const name = `${contract} ${collectionId} ${height} ${accountId} ${currency ?? ""}`;
  const read = () => views.eligibility(collectionId, accountId, { currency });
  const found = await cached.get(context, name, read, context.admitCall);
  return { ...toEligibility(accountId, found), locks: found.locks ?? [] };
};

const toPhase = (found: ContractPhaseEligibility) => ({
  phase: found.phase,
  mint_fee: found.mint_fee,
  currency: found.currency,
  allowed: found.allowed,
  code: found.code,
  message: found.message,
  opens_at: instant(found.opens_at_ms),
  remaining_for_account: found.remaining_for_account,
});

export const toEligibility = (accountId: string, found: ContractEligibility): Omit<Eligibility, "locks"> => ({
  account_id: accountId,
  allowed: found.allowed,
  via: found.via,
  phase: found.phase ?? null,
  mint_fee: found.mint_fee,
  code: found.code,
  message: found.message,
  opens_at: instant(found.opens_at_ms),
  remaining_for_account: found.remaining_for_account,
  phases: (found.phases ?? []).map(toPhase),
});
