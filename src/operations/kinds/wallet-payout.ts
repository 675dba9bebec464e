import { sql } from "drizzle-orm";
import type { Caller, ServiceContext } from "../../context.ts";
import {
  hasPayoutAccount,
  NANO,
  payoutAccount,
  salesUpTo,
  takeSales,
} from "../../db/queries/integrations.ts";
import { isSpendingInParts, spendsInParts } from "../../db/queries/operations.ts";
import { exactNear } from "../../domain/amounts.ts";
import { ServiceError } from "../../domain/errors.ts";
import { LOW } from "../../domain/wallet-watch.ts";
import { walletOf } from "../../wallet/client.ts";
import { type GuardedProposal, type KindResults, kindOf } from "../kind.ts";
import { succeeded } from "../records.ts";
import { transferTo } from "../top-up.ts";

/** A payout that was accepted. */
export interface WalletPayoutOperation {
  readonly account: string;
  /** yoctoNEAR. */
  readonly amount: string;
  /** What of it is sales that weren't paid out before, in nanoNEAR. */
  readonly sales: string;
}

/** A payout as a caller asks for it. */
export interface PayoutRequest {
  /** yoctoNEAR; "sales": what was earned and not paid out; "all": what the wallet has above what it is low with. */
  readonly amount: string;
  /** The caller knows that "all" takes gas money along. */
  readonly confirm?: boolean | undefined;
}

/** The most that SQLite counts. */
const MOST_NANO = 2n ** 63n - 1n;

/** What "all" and "sales" leave for the payout's own gas, yoctoNEAR. */
const PAYOUT_COST = 10n ** 22n;

/** Seconds after which a payout that other operations are in the way of is worth another try. */
const RETRY_AFTER = 10;

/**
 * The payout that a caller asks for, to the account that the operator has set: whoever has a key moves money to its
 * owner only. The account is read as the payout is accepted, which it is only while no operation is at work that will spend
 * more than the wallet has reserved for it; what the wallet has reserved it keeps itself. What it takes of the sales is read
 * in the same statement: an amount takes as much of them as there is, so that "sales" afterwards is only what remains.
 * @throws ServiceError payout_account_missing, insufficient_funds, chain_unavailable, invalid_request ("all" unconfirmed); at its
 * acceptance payout_account_missing, wallet_busy and insufficient_funds (no sales)
 */
export const proposePayout = async (
  context: ServiceContext,
  { integrationId }: Pick<Caller, "integrationId">,
  { amount, confirm }: PayoutRequest,
): Promise<GuardedProposal<"wallet_payout">> => {
  const { db } = context;
  const isSales = amount === "sales";
  const most = isSales || amount === "all" ? await spareOf(context, integrationId) : BigInt(amount);
  if (amount === "all" && confirm !== true) throw unconfirmed(most);
  // An amount counts for each nanoNEAR that it touches; of sales whole ones are paid.
  const nano = isSales ? most / NANO : (most + NANO - 1n) / NANO;
  const sales = salesUpTo(integrationId, nano < MOST_NANO ? nano : MOST_NANO);
  const request = isSales ? {} : { amount: most.toString() };
  const account = payoutAccount(integrationId);
  const ofSales = { amount: sql`(${sales}) || ${NANO.toString().slice(1)}` };
  return {
    kind: "wallet_payout",
    subjectId: integrationId,
    request,
    filled: { account, sales: sql`CAST(${sales} AS TEXT)`, ...(isSales && ofSales) },
    condition: sql`${account} IS NOT NULL AND NOT ${spendsInParts(integrationId)} AND ${isSales ? sql`${sales} > 0` : sql`true`}`,
    refusal: async () => {
      if (!(await hasPayoutAccount(db, integrationId))) return noAccount();
      if (await isSpendingInParts(db, integrationId)) return waiting();
      return isSales ? noSales() : null;
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

const noSales = (): ServiceError =>
  new ServiceError(
    "insufficient_funds",
    "Nothing is left to pay out: all sales that were read from the chain are paid out or on their way. Mints from wallets are read within a minute.",
    { outcome: "not_submitted" },
  );

const unconfirmed = (amount: bigint): ServiceError => {
  const message = `Give confirm: true to send ${exactNear(amount.toString())} NEAR, which is all but 1 NEAR: the money that gas is paid from is part of it. "sales" pays only what was earned.`;
  return new ServiceError("invalid_request", message, { issues: [{ path: ["confirm"], message }] });
};

/** What the wallet can spare. Without an account to pay it to, the caller is told of that first. */
const spareOf = async (
  { db, env }: ServiceContext,
  integrationId: Caller["integrationId"],
): Promise<bigint> => {
  const { available } = await walletOf(env, integrationId).status();
  const spare = available == null ? null : BigInt(available) - LOW - PAYOUT_COST;
  if (spare !== null && spare > 0n) return spare;
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
export const walletPayoutKind = kindOf<WalletPayoutOperation, null, KindResults["wallet_payout"]>({
  facts: () => null,
  steps: () => ["pay"],
  transaction: async (_context, { request }) => transferTo(request.account, BigInt(request.amount)),
  effects: async ({ db }, { id, integrationId, request }, { records }) => ({
    status: 200,
    body: {
      message: "success",
      account_id: request.account,
      amount: request.amount,
      tx_results: succeeded(records, "pay").result,
    },
    // Those of a former release took none.
    statements: [takeSales(db, { id, integrationId }, request.sales ?? "0")],
  }),
});
