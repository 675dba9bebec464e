/**
 * NEAR account ids (https://docs.near.org/protocol/account-id): parts of lower-case letters and digits, separated by single
 * `-`, `_` or `.`. Implicit ids (64 hexadecimal digits) and `0x` ids fulfil the same rule.
 */
const SHAPE = /^(?:[a-z\d]+[-_])*[a-z\d]+(?:\.(?:[a-z\d]+[-_])*[a-z\d]+)*$/;

const MIN_LENGTH = 2;
const MAX_LENGTH = 64;

export const isAccountId = (text: string): boolean =>
  text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && SHAPE.test(text);

/** Whether an account is created by the first transfer to it, so that it can be paid before it exists. */
export const isImplicitAccountId = (accountId: string): boolean =>
  /^[0-9a-f]{64}$/.test(accountId) || /^0x[0-9a-f]{40}$/.test(accountId);

/**
 * Whether nobody can have an account: `system` sends the protocol's own receipts (nearcore, `AccountId::is_system`), and
 * only it could create an account below itself.
 */
export const isSystemAccountId = (accountId: string): boolean => /(?:^|\.)system$/.test(accountId);
