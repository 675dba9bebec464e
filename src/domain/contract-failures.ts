import type { ErrorCode } from "./errors.ts";

/**
 * What a failure of the contract means to the caller of the API. The codes are the closed list of docs/contract.md;
 * what is not here reaches the caller as `transaction_failed` with the contract's own sentence.
 */
const MEANINGS: Readonly<Record<string, ErrorCode>> = {
  E_SOLD_OUT: "sold_out",
  E_STORAGE_BALANCE: "contract_storage_unpaid",
  E_TOKEN_NOT_FOUND: "not_found",
  E_COLLECTION_NOT_FOUND: "conflict",
  E_NOT_PUBLISHED: "conflict",
  E_ALREADY_PUBLISHED: "conflict",
  E_EXTERNAL_ID_TAKEN: "conflict",
  E_INVALID_ARGUMENT: "invalid_request",
  E_TOO_MANY: "invalid_request",
};

/** The service's code for a failure of the contract; null is a failure that is not the contract's own. */
export const errorCodeOf = (contractCode: string | null): ErrorCode =>
  (contractCode === null ? undefined : MEANINGS[contractCode]) ?? "transaction_failed";
