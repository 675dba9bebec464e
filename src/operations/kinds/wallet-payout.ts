import { type SQL, sql } from "drizzle-orm";
import { costOf, maxSpent, QUOTED_RISE } from "../../chain/cost.ts";
import { ChainUnavailableError } from "../../chain/errors.ts";
import { readGasPrices } from "../../chain/protocol.ts";
import { connectFor } from "../../chain/rpc.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { holds } from "../../db/client.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { forgetEarned } from "../../db/queries/contracts.ts";
import { findPayoutAccount } from "../../db/queries/integrations.ts";
import { hasPending } from "../../db/queries/operations.ts";
import { exactNear } from "../../domain/amounts.ts";
import { ServiceError } from "../../domain/errors.ts";
import { newUuid } from "../../domain/ids.ts";
import { KINDS_IN_PARTS, PAYOUT } from "../../domain/operations.ts";
import { LOW } from "../../domain/wallet-watch.ts";
import { walletOf } from "../../wallet/client.ts";
import { type KindResults, kindOf, type Proposal } from "../kind.ts";
import { succeeded } from "../records.ts";
import { MOST_NANO, NANO, readSales, salesUpTo, takeSales } from "../sales.ts";
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

/** Amount that "all" and "sales" leave for the payout's own gas, yoctoNEAR. */
const PAYOUT_COST = 10n ** 22n;

/** Retry-After in seconds while other operations block the payout. */
const RETRY_AFTER = 10;

/**
 * Proposes a payout to the account set by the operator, so that a leaked API key can't move money elsewhere. Its
 * acceptance requires that no running operation will spend more than the wallet
 * has reserved for it. An amount covers as many unpaid sales as there are, so that a later "sales" pays only the rest.
 * For that, sales are first read from the chain, in blocks not older than the balance: a sale that is in the balance but
 * not counted would be paid out a second time. "sales" pays what is counted, and goes without the contracts that can't be
 * read. "sales" and "all" pay what the caller's cost limit leaves for them.
 * @throws ServiceError payout_account_missing, insufficient_funds, chain_unavailable, invalid_request ("all"
 *   unconfirmed); on acceptance payout_account_missing, wallet_busy and insufficient_funds (no sales)
 */
export const proposePayout = async (
  context: ServiceContext,
  { integrationId, costLimit }: Pick<Caller, "integrationId" | "costLimit">,
  { amount, confirm }: PayoutRequest,
): Promise<Proposal<"wallet_payout">> => {
  const { db } = context;
  const isSales = amount === "sales";
  const receiver = await findPayoutAccount(db, integrationId);
  if (receiver === null) throw noAccount();
  const { available, height } = await balanceOf(context, integrationId);
  const isExact = !isSales && amount !== "all";
  const spare = isExact ? BigInt(amount) : spareOf(available, isSales);
  if (amount === "all" && confirm !== true) throw unconfirmed(spare);
  const most = isExact ? spare : await withinLimit(context, spare, receiver, costLimit);
  const uncounted = await uncountedSales(context, integrationId, height, isSales);
  // After the reading: an operation whose uuid is minutes old isn't accepted.
  const id = newUuid();
  // An amount covers each nanoNEAR that it touches; sales are paid in whole nanoNEAR.
  const nano = isSales ? most / NANO : (most + NANO - 1n) / NANO;
  const sales = salesUpTo(integrationId, nano < MOST_NANO ? nano : MOST_NANO);
  const request = { account: receiver, ...(!isSales && { amount: most.toString() }) };
  const ledger = ledgerOf(context, integrationId);
  // The balance doesn't show yet what a pending operation will spend, and "sales" and "all" leave some of it.
  const others = isExact ? KINDS_IN_PARTS : [...KINDS_IN_PARTS, PAYOUT];
  const isSpending = hasPending(integrationId, others);
  const ofSales = { amount: sql`(${sales}) || ${NANO.toString().slice(1)}` };
  return {
    id,
    kind: "wallet_payout",
    subjectId: integrationId,
    request,
    filled: { sales: sql`CAST(${sales} AS TEXT)`, ...(isSales && ofSales) },
    condition: sql`NOT ${isSpending} AND ${isPaidTo(receiver)} AND ${isSales ? sql`${sales} > 0` : sql`true`}`,
    refusal: async () => {
      const changed = await changedSince(context, integrationId, receiver);
      if (changed) return changed;
      if (isSales && !(await holds(ledger, sql`${sales} > 0`))) return noSales();
      return waiting();
    },
    after: uncounted.length > 0 ? [forgetEarned(ledger, uncounted, id)] : [],
  };
};

/**
 * Reads what contracts have earned, before a payout. An amount or "all" may take sales along that aren't read:
 * - where nodes don't answer for a contract, the amount is refused, because it can be read in a moment;
 * - where a contract doesn't answer as one of Mintage, its sales since the last reading count as paid by the amount.
 * @returns accounts of the contracts whose earnings the payout is to forget
 */
const uncountedSales = async (
  context: ServiceContext,
  integrationId: Caller["integrationId"],
  height: number,
  isSales: boolean,
): Promise<readonly string[]> => {
  const { skipped, unavailable } = await readSales(context, integrationId, height);
  if (isSales) return [];
  if (unavailable === null) return skipped;
  throw new ChainUnavailableError(
    unavailable,
    undefined,
    'The sales of a contract can\'t be read, and an amount has to cover them; "sales" pays those of the others',
  );
};

/**
 * An amount, or as much of it as a cost limit leaves beside the gas of the payout at the highest price that a quote
 * allows for. A limit that leaves nothing doesn't reduce it: such a payout is refused for its cost.
 */
const withinLimit = async (
  context: ServiceContext,
  amount: bigint,
  receiver: string,
  limit: Caller["costLimit"],
): Promise<bigint> => {
  if (!limit) return amount;
  const { burnt, leastBought } = await readGasPrices(connectFor(context));
  const gas = maxSpent(costOf(transferTo(receiver, 0n), { burnt: burnt * QUOTED_RISE, leastBought }));
  const left = BigInt(limit.most) - gas;
  return left < NANO || left > amount ? amount : left;
};

/** Condition: a payout's ledger has the account that was read in D1, so that one that was replaced gets nothing. */
export const isPaidTo = (account: string): SQL => sql`(SELECT payout_account FROM meta) = ${account}`;

/** The refusal of a payout to an account that is no longer set; null: it is. */
export const changedSince = async (
  context: ServiceContext,
  integrationId: Caller["integrationId"],
  account: string,
): Promise<ServiceError | null> => {
  if (await holds(ledgerOf(context, integrationId), isPaidTo(account))) return null;
  const current = await findPayoutAccount(context.db, integrationId);
  if (current === null || current === account) return noAccount();
  return new ServiceError("conflict", "Pay out again: the payout account has just been changed.", {
    outcome: "not_submitted",
    retryable: true,
    retryAfter: 1,
  });
};

/** The refusal without an account to pay to. */
export const noAccount = (): ServiceError =>
  new ServiceError("payout_account_missing", "Ask the operator to set the payout account.", {
    outcome: "not_submitted",
  });

/** The refusal while others spend the wallet's balance. */
export const waiting = (): ServiceError =>
  new ServiceError(
    "wallet_busy",
    `Pay out in ${RETRY_AFTER} seconds: a finalization, an upgrade or another payout is spending the wallet's balance.`,
    { outcome: "not_submitted", retryable: true, retryAfter: RETRY_AFTER },
  );

const noSales = (): ServiceError =>
  new ServiceError(
    "insufficient_funds",
    "Nothing is left to pay out: all sales are paid out or being paid out. A sale counts seconds after its mint, once its block is final.",
    { outcome: "not_submitted", retryable: true },
  );

const unconfirmed = (amount: bigint): ServiceError => {
  const message = `Send confirm: true to pay out ${exactNear(amount.toString())} NEAR, all but 1.01 NEAR, including the money for gas. "sales" pays out only what was earned.`;
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
    { outcome: "not_submitted", retryable: true },
  );
};

/** A transfer from the integration wallet to its owner's account. */
export const walletPayoutKind = kindOf<WalletPayoutOperation, null, KindResults["wallet_payout"]>({
  facts: () => null,
  steps: () => ["pay"],
  storage: null,
  transaction: async (_context, { request }) => transferTo(request.account, BigInt(request.amount)),
  effects: async (context, { id, integrationId, request }, { records }) => ({
    status: 200,
    body: {
      message: "success",
      account_id: request.account,
      amount: request.amount,
      currency: null,
      tx_results: succeeded(records, "pay").result,
    },
    statements: [takeSales(ledgerOf(context, integrationId), id, request.sales)],
  }),

  onSettled: (context, { id, integrationId, request }) => ({
    statements: [takeSales(ledgerOf(context, integrationId), id, request.sales)],
  }),
});
