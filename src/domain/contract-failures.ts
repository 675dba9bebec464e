import type { ErrorCode } from "./errors.ts";

/** What each code of docs/contract.md means to callers of the API; a test compares the two lists. */
export const MEANINGS = {
  E_UNAUTHORIZED: "transaction_failed",
  E_ONE_YOCTO: "transaction_failed",
  E_INVALID_ARGUMENT: "invalid_request",
  E_COLLECTION_NOT_FOUND: "conflict",
  E_TOKEN_NOT_FOUND: "not_found",
  E_NOT_PUBLISHED: "conflict",
  E_ALREADY_PUBLISHED: "conflict",
  E_EXTERNAL_ID_TAKEN: "conflict",
  E_SOLD_OUT: "sold_out",
  E_STORAGE_BALANCE: "contract_storage_unpaid",
  E_NO_DIRECT_MINT: "transaction_failed",
  E_MINT_NOT_STARTED: "transaction_failed",
  E_MINT_ENDED: "transaction_failed",
  E_NOT_ALLOWLISTED: "transaction_failed",
  E_MINT_LIMIT: "transaction_failed",
  E_OTHER_CURRENCY: "conflict",
  E_PRICE_TOO_HIGH: "transaction_failed",
  E_DEPOSIT_TOO_SMALL: "transaction_failed",
  E_GAS_TOO_LOW: "transaction_failed",
  E_STAFF_QUOTA: "transaction_failed",
  E_UPGRADE_NOT_DUE: "conflict",
  E_TRANSFERS_DISABLED: "conflict",
  E_TRANSFER_DENIED: "conflict",
  E_APPROVALS_DISABLED: "transaction_failed",
  E_APPROVAL_DENIED: "transaction_failed",
  E_APPROVAL_STALE: "transaction_failed",
  E_LOCKED: "conflict",
  E_ALREADY_REVEALED: "conflict",
  E_DRAW_HIDDEN: "conflict",
  E_DROP_NOT_FOUND: "not_found",
  E_DROP_EXPIRED: "conflict",
  E_DROP_OPEN: "conflict",
  E_DROP_RESERVE: "contract_storage_unpaid",
  E_LINK_CLAIMED: "conflict",
  E_CLAIM_INVALID: "invalid_request",
  E_TOO_MANY: "invalid_request",
  E_MIGRATION: "conflict",
  E_INTERNAL: "transaction_failed",
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** Arguments of the contract that the API's requests have under other names. */
const FIELDS: Readonly<Record<string, string>> = {
  asset_index: "asset_uuid",
  receiver_ids: "receiver_addresses",
  quantities: "quantity_per_receiver",
  account_ids: "accounts",
  expires_at_ms: "expires_at",
};

/** The contract's message with the API's names of fields. */
export const inFieldsOfApi = (said: string): string =>
  said.replaceAll(
    /\b(?:asset_index|receiver_ids|quantities|account_ids|expires_at_ms)\b/g,
    (name) => FIELDS[name] ?? name,
  );

/** The contract's code in a text that it returns or fails with, `E_CODE: sentence`; null: it has none. */
export const codeIn = (said: string): string | null => /^(E_[A-Z0-9_]+): /.exec(said)?.[1] ?? null;

/** The service's code for a failure of the contract; null is a failure that is not the contract's own. */
export const errorCodeOf = (contractCode: string | null): ErrorCode =>
  contractCode !== null && Object.hasOwn(MEANINGS, contractCode)
    ? MEANINGS[contractCode as keyof typeof MEANINGS]
    : "transaction_failed";
