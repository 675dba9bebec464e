import { z } from "zod";
import { ViewError } from "../chain/errors.ts";
import { type ChainRpc, connectFor } from "../chain/rpc.ts";
import { type Seen, viewFunction } from "../chain/views.ts";
import type { ServiceContext } from "../context.ts";
import { ledgerOf } from "../db/ledger.ts";
import { findRegistration } from "../db/queries/registrations.ts";
import { exactNear } from "../domain/amounts.ts";
import { invalidField, type ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Issue } from "../domain/issues.ts";
import type { Currency, Phase } from "../domain/settings.ts";

/** An account that a token's contract has to know before it receives units. */
export interface Registration {
  /** The token's account. */
  readonly currency: string;
  readonly account: string;
  /** yoctoNEAR for the account's storage there. */
  readonly deposit: string;
}

/** Most yoctoNEAR for a registration, ten times what tokens usually ask: a contract could ask any amount, and a key name it. */
const MOST_DEPOSIT = 125n * 10n ** 20n;

/** The most decimals that an amount can have. */
const MOST_DECIMALS = 38;

/** Whether the letters and digits of a symbol name a currency; a price in "$NEAR" would read as one in NEAR. */
const isName = (text: string): boolean => /[A-Za-z]/.test(text) && text.toUpperCase() !== "NEAR";

const metadataShape = z.object({
  // One word that begins with no digit or point, because it stands behind an amount. Letters of ASCII alone, since others
  // look like them.
  symbol: z
    .string()
    .regex(/^[A-Za-z$€£¥₮][A-Za-z0-9$€£¥₮._+-]{0,31}$/)
    .refine((text) => isName(text.replaceAll(/[^A-Za-z0-9]/g, ""))),
  decimals: z.int().min(0).max(MOST_DECIMALS),
});
const amount = z.string().regex(/^\d{1,39}$/);
const boundsShape = z.object({ min: amount });

/** Calls of a token's contract; a value of null where it has no such method, or one that fails, at any height. */
const tokenViews = (rpc: ChainRpc, contractId: string) => {
  return async (method: string, args: object = {}): Promise<Seen<unknown>> => {
    try {
      return await viewFunction<unknown>(rpc, { contractId, method, args });
    } catch (error) {
      if (error instanceof ViewError) return { value: null, height: Infinity };
      throw error;
    }
  };
};

/** Units that an account has of a token; null: its contract doesn't say. @throws ChainUnavailableError */
export const unitsOf = async (rpc: ChainRpc, currency: string, account: string): Promise<string | null> => {
  const { value } = await tokenViews(rpc, currency)("ft_balance_of", { account_id: account });
  return amount.safeParse(value).data ?? null;
};

/** A currency as its contract describes it; null if it isn't one. @throws ChainUnavailableError */
export const readCurrency = async (context: ServiceContext, contractId: string): Promise<Currency | null> => {
  const view = tokenViews(connectFor(context), contractId);
  const [metadata, supply] = await Promise.all([view("ft_metadata"), view("ft_total_supply")]);
  const read = metadataShape.safeParse(metadata.value);
  if (!read.success || !amount.safeParse(supply.value).success) return null;
  return { contract_id: contractId, ...read.data };
};

/** The refusal of what is no currency. */
export const noCurrency = (path: Issue["path"], name: string): ServiceError =>
  invalidField(
    path,
    `Name the contract of a NEP-141 token with decimals and a symbol of ASCII letters and digits other than NEAR (NEP-148), which ${name} is not.`,
  );

/**
 * What registers an account at a token; null if it is registered, or the token has no registration (NEP-145). A token is paid
 * for an account once: its word that the account isn't registered could be a lie.
 * @throws ServiceError invalid_request if the token asks too much, or was paid before; ChainUnavailableError
 */
export const readRegistration = async (
  context: ServiceContext,
  integrationId: Uuid,
  { currency, account }: { readonly currency: string; readonly account: string },
  path: Issue["path"],
): Promise<Registration | null> => {
  const view = tokenViews(connectFor(context), currency);
  const [held, found] = await Promise.all([
    view("storage_balance_of", { account_id: account }),
    view("storage_balance_bounds"),
  ]);
  const bounds = boundsShape.safeParse(found.value);
  if (held.value !== null || !bounds.success) return null;
  const paid = await findRegistration(ledgerOf(context, integrationId), { currency, account });
  if (paid && paid.state !== "pending") {
    // A node that lags doesn't show it yet.
    if (held.height < (paid.height ?? 0)) return null;
    throw invalidField(
      path,
      `Name another token, or register ${account} at ${currency} yourself (storage_deposit): the service has paid for it, and the token says that the account is not registered.`,
    );
  }
  const deposit = BigInt(bounds.data.min);
  if (deposit <= MOST_DEPOSIT) return { currency, account, deposit: deposit.toString() };
  throw invalidField(
    path,
    `Name another token, or register ${account} there: ${currency} asks ${exactNear(deposit.toString())} NEAR for it, and the service pays at most ${exactNear(MOST_DEPOSIT.toString())}.`,
  );
};

/** What phases need to know of their currencies. */
interface Currencies {
  /** A phase with the metadata of its currency. */
  readonly described: (phase: Phase) => Phase;
  /** What registers the collection's contract at the tokens. */
  readonly registrations: readonly Registration[];
}

/**
 * Reads the currencies of phases from their contracts.
 * @throws ServiceError invalid_request that names the first that is no currency; ChainUnavailableError
 */
export const readCurrencies = async (
  context: ServiceContext,
  integrationId: Uuid,
  contract: string,
  phases: readonly Phase[],
): Promise<Currencies> => {
  const names = new Set(phases.flatMap(({ currency }) => currency?.contract_id ?? []));
  const read = await Promise.all(
    Array.from(names, async (name) => {
      const index = phases.findIndex(({ currency }) => currency?.contract_id === name);
      const path = ["phases", index, "currency"];
      const currency = await readCurrency(context, name);
      if (currency)
        return {
          currency,
          registration: await readRegistration(
            context,
            integrationId,
            { currency: name, account: contract },
            path,
          ),
        };
      throw noCurrency(path, name);
    }),
  );
  const byName = new Map(read.map(({ currency }) => [currency.contract_id, currency]));
  return {
    described: (phase) => ({
      ...phase,
      currency: phase.currency && (byName.get(phase.currency.contract_id) ?? phase.currency),
    }),
    registrations: read.flatMap(({ registration }) => registration ?? []),
  };
};
