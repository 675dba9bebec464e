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
