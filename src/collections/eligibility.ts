import type { Eligibility } from "../api/resources/eligibility.ts";
import type { ContractEligibility } from "../chain/contract/views.ts";
import { SharedReads } from "../chain/shared-reads.ts";
import type { Caller, ServiceContext } from "../context.ts";
import type { Uuid } from "../domain/ids.ts";
import { readableOf } from "./collection-target.ts";

/** Milliseconds. */
const kept = new SharedReads<ContractEligibility>({ ttlMs: 5_000, pendingMs: 30_000, most: 1_000 });

/**
 * What the contract says of an account, five seconds old at most. An operation that has changed the collection has raised
 * its height, so that what was said before isn't told again.
 * @throws ServiceError not_found, chain_unavailable, rate_limited
 */
export const eligibility = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  accountId: string,
): Promise<Eligibility> => {
  // The call is admitted before it is made, and not within it: its answer is for others too, whose keys have calls left.
  const asker = { ...context, admitCall: async () => undefined };
  const { contract, collectionId, views, height } = await readableOf(asker, caller, collectionUuid);
  const name = `${contract} ${collectionId} ${height} ${accountId}`;
  const ask = () => views.eligibility(collectionId, accountId);
  const found = await kept.get(context, name, ask, context.admitCall);
  return { ...toEligibility(accountId, found), locks: found.locks ?? [] };
};

/** The contract's answer as the API tells it. */
export const toEligibility = (
  accountId: string,
  { allowed, via, mint_fee, code, message, opens_at_ms: opensAt, remaining_for_account }: ContractEligibility,
): Omit<Eligibility, "locks"> => ({
  account_id: accountId,
  allowed,
  via,
  mint_fee,
  code,
  message,
  opens_at: opensAt === null ? null : new Date(opensAt).toISOString(),
  remaining_for_account,
});
