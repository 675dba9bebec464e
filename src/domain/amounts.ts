/** yoctoNEAR: amounts are decimal strings outside and bigints inside, since 2^53 is less than a millionth of a NEAR. */

const MAX_U128 = 2n ** 128n - 1n;

/**
 * What a token's storage costs at most: a fixed 270 bytes at 1e19 yoctoNEAR each. It stays in the contract of every mint
 * fee, so that a fee is either nothing or at least this.
 */
export const TOKEN_STORAGE_PRICE = 270n * 10n ** 19n;

/** Reads a decimal string of yoctoNEAR; null if it is not one or exceeds what the chain counts in (u128). */
export const parseYocto = (text: string): bigint | null => {
  if (!/^(?:0|[1-9]\d{0,38})$/.test(text)) return null;
  const amount = BigInt(text);
  return amount <= MAX_U128 ? amount : null;
};

/** Why a text can't be a mint fee, as a sentence that says what to do; null if it can. */
export const mintFeeProblem = (text: string): string | null => {
  const amount = parseYocto(text);
  if (amount === null) {
    return 'Give yoctoNEAR as a string of decimal digits without leading zeros, such as "1000000000000000000000000" for 1 NEAR.';
  }
  if (amount > 0n && amount < TOKEN_STORAGE_PRICE) {
    return `Give "0" or at least "${TOKEN_STORAGE_PRICE}" (0.0027 NEAR), which pays for a token's storage.`;
  }
  return null;
};

/** yoctoNEAR as NEAR with all the decimals that it has: a price is never rounded. */
export const exactNear = (yocto: string): string => {
  const digits = yocto.padStart(25, "0");
  let end = digits.length;
  while (end > digits.length - 24 && digits[end - 1] === "0") end -= 1;
  const decimals = digits.slice(-24, end);
  return decimals === "" ? digits.slice(0, -24) : `${digits.slice(0, -24)}.${decimals}`;
};
