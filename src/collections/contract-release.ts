import type { ServiceContext } from "../context.ts";
import { findContractOf } from "../db/queries/contracts.ts";
import { isBeforeDeposits } from "../domain/contract-releases.ts";
import { ServiceError } from "../domain/errors.ts";
import { toHex } from "../domain/ids.ts";

/**
 * Makes sure that a contract knows the calls which change settings and tokens' metadata as they are sent: releases of
 * layout 2 refuse them. Mints, allowlists and finalizations are the same in both.
 * @param accountId the contract's account
 * @throws ServiceError conflict until the operator has upgraded it
 */
export const requireUpgraded = async ({ db }: ServiceContext, accountId: string): Promise<void> => {
  const contract = await findContractOf(db, accountId);
  if (!contract || !isBeforeDeposits(toHex(contract.codeHash))) return;
  throw new ServiceError(
    "conflict",
    "Ask the operator to upgrade this collection's contract, then send the request again: the contract runs an earlier release, which can't do this.",
    { outcome: "not_submitted", retryable: true },
  );
};
