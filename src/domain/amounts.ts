/** yoctoNEAR: amounts are decimal strings outside and bigints inside, since 2^53 is less than a millionth of a NEAR. */

import { BYTE_PRICE, TOKEN_BYTES } from "./promised-bytes.ts";

const MAX_U128 = 2n ** 128n - 1n;

/** The highest cost of a token's storage. The contract keeps it from every mint fee, so a fee is zero or at least this. */
export const TOKEN_STORAGE_PRICE = BigInt(TOKEN_BYTES) * BYTE_PRICE;

/** What a u128 holds, or a little less. */
export const YOCTO_PATTERN = "^(0|[1-9][0-9]{0,37}|[12][0-9]{38}|3[0-3][0-9]{37})$";

/** Why a text is not an amount of yoctoNEAR, as an instruction; null: it is one. */
export const yoctoProblem = (text: string): string | null => {
  if (!/^(?:0|[1-9]\d*)$/.test(text)) {
    return 'Give yoctoNEAR as a string of decimal digits without leading zeros, such as "1000000000000000000000000" for 1 NEAR.';
  }
  const isTooLarge = text.length > MAX_U128.toString().length || BigInt(text) > MAX_U128;
  return isTooLarge ? `Give at most ${MAX_U128} yoctoNEAR: the chain has no larger amounts.` : null;
};

/** Why a text can't be a price in a currency, as an instruction; null: it can. */
export const priceProblem = (text: string): string | null => {
  if (!/^[1-9]\d*$/.test(text)) {
    return "Give at least 1 of the currency's smallest units, as a string of decimal digits. What is free is free in NEAR.";
  }
  const isTooLarge = text.length > MAX_U128.toString().length || BigInt(text) > MAX_U128;
  return isTooLarge ? `Give at most ${MAX_U128}: a token has no larger amounts.` : null;
};

/** Why a text can't be a mint fee, as an instruction; null: it can. */
export const mintFeeProblem = (text: string): string | null => {
  const problem = yoctoProblem(text);
  if (problem !== null) return problem;
  const amount = BigInt(text);
  if (amount > 0n && amount < TOKEN_STORAGE_PRICE) {
    return `Give "0" or at least "${TOKEN_STORAGE_PRICE}" (0.0027 NEAR), which pays for a token's storage.`;
  }
  return null;
};

/** Smallest units as whole ones with all the decimals that they have: a price is never rounded. */
export const exactUnits = (amount: string, decimals: number): string => {
  const digits = amount.padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point && digits[end - 1] === "0") end -= 1;
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
};

/** yoctoNEAR as NEAR. */
export const exactNear = (yocto: string): string => exactUnits(yocto, 24);
