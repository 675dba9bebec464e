import { firstOf, type Issue } from "./issues.ts";
import { MEDIA_NAMES } from "./media-sniffing.ts";

/**
 * The closed list of errors that Mintage answers with. Statuses, the OpenAPI responses and the reference page
 * (docs/errors.md) are derived from this table, so that a code can't be in one and be missing from another.
 */

/** How far a chain operation had come when it failed. `final` is an effect that will not change any more. */
export type ChainOutcome = "not_submitted" | "failed_on_chain" | "unknown" | "final";

interface ErrorDefinition {
  /** HTTP status of the answer (RFC 9110). */
  readonly status: 400 | 401 | 402 | 403 | 404 | 405 | 406 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503;
  /** What brings it about, for the reference. */
  readonly cause: string;
  /** What the caller does about it, for the reference. */
  readonly remedy: string;
}

const define = <T extends Record<string, ErrorDefinition>>(table: T): T => table;

/** Every code with its status, cause and remedy. */
export const ERRORS = define({
  invalid_request: {
    status: 400,
    cause: "A field of the body, the path or the query is missing, unknown or out of its bounds.",
    remedy: "Correct the fields that `issues` names and send the request again.",
  },
  invalid_json: {
    status: 400,
    cause: "The body is not JSON, or a part that has to be JSON isn't.",
    remedy: "Send valid JSON in UTF-8.",
  },
  invalid_multipart: {
    status: 400,
    cause: "The multipart body is malformed, cut off or has no usable boundary.",
    remedy: "Send a complete multipart/form-data body as RFC 7578 describes it.",
  },
  invalid_assets: {
    status: 400,
    cause: "assets_detail and the files of the form don't fit together, or a file is not what it should be.",
    remedy: "Correct every entry that `issues` names. Nothing of the request was stored.",
  },
  unknown_account: {
    status: 400,
    cause: "An account that would receive money or tokens does not exist on the chain.",
    remedy: "Correct the account ids that `issues` names, or create the accounts first.",
  },
  mint_limit_exceeded: {
    status: 400,
    cause: "receiver_addresses times quantity_per_receiver is more than 25.",
    remedy: "Split the mint into several calls of at most 25 tokens each.",
  },
  asset_url_failed: {
    status: 400,
    cause: "asset_file_url or reference_file_url can't be fetched, is too large or not what it should be.",
    remedy: "Give an https address that answers with the file itself. Nothing was sent to the chain.",
  },
  api_key_missing: {
    status: 401,
    cause: "There is no Authorization header.",
    remedy: "Send the header `Authorization: Api-Key <API_KEY>`.",
  },
  api_key_invalid: {
    status: 401,
    cause: "The Authorization header is malformed or its key is not known.",
    remedy: "Check the key. It begins with `mk_live_`.",
  },
  api_key_expired: {
    status: 401,
    cause: "The key has passed its expiry.",
    remedy: "Ask the operator for a new key.",
  },
  api_key_revoked: {
    status: 401,
    cause: "The key was revoked.",
    remedy: "Ask the operator for a new key.",
  },
  admin_token_invalid: {
    status: 401,
    cause: "The operator's bearer token is missing or wrong.",
    remedy: "Send `Authorization: Bearer <token>` with the token the service was configured with.",
  },
  insufficient_funds: {
    status: 402,
    cause: "The integration wallet can't pay for the operation. Nothing was sent.",
    remedy:
      "Send at least the missing amount to the wallet's account and try again, under the same Idempotency-Key if you like.",
  },
  contract_storage_unpaid: {
    status: 402,
    cause: "The contract account's free balance can't cover the storage of what was asked.",
    remedy: "Send NEAR to the contract's account, or fund the wallet that tops it up, and try again.",
  },
  read_only_key: {
    status: 403,
    cause: "A key of role `read` was used for a write.",
    remedy: "Use a key of role `full`.",
  },
  quota_exceeded: {
    status: 403,
    cause:
      "The integration has used up a limit: its drafts, its files, its share of the database, or its keys.",
    remedy:
      "Free some of what `quota` names, or ask the operator to raise the limit. GET /me shows them all.",
  },
  not_found: {
    status: 404,
    cause: "There is no such resource, or it belongs to another integration.",
    remedy: "Check the address and the id.",
  },
  method_not_allowed: {
    status: 405,
    cause: "The address exists, but not with this method.",
    remedy: "Use one of the methods in the Allow header.",
  },
  not_acceptable: {
    status: 406,
    cause: "The Accept header allows none of the types this address can answer with.",
    remedy: "Accept application/json.",
  },
  draft_locked: {
    status: 409,
    cause: "The draft's finalization has begun or is over, so that it can't be changed.",
    remedy: "Create a new draft, or update the collection.",
  },
  draft_finalized: {
    status: 409,
    cause: "The draft has become a collection already.",
    remedy: "Use the collection that the draft names.",
  },
  draft_empty: {
    status: 409,
    cause: "The draft has no assets.",
    remedy: "Attach assets with asset-bulk before finalizing.",
  },
  sold_out: {
    status: 409,
    cause: "The collection has fewer copies left than were asked for.",
    remedy: "Mint fewer, or into another collection.",
  },
  conflict: {
    status: 409,
    cause: "The resource is in a state that does not allow this.",
    remedy: "Read the resource and decide again.",
  },
  idempotency_key_in_flight: {
    status: 409,
    cause: "A request with the same Idempotency-Key is still being worked on.",
    remedy: "Wait for Retry-After seconds and send the same request again.",
  },
  payload_too_large: {
    status: 413,
    cause: "The body is larger than the address takes.",
    remedy: "Send less at once: at most 100 MB to asset-bulk.",
  },
  file_too_large: {
    status: 413,
    cause: "A file is above its limit.",
    remedy: "Make the files that `issues` names smaller. Nothing of the request was stored.",
  },
  unsupported_content_type: {
    status: 415,
    cause: "The Content-Type is not one that the address takes.",
    remedy: "Send application/json, or multipart/form-data to asset-bulk.",
  },
  unsupported_media: {
    status: 415,
    cause: `By its bytes a file is none of ${MEDIA_NAMES}.`,
    remedy: "Convert the files that `issues` names. Nothing of the request was stored.",
  },
  idempotency_key_reused: {
    status: 422,
    cause: "The Idempotency-Key was used before with another request.",
    remedy: "Use a new key for a new request.",
  },
  rate_limited: {
    status: 429,
    cause:
      "The key sends more requests than it may, or an address without a key does, or tries keys that nobody has.",
    remedy: "Wait for Retry-After seconds.",
  },
  too_many_operations: {
    status: 429,
    cause: "As many operations of the integration are waiting as may. Nothing was sent.",
    remedy:
      "Wait for Retry-After seconds and send the request again, or ask the operator to raise the limit.",
  },
  wallet_busy: {
    status: 429,
    cause: "The wallet's queue is full, or what waits in it holds all that the wallet can pay.",
    remedy: "Wait for Retry-After seconds and send the request again.",
  },
  internal_error: {
    status: 500,
    cause: "A fault of the service. With an operation_uuid the request may have been accepted all the same.",
    remedy:
      "Without operation_uuid try again later, and report the request id. With it read the operation, or send the same request again under its Idempotency-Key, and never as a new one.",
  },
  transaction_failed: {
    status: 502,
    cause: "The chain executed the transaction and it failed there, or refused it for good.",
    remedy: "Read the message and the operation's transactions. Nothing was minted by this request.",
  },
  outcome_unknown: {
    status: 502,
    cause: "Whether the transaction had an effect can't be proven from the nodes that are configured.",
    remedy: "Don't repeat the request. The operator has to settle it; the operation shows the transaction.",
  },
  wallet_inactive: {
    status: 503,
    cause:
      "The integration's wallet was lost or is being restored, its key is not on its account, or the service's database was taken back in time, so that the wallet takes nothing new. Nothing was sent.",
    remedy:
      "Send the request again later with the same Idempotency-Key; the operator has to activate the wallet, add its key to its account, or recover the database.",
  },
  chain_unavailable: {
    status: 503,
    cause:
      "No node of the chain can be reached, or none that shows new blocks and what is final already. Nothing was sent.",
    remedy: "Wait for Retry-After seconds and send the request again.",
  },
});

/** A code of the closed list. */
export type ErrorCode = keyof typeof ERRORS;

/** All codes, for z.enum and for tests that go through them. */
export const ERROR_CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** A limit of the integration that a request would exceed, by its name among `limits` of GET /me. */
export interface ExceededQuota {
  readonly limit: string;
  readonly used: number;
  readonly max: number;
}

interface ErrorDetails {
  readonly quota?: ExceededQuota;
  /** What is wrong. The answer lists the first hundred; the message counts the others. */
  readonly issues?: readonly Issue[];
  /** Problems that were found and are not among `issues`. */
  readonly moreIssues?: number;
  readonly outcome?: ChainOutcome;
  readonly retryable?: boolean;
  /** Seconds until another try makes sense; becomes Retry-After. */
  readonly retryAfter?: number;
  /** The operation that carries on, or that failed. */
  readonly operationUuid?: string;
  /** What happened inside, for the log only. */
  readonly cause?: unknown;
}

/** An error that a caller may see. Everything else that is thrown becomes `internal_error` without its text. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  /**
   * @param code from the closed list; decides the status
   * @param message one sentence for the caller that says what to do
   */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { issues, more } = firstOf(details.issues ?? []);
    const unlisted = more + (details.moreIssues ?? 0);
    const count =
      unlisted > 0 ? ` \`issues\` lists the first ${issues.length} problems, and ${unlisted} more.` : "";
    super(message + count, { cause: details.cause });
    this.name = "ServiceError";
    this.code = code;
    this.details = details.issues ? { ...details, issues } : details;
  }

  /** The HTTP status that the code stands for. */
  get status(): ErrorDefinition["status"] {
    return ERRORS[this.code].status;
  }
}

/**
 * Another request under the same Idempotency-Key is at work, or was first.
 * @param operationUuid the operation that the key leads to, where there is one
 */
export const keyInFlight = (operationUuid?: string): ServiceError =>
  new ServiceError(
    "idempotency_key_in_flight",
    "A request with this Idempotency-Key is being worked on. Wait and send the same request again.",
    { retryable: true, retryAfter: 2, ...(operationUuid && { operationUuid }) },
  );
