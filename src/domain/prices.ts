import { exactNear, exactUnits } from "./amounts.ts";
import type { Currency } from "./settings.ts";

/** An amount in its own currency, exactly: never converted into another one, never rounded. @param currency null: NEAR */
export const shownAmount = (amount: string, currency: Currency | null): string => {
  if (currency === null) return `${exactNear(amount)} NEAR`;
  const { symbol, decimals, contract_id: token } = currency;
  return symbol === null || decimals === null
    ? `${amount} units of ${token}`
    : `${exactUnits(amount, decimals)} ${symbol}`;
};

/** A price for collectors. */
export const shownPrice = (fee: string, currency: Currency | null): string =>
  fee === "0" ? "Free" : shownAmount(fee, currency);
