import type { Currency } from "../../client/src/index.ts";

/** Least mint fee above zero, yoctoNEAR: the contract keeps what a token's storage costs. The service has the same rule. */
const LEAST_FEE = 270n * 10n ** 19n;
const MAX_U128 = 2n ** 128n - 1n;

/** What was read, or a sentence that says what to do. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

/** An amount of NEAR such as `1.5` or `1.5 NEAR`, as a decimal string of yoctoNEAR. */
export function readNear(text: string): Read<string> {
  const match = /^(\d{1,15})(?:\.(\d{1,24}))?(?:\s*(?:NEAR|Ⓝ))?$/i.exec(text);
  if (!match) return { problem: `give an amount of NEAR, such as "1.5"; it is "${text}"` };
  const yocto = BigInt(`${match[1]}${(match[2] ?? "").padEnd(24, "0")}`);
  if (yocto > MAX_U128) return { problem: "give fewer NEAR: the amount is out of range" };
  return { value: yocto.toString() };
}

/** A price: an amount of NEAR, or `free`, as a decimal string of yoctoNEAR. */
export function readPrice(text: string): Read<string> {
  if (/^free$/i.test(text)) return { value: "0" };
  if (!/^\d/.test(text))
    return { problem: `give an amount of NEAR, such as "1.5 NEAR", or "free"; it is "${text}"` };
  const read = readNear(text);
  if ("value" in read && read.value !== "0" && BigInt(read.value) < LEAST_FEE) {
    return { problem: 'give "free" or at least 0.0027 NEAR, which pays for the storage of an NFT' };
  }
  return read;
}

/** Tokens by their accounts, as their contracts describe them. */
export type Currencies = ReadonlyMap<string, Currency>;

/** A price in whole units of a token, with its symbol (null: without): `5`, `2.50 USDC`. */
export function readUnits(text: string): Read<{ readonly units: string; readonly symbol: string | null }> {
  const match = /^(\d{1,39}(?:\.\d{1,38})?)(?:\s+(\S{1,32}))?$/.exec(text);
  if (!match)
    return { problem: `give an amount of the currency, such as "5" or "2.50 USDC"; it is "${text}"` };
  const [, units = "", symbol = null] = match;
  if (!/[1-9]/.test(units)) return { problem: "give more than 0, or free and no currency" };
  return { value: { units, symbol } };
}

/** Whole units of a token as its smallest ones. */
function smallestUnits(units: string, decimals: number): Read<string> {
  const [whole = "", fraction = ""] = units.split(".");
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > decimals) return { problem: `give at most ${decimals} decimals; it is "${units}"` };
  const amount = BigInt(whole + digits.padEnd(decimals, "0"));
  return amount > MAX_U128
    ? { problem: "give less: the amount is out of range" }
    : { value: amount.toString() };
}

/** A price in a token as its smallest units. */
export const readPriceIn =
  ({ contract_id: account, symbol, decimals }: Currency) =>
  (text: string): Read<string> => {
    const read = readUnits(text);
    if ("problem" in read) return read;
    if (read.value.symbol !== null && read.value.symbol !== symbol)
      return { problem: `the token ${account} is called ${symbol}, not ${read.value.symbol}` };
    return smallestUnits(read.value.units, decimals ?? 0);
  };

/** Basis points of `12.5%`, `12.5 %` or `12.5`; null for anything else. At most two decimals. */
export function readPercent(text: string): number | null {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?\s*%?$/.exec(text);
  return match ? Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0")) : null;
}

/** Smallest units as whole ones, every digit of them. */
export function unitsText(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, "");
  return `${digits.slice(0, point)}${fraction && `.${fraction}`}`;
}

/** yoctoNEAR as NEAR. */
export const nearText = (yocto: string): string => (yocto === "0" ? "free" : `${unitsText(yocto, 24)} NEAR`);

/** A price with what it is in. @param currency null: NEAR */
export function priceText(amount: string, currency: Currency | null): string {
  if (currency === null) return nearText(amount);
  const { contract_id: account, symbol, decimals } = currency;
  return symbol === null || decimals === null
    ? `${amount} of the smallest units of ${account}`
    : `${unitsText(amount, decimals)} ${symbol} (${account})`;
}
