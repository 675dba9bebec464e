/** NEAR's rules for account ids (https://nomicon.io/DataStructures/Account#account-id-rules) and their kinds. */

const ACCOUNT_ID = /^(?:[a-z\d]+[-_])*[a-z\d]+(?:\.(?:[a-z\d]+[-_])*[a-z\d]+)*$/;

/** Whether a string is an account id: 2 to 64 characters, lower case, separators single and inside. */
export function isAccountId(id: string): boolean {
  return id.length >= 2 && id.length <= 64 && ACCOUNT_ID.test(id);
}

/** The account in whose name the protocol itself acts, in refunds. */
export const SYSTEM = "system";

export type AccountKind = "named" | "near-implicit" | "eth-implicit" | "deterministic" | "universal";

/** What kind of account an id names: some kinds come into being by a transfer alone. */
export function accountKind(id: string): AccountKind {
  if (/^[0-9a-f]{64}$/.test(id)) return "near-implicit";
  if (/^0x[0-9a-f]{40}$/.test(id)) return "eth-implicit";
  if (/^0s[0-9a-f]{40}$/.test(id)) return "deterministic";
  // 256 bits in Crockford's base32: of the last digit's five bits four are padding, and zero.
  if (/^0u[\da-hjkmnp-tv-z]{51}[0g]$/.test(id)) return "universal";
  return "named";
}

/** Whether a transfer to the id creates the account, from the protocol version on that knows its kind. */
export const isImplicit = (id: string): boolean => accountKind(id) !== "named";

export function isTopLevel(id: string): boolean {
  return !id.includes(".");
}

/** Whether `id` is exactly one level below `parent`: only an account itself creates its sub-accounts. */
export function isSubAccountOf(id: string, parent: string): boolean {
  return id.endsWith(`.${parent}`) && !id.slice(0, -parent.length - 1).includes(".");
}
