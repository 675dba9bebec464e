import { sql } from "drizzle-orm";
import { transferUnits, withdrawShares } from "../../chain/contract/calls.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { ViewError } from "../../chain/errors.ts";
import { connectFor } from "../../chain/rpc.ts";
import {
  noCurrency,
  type Registration,
  readCurrency,
  readRegistration,
  unitsOf,
} from "../../collections/currencies.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { holds } from "../../db/client.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { listContracts } from "../../db/queries/contracts.ts";
import { findIntegration, findPayoutAccount } from "../../db/queries/integrations.ts";
import { hasPending } from "../../db/queries/operations.ts";
import { ServiceError } from "../../domain/errors.ts";
import { newUuid } from "../../domain/ids.ts";
import { shownAmount } from "../../domain/prices.ts";
import type { Currency } from "../../domain/settings.ts";
import { type KindResults, kindOf, type Proposal } from "../kind.ts";
import { succeeded } from "../records.ts";
import {
  forgetUnpaid,
  isRegistration,
  registering,
  registrationOf,
  registrationSteps,
} from "../registrations.ts";
import { changedSince, isPaidTo, noAccount, waiting } from "./wallet-payout.ts";

/** A payout in a token, as stored with its operation. */
export interface CurrencyPayoutOperation {
  readonly account: string;
  readonly currency: Currency;
  /** Smallest units. */
  readonly amount: string;
  /** What registers the wallet and the payout account at the token. */
  readonly registrations: readonly Registration[];
  /** Contracts that send the wallet its shares first. */
  readonly contracts: readonly string[];
}

/** A payout request. */
export interface CurrencyPayoutRequest {
  /** Account of the token. */
  readonly currency: string;
  /** Its smallest units; "all": what the wallet has and what waits for it. */
  readonly amount: string;
}

/** Contracts that a payout reads at most, the newest first, and contracts that it fetches shares of. */
const MOST_READ = 100;
const MOST_FETCHED = 10;

/**
 * Proposes a payout in a token to the account set by the operator, as `proposePayout` does in NEAR. What the wallet lacks of
 * the amount is fetched from the contracts, where the wallet's shares wait. The token has to know both accounts, which the
 * wallet pays for.
 * @throws ServiceError payout_account_missing, insufficient_funds, chain_unavailable, invalid_request (what is no currency, or
 *   asks too much for a registration); on acceptance payout_account_missing, wallet_busy and, of registrations,
 *   spending_limit_reached
 */
export const proposeCurrencyPayout = async (
  context: ServiceContext,
  { integrationId }: Pick<Caller, "integrationId">,
  { currency: name, amount }: CurrencyPayoutRequest,
): Promise<Proposal<"currency_payout">> => {
  const { db } = context;
  const [account, integration] = await Promise.all([
    findPayoutAccount(db, integrationId),
    findIntegration(db, integrationId),
  ]);
  if (account === null) throw noAccount();
  const wallet = integration?.walletAccountId;
  if (!wallet) throw new Error(`integration ${integrationId} has no wallet`);
  const currency = await readCurrency(context, name);
  if (!currency) throw noCurrency(["currency"], name);
  const units = BigInt((await unitsOf(connectFor(context), name, wallet)) ?? "0");
  const shares =
    amount !== "all" && BigInt(amount) <= units ? [] : await sharesOf(context, integrationId, wallet, name);
  const most = shares.reduce((sum, share) => sum + share.units, units);
  const paid = amount === "all" ? most : BigInt(amount);
  if (paid > most || paid === 0n) throw tooLittle(currency, units, most - units);
  const isFetching = shares.length > 0;
  const known = await Promise.all(
    [...(isFetching ? [wallet] : []), account].map((one) =>
      readRegistration(context, integrationId, { currency: name, account: one }, ["currency"]),
    ),
  );
  const registrations = known.flatMap((one) => one ?? []);
  const request: CurrencyPayoutOperation = {
    account,
    currency,
    amount: paid.toString(),
    registrations,
    contracts: shares.map(({ contract }) => contract),
  };
  const isPaying = hasPending(integrationId, ["currency_payout"]);
  const id = newUuid();
  const paying = registering(context, { id, integrationId }, registrations);
  return {
    id,
    kind: "currency_payout",
    subjectId: integrationId,
    request,
    condition: sql`NOT ${isPaying} AND ${isPaidTo(account)} AND ${paying.condition ?? sql`true`}`,
    after: paying.after ?? [],
    refusal: async () => {
      const changed = await changedSince(context, integrationId, account);
      if (changed) return changed;
      if (await holds(ledgerOf(context, integrationId), isPaying)) return waiting();
      return (await paying.refusal?.()) ?? null;
    },
  };
};

/** Shares of a wallet that wait in a currency, by contract. Those that can't be read are left for the next payout. */
const sharesOf = async (
  context: ServiceContext,
  integrationId: Caller["integrationId"],
  wallet: string,
  currency: string,
) => {
  const rows = await listContracts(context.db, { integrationId }, null, MOST_READ);
  const rpc = connectFor(context);
  const read = await Promise.all(
    rows
      .filter(({ state }) => state === "ready")
      .map(async ({ accountId: contract }) => {
        try {
          return { contract, units: BigInt(await contractViews(rpc, contract).shares(wallet, currency)) };
        } catch (error) {
          if (!(error instanceof ViewError)) throw error;
          context.log("payout.contract_unreadable", { contract, error });
          return { contract, units: 0n };
        }
      }),
  );
  return read.filter(({ units }) => units > 0n).slice(0, MOST_FETCHED);
};

const tooLittle = (currency: Currency, units: bigint, shares: bigint): ServiceError => {
  const [has, waits] = [units, shares].map((amount) => shownAmount(amount.toString(), currency));
  return new ServiceError(
    "insufficient_funds",
    `Give an amount that is there: the wallet has ${has}, and ${waits} wait for it at its contracts.`,
    { outcome: "not_submitted", retryable: true },
  );
};

const FETCH = "fetch:";

/** Registrations, then the wallet's shares from each contract, then the payment. */
export const currencyPayoutKind = kindOf<CurrencyPayoutOperation, null, KindResults["currency_payout"]>({
  facts: () => null,

  steps: ({ registrations, contracts }) => [
    ...registrationSteps(registrations),
    ...contracts.map((_, index) => `${FETCH}${index}`),
    "pay",
  ],

  storage: null,

  transaction: async (_context, { request }, step) => {
    const { registrations, contracts, currency, account, amount } = request;
    if (isRegistration(step)) return registrationOf(registrations, step);
    if (step === "pay") {
      return { receiverId: currency.contract_id, actions: [transferUnits(account, amount)] };
    }
    const contract = contracts[Number(step.slice(FETCH.length))]!;
    return { receiverId: contract, actions: [withdrawShares(currency.contract_id)] };
  },

  effects: async (_context, { request: { account, amount, currency } }, { records }) => ({
    status: 200,
    body: {
      message: "success",
      account_id: account,
      amount,
      currency,
      tx_results: succeeded(records, "pay").result,
    },
    statements: [],
  }),

  onFailure: (context, operation, records) => ({ statements: forgetUnpaid(context, operation, records) }),
});
