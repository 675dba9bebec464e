import { sql } from "drizzle-orm";
import type { Caller, ServiceContext } from "../../context.ts";
import { hasPayoutAccount, payoutAccount } from "../../db/queries/integrations.ts";
import { isSpendingInParts, spendsInParts } from "../../db/queries/operations.ts";
import { ServiceError } from "../../domain/errors.ts";
import { LOW } from "../../domain/wallet-watch.ts";
import { walletOf } from "../../wallet/client.ts";
import { type GuardedProposal, type KindAnswers, kindOf } from "../kind.ts";
import { succeeded } from "../records.ts";
import { transferTo } from "../top-up.ts";

/** A payout that was accepted. */
export interface WalletPayoutOperation {
  readonly account: string;
  /** yoctoNEAR. */
  readonly amount: string;
}

/** What "all" leaves for the payout's own gas, yoctoNEAR. */
const PAYOUT_COST = 10n ** 22n;

/** Seconds after which a payout that other operations are in the way of is worth another try. */
const RETRY_AFTER = 10;

/**
 * The payout that a caller asks for, to the account that the operator has set: whoever has a key moves money to its
 * owner only. The account is read as the payout is accepted, which it is only while no operation is at work that will spend
 * more than the wallet has reserved for it; what the wallet has reserved it keeps itself.
 * @param amount yoctoNEAR, or "all": what the wallet has above what it is low with
 * @throws ServiceError payout_account_missing, insufficient_funds, chain_unavailable; at its acceptance
 * payout_account_missing and wallet_busy
 */
export const proposePayout = async (
  context: ServiceContext,
  { integrationId }: Pick<Caller, "integrationId">,
  amount: string,
): Promise<GuardedProposal<"wallet_payout">> => {
  const { db } = context;
  const paid = amount === "all" ? await allOf(context, integrationId) : amount;
  const request: Omit<WalletPayoutOperation, "account"> = { amount: paid };
  const account = payoutAccount(integrationId);
  return {
    kind: "wallet_payout",
    subjectId: integrationId,
    request,
    filled: { account },
    condition: sql`${account} IS NOT NULL AND NOT ${spendsInParts(integrationId)}`,
    refusal: async () => {
      if (!(await hasPayoutAccount(db, integrationId))) return noAccount();
      return (await isSpendingInParts(db, integrationId)) ? waiting() : null;
    },
  };
};

const noAccount = (): ServiceError =>
  new ServiceError(
    "payout_account_missing",
    "Ask the operator to set the account that money is paid out to.",
    { outcome: "not_submitted" },
  );

const waiting = (): ServiceError =>
  new ServiceError(
    "wallet_busy",
    `Pay out in ${RETRY_AFTER} seconds: a finalization or an upgrade is spending the wallet's money.`,
    { outcome: "not_submitted", retryable: true, retryAfter: RETRY_AFTER },
  );

/** What the wallet can spare. Without an account to pay it to, the caller is told of that first. */
const allOf = async (
  { db, env }: ServiceContext,
  integrationId: Caller["integrationId"],
): Promise<string> => {
  const { available } = await walletOf(env, integrationId).status();
  const spare = available == null ? null : BigInt(available) - LOW - PAYOUT_COST;
  if (spare !== null && spare > 0n) return spare.toString();
  if (!(await hasPayoutAccount(db, integrationId))) throw noAccount();
  if (spare === null) {
    throw new ServiceError("chain_unavailable", "No node answers with the wallet's balance. Try again.", {
      outcome: "not_submitted",
      retryable: true,
      retryAfter: 5,
    });
  }
  throw new ServiceError("insufficient_funds", "The wallet has nothing beyond what its writes need.", {
    outcome: "not_submitted",
  });
};

/** A transfer from the integration wallet to its owner's account. */
export const walletPayoutKind = kindOf<WalletPayoutOperation, null, KindAnswers["wallet_payout"]>({
  wallet: "integration",
  facts: () => null,
  steps: () => ["pay"],
  transaction: async (_context, { request }) => transferTo(request.account, BigInt(request.amount)),
  effects: async (_context, { request }, { records }) => ({
    status: 200,
    body: {
      message: "success",
      account_id: request.account,
      amount: request.amount,
      tx_results: succeeded(records, "pay").result,
    },
    statements: [],
  }),
});
