import type { SQL } from "drizzle-orm";
import type { ServiceContext } from "../context.ts";
import { findContractOf, runsNoneOf } from "../db/queries/contracts.ts";
import { BEFORE_DEPOSITS } from "../domain/contract-releases.ts";
import { ServiceError } from "../domain/errors.ts";
import { toHex } from "../domain/ids.ts";

/**
 * Refuses contracts of layout 2, which reject the service's calls that change settings and metadata. @throws
 * ServiceError conflict until the operator has upgraded it
 */
export const requireUpgraded = ({ codeHash }: { readonly codeHash: Uint8Array }): void => {
  if (BEFORE_DEPOSITS.includes(toHex(codeHash))) throw notUpgraded();
};

/** `requireUpgraded` of an account as the condition of a proposal, checked in the batch that accepts it. */
export const whereUpgraded = (
  { db }: ServiceContext,
  accountId: string,
): { readonly condition: SQL; readonly refusal: () => Promise<ServiceError | null> } => ({
  condition: runsNoneOf(accountId, BEFORE_DEPOSITS),
  refusal: async () => {
    const contract = await findContractOf(db, accountId);
    return contract && BEFORE_DEPOSITS.includes(toHex(contract.codeHash)) ? notUpgraded() : null;
  },
});

const notUpgraded = (): ServiceError =>
  new ServiceError(
    "conflict",
    "Ask the operator to upgrade this collection's contract, then send the request again: the contract runs an earlier release, which can't do this.",
    { outcome: "not_submitted", retryable: true },
  );
