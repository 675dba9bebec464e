/**
 * NEAR account ids (https://docs.near.org/protocol/account-id): parts of lower-case letters and digits, separated by single
 * `-`, `_` or `.`. Implicit ids (64 hexadecimal digits) and `0x` ids fulfil the same rule.
 */
const SHAPE = /^(?:[a-z\d]+[-_])*[a-z\d]+(?:\.(?:[a-z\d]+[-_])*[a-z\d]+)*$/;

const MIN_LENGTH = 2;
const MAX_LENGTH = 64;

export const isAccountId = (text: string): boolean =>
  text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && SHAPE.test(text);

/**
 * Ids of a key, an Ethereum address, a state (NEP-616), and, in 52 digits of Crockford's base32, a set of keys (`0u`, from protocol
 * version 88).
 */
const IMPLICIT = /^(?:[\da-f]{64}|0[xs][\da-f]{40}|0u[\da-hjkmnp-tv-z]{51}[0g])$/;

/** Whether an account is created by the first transfer to it, so that it can be paid before it exists. */
export const isImplicitAccountId = (accountId: string): boolean => IMPLICIT.test(accountId);

/**
 * Whether nobody can have an account: `system` sends the protocol's own receipts (nearcore, `AccountId::is_system`), and
 * only it could create an account below itself.
 */
export const isSystemAccountId = (accountId: string): boolean => /(?:^|\.)system$/.test(accountId);
