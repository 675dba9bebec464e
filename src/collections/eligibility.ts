import type { Caller, ServiceContext } from "../context.ts";
import type { Uuid } from "../domain/ids.ts";
import { readableOf } from "./collection-target.ts";

/** Whether an account may mint from its own wallet now, and if not, why. */
export interface Eligibility {
  readonly account_id: string;
  readonly allowed: boolean;
  /** Which price is open to it: none at all (`bypass`), the public or the private one. */
  readonly via: "bypass" | "public" | "private" | null;
  /** yoctoNEAR to attach to `nft_mint`. */
  readonly mint_fee: string | null;
  /** The contract's failure code. */
  readonly code: string | null;
  readonly message: string | null;
  /** RFC 3339, UTC: when the rule that stands in the way passes by itself. */
  readonly opens_at: string | null;
  /** Mints left under the price's limit; null: no limit. */
  readonly remaining_for_account: number | null;
}

/** What the contract says of an account. @throws ServiceError not_found, chain_unavailable */
export const eligibility = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  accountId: string,
): Promise<Eligibility> => {
  const { collectionId, views } = await readableOf(context, caller, collectionUuid);
  const found = await views.eligibility(collectionId, accountId);
  const { opens_at_ms: opensAt, remaining_for_account: remaining, ...rest } = found;
  return {
    account_id: accountId,
    ...rest,
    opens_at: opensAt === null ? null : new Date(opensAt).toISOString(),
    remaining_for_account: remaining,
  };
};
