import { sql } from "drizzle-orm";
import type { Caller, ServiceContext } from "../../context.ts";
import { holds } from "../../db/client.ts";
import { hasPayoutAccount, payoutAccount } from "../../db/queries/integrations.ts";
import { spendsInParts } from "../../db/queries/operations.ts";
import { exactNear } from "../../domain/amounts.ts";
import { ServiceError } from "../../domain/errors.ts";
import { LOW } from "../../domain/wallet-watch.ts";
import { walletOf } from "../../wallet/client.ts";
import { type KindResults, kindOf, type Proposal } from "../kind.ts";
import { succeeded } from "../records.ts";
import { NANO, readSales, salesUpTo, takeSales } from "../sales.ts";
import { transferTo } from "../top-up.ts";

/** An accepted payout. */
export interface WalletPayoutOperation {
  readonly account: string;
  /** yoctoNEAR. */
  readonly amount: string;
  /** The part of it that is sales not paid out before, in nanoNEAR. */
  readonly sales: string;
}

/** A payout request. */
export interface PayoutRequest {
  /** yoctoNEAR; "sales": earned and not yet paid out; "all": everything above the wallet's low-balance threshold. */
  readonly amount: string;
  /** Confirms that "all" includes the money for gas. */
  readonly confirm?: boolean | undefined;
}

/** SQLite's largest integer. */
const MOST_NANO = 2n ** 63n - 1n;

/** Amount that "all" and "sales" leave for the payout's own gas, yoctoNEAR. */
const PAYOUT_COST = 10n ** 22n;

/** Retry-After in seconds while other operations block the payout. */
const RETRY_AFTER = 10;

/**
 * Proposes a payout to the account set by the operator, so that a leaked API key can't move money elsewhere. The
 * account is read when the payout is accepted, which requires that no running operation will spend more than the wallet
 * has reserved for it. An amount covers as many unpaid sales as there are, so that a later "sales" pays only the rest.
 * For that, sales are first read from the chain, in blocks not older than the balance: a sale that is in the balance but
 * not counted would be paid out a second time.
 * @throws ServiceError payout_account_missing, insufficient_funds, chain_unavailable, invalid_request ("all"
 *   unconfirmed); on acceptance payout_account_missing, wallet_busy and insufficient_funds (no sales)
 */
export const proposePayout = async (
  context: ServiceContext,
  { integrationId }: Pick<Caller, "integrationId">,
  { amount, confirm }: PayoutRequest,
): Promise<Proposal<"wallet_payout">> => {
  const { db } = context;
  const isSales = amount === "sales";
  if (!(await holds(db, hasPayoutAccount(integrationId)))) throw noAccount();
  const { available, height } = await balanceOf(context, integrationId);
  const most = isSales || amount === "all" ? spareOf(available, isSales) : BigInt(amount);
  if (amount === "all" && confirm !== true) throw unconfirmed(most);
  await readSales(context, integrationId, height);
  // An amount covers each nanoNEAR that it touches; sales are paid in whole nanoNEAR.
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
    condition: sql`${hasPayoutAccount(integrationId)} AND NOT ${spendsInParts(integrationId)} AND ${isSales ? sql`${sales} > 0` : sql`true`}`,
    refusal: async () => {
      if (!(await holds(db, hasPayoutAccount(integrationId)))) return noAccount();
      if (await holds(db, spendsInParts(integrationId))) return waiting();
      return isSales ? noSales() : null;
    },
  };
};

const noAccount = (): ServiceError =>
  new ServiceError("payout_account_missing", "Ask the operator to set the payout account.", {
    outcome: "not_submitted",
  });

const waiting = (): ServiceError =>
  new ServiceError(
    "wallet_busy",
    `Pay out in ${RETRY_AFTER} seconds: a finalization or an upgrade is spending the wallet's balance.`,
    { outcome: "not_submitted", retryable: true, retryAfter: RETRY_AFTER },
  );

const noSales = (): ServiceError =>
  new ServiceError(
    "insufficient_funds",
    "Nothing is left to pay out: all sales are paid out or being paid out. A sale counts seconds after its mint, once its block is final.",
    { outcome: "not_submitted" },
  );

const unconfirmed = (amount: bigint): ServiceError => {
  const message = `Send confirm: true to pay out ${exactNear(amount.toString())} NEAR, all but 1 NEAR, including the money for gas. "sales" pays out only what was earned.`;
  return new ServiceError("invalid_request", message, { issues: [{ path: ["confirm"], message }] });
};

/** The wallet's available balance in yoctoNEAR, and the height of its block. */
const balanceOf = async ({ env }: ServiceContext, integrationId: Caller["integrationId"]) => {
  const { available, height } = await walletOf(env, integrationId).status();
  if (available !== null && height !== null) return { available: BigInt(available), height };
  throw new ServiceError("chain_unavailable", "The wallet's balance can't be read. Try again.", {
    outcome: "not_submitted",
    retryable: true,
    retryAfter: 5,
  });
};

/** The amount above what stays for gas. @throws ServiceError insufficient_funds if there is none */
const spareOf = (available: bigint, isSales: boolean): bigint => {
  const kept = LOW + PAYOUT_COST;
  if (available > kept) return available - kept;
  const [has, stays] = [available, kept].map((amount) => exactNear(amount.toString()));
  const rest = isSales ? " Unpaid sales are kept: top the wallet up to pay them out." : "";
  throw new ServiceError(
    "insufficient_funds",
    `Nothing can be paid out: the wallet has ${has} NEAR available, and ${stays} NEAR must stay in it for gas.${rest}`,
    { outcome: "not_submitted" },
  );
};

/** A transfer from the integration wallet to its owner's account. */
export const walletPayoutKind = kindOf<WalletPayoutOperation, null, KindResults["wallet_payout"]>({
  facts: () => null,
  steps: () => ["pay"],
  storage: null,
  transaction: async (_context, { request }) => transferTo(request.account, BigInt(request.amount)),
  effects: async ({ db }, { id, integrationId, request }, { records }) => ({
    status: 200,
    body: {
      message: "success",
      account_id: request.account,
      amount: request.amount,
      tx_results: succeeded(records, "pay").result,
    },
    statements: [takeSales(db, { id, integrationId }, request.sales)],
  }),
});
