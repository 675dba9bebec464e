import type { Caller, ServiceContext } from "../context.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Eligibility } from "../resources/eligibility.ts";
import { readableOf } from "./collection-target.ts";

/** What the contract says of an account. @throws ServiceError not_found, chain_unavailable */
export const eligibility = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  accountId: string,
): Promise<Eligibility> => {
  const { collectionId, views } = await readableOf(context, caller, collectionUuid);
  const found = await views.eligibility(collectionId, accountId);
  const { allowed, via, mint_fee, code, message, opens_at_ms: opensAt, remaining_for_account, locks } = found;
  return {
    account_id: accountId,
    allowed,
    via,
    mint_fee,
    code,
    message,
    opens_at: opensAt === null ? null : new Date(opensAt).toISOString(),
    remaining_for_account,
    locks: locks ?? [],
  };
};
