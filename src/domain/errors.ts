import { duration } from "./counted.ts";
import { fieldName, firstOf, type Issue } from "./issues.ts";
import { MEDIA_NAMES } from "./media-sniffing.ts";

/**
 * Controls that can refuse a request. `rate`: requests in a period. `spending`: NEAR of the wallet in a day. `size`: bytes of a
 * request or a file. `storage`: what an integration has stored.
 */
export const CONTROLS = ["rate", "spending", "size", "storage"] as const;

export interface ErrorDefinition {
  /** HTTP status of the response (RFC 9110). */
  readonly status: 400 | 401 | 402 | 403 | 404 | 405 | 406 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503;
  /** The control that rejected the request, which every response with this code names. All codes of 429 have one. */
  readonly limit?: (typeof CONTROLS)[number];
  /** Cause, for the reference. */
  readonly cause: string;
  /** What the caller should do, for the reference. */
  readonly remedy: string;
}

/** The effect of a chain operation that failed. `final`: an effect that won't change. */
export type ChainOutcome = "not_submitted" | "failed_on_chain" | "unknown" | "final";

/** A limit of the integration that a request would exceed, by its name among `limits` of GET /me. */
export interface ExceededQuota {
  readonly limit: string;
  readonly used: number;
  readonly max: number;
}

/** The present possible cost of a write, and its limit, yoctoNEAR. */
export interface ExceededCost {
  readonly needed: string;
  readonly at_most: string;
}

/** Fields of an error in addition to its code and message. */
export interface ErrorDetails {
  readonly cost?: ExceededCost;
  readonly quota?: ExceededQuota;
  /** The problems. The response lists the first hundred; the message counts the others. */
  readonly issues?: readonly Issue[];
  /** Number of problems that are not in `issues`. */
  readonly moreIssues?: number;
  readonly outcome?: ChainOutcome;
  readonly retryable?: boolean;
  /** Seconds until a retry makes sense; becomes Retry-After. */
  readonly retryAfter?: number;
  /** The operation that continues, or that failed. */
  readonly operationUuid?: string;
  /** The internal error, for the log only. */
  readonly cause?: unknown;
}

/** The closed list of errors. Statuses, the OpenAPI responses and docs/errors.md are derived from this table. */

export const ERRORS = {
  invalid_request: {
    status: 400,
    cause: "A field of the body, path or query is missing, unknown or out of bounds.",
    remedy: "Correct the fields that `issues` names and send the request again.",
  },
  invalid_json: {
    status: 400,
    cause: "The body, or a part that must be JSON, isn't valid JSON, or the body is incomplete.",
    remedy: "Send valid JSON in UTF-8.",
  },
  invalid_multipart: {
    status: 400,
    cause: "The multipart body is malformed, incomplete or has no usable boundary.",
    remedy: "Send a complete multipart/form-data body (RFC 7578).",
  },
  invalid_assets: {
    status: 400,
    cause: "assets_detail doesn't match the form's files, or a file is of the wrong kind.",
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
    cause:
      "The file at asset_file_url or reference_file_url can't be fetched, is too large or of the wrong kind.",
    remedy: "Give an https address that returns the file itself. Nothing was sent to the chain.",
  },
  api_key_missing: {
    status: 401,
    cause: "There is no Authorization header.",
    remedy: "Send the header `Authorization: Api-Key <API_KEY>` or `Authorization: Bearer <API_KEY>`.",
  },
  api_key_invalid: {
    status: 401,
    cause: "The Authorization header is malformed, or its key is unknown.",
    remedy: "Check the key. It begins with `mk_live_`, or with `mk_test_` where the network is testnet.",
  },
  api_key_expired: {
    status: 401,
    cause: "The key has expired.",
    remedy: "Make a new key with one that has the scope `full`, or ask the operator for one.",
  },
  api_key_revoked: {
    status: 401,
    cause: "The key was deleted, or was replaced by a rotation more than 24 hours ago.",
    remedy: "Use the new key, or ask the operator for one.",
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
      "Send at least the missing amount to the wallet's account and try again, with the same Idempotency-Key if you like.",
  },
  contract_storage_unpaid: {
    status: 402,
    cause: "The contract account's free balance can't pay for the storage that the request needs.",
    remedy: "Send NEAR to the contract's account, or fund the wallet that tops it up, and try again.",
  },
  spending_limit_reached: {
    status: 402,
    limit: "spending",
    cause:
      "The write would exceed the spending limit of today, of the integration or of the key, or register more accounts at tokens than the eight that the service pays for in 24 hours. Nothing was sent; with the outcome `failed_on_chain`, what was sent had no effect.",
    remedy:
      "Wait as long as Retry-After says: until the next day (UTC), or 24 hours after one of the registrations. Or use a key with a higher `spending_per_day`, or ask the operator to raise the integration's; register accounts yourself (`storage_deposit`). The message says which limit it is, and GET /me shows those of spending.",
  },
  cost_exceeds_maximum: {
    status: 402,
    cause:
      "The write could now cost more than its quote or `Mintage-Max-Cost` allows, including top-ups and higher gas prices. Nothing above that limit was signed.",
    remedy: "Request a new quote, or set the limit to at least `cost.needed`.",
  },
  scope_missing: {
    status: 403,
    cause: "The key lacks the scope that the request needs.",
    remedy:
      "Use a key that has the scope. A key with the scope `full` makes one by POST /key, and so can the operator.",
  },
  collection_not_allowed: {
    status: 403,
    cause:
      "The key is limited to other collections, or to collections where the request concerns the whole integration.",
    remedy:
      "Use a key for this collection, or one without a limit. A key with the scope `full` makes one by POST /key, and so can the operator.",
  },
  confirmation_required: {
    status: 403,
    cause:
      "A tool of POST /mcp: the write may cost more than the key's `confirm_above`, or changes something for ever, and no person has confirmed it. Nothing was sent.",
    remedy: "A person has to confirm the write (docs/agents.md).",
  },
  key_rights_exceeded: {
    status: 403,
    cause: "A key would make, rotate or delete a key that may do more than itself.",
    remedy:
      "Correct the fields that `issues` names, or use a key that may do as much. The operator can make any key.",
  },
  integration_suspended: {
    status: 403,
    cause: "The operator has suspended the integration that the key belongs to.",
    remedy: "Ask the operator to resume it. Operations that were already accepted continue.",
  },
  quota_exceeded: {
    status: 403,
    limit: "storage",
    cause: "The request would exceed a limit of the integration: drafts, files, database share or keys.",
    remedy:
      "Free some of what `quota` names, or ask the operator to raise the limit. GET /me shows all limits.",
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
    cause: "The Accept header excludes every type that this address can return.",
    remedy: "Accept application/json.",
  },
  draft_locked: {
    status: 409,
    cause: "The draft's finalization has begun or ended, so the draft can't change.",
    remedy: "Create a new draft, or update the collection.",
  },
  draft_finalized: {
    status: 409,
    cause: "The draft is already finalized as a collection.",
    remedy: "Use the collection that the draft names.",
  },
  draft_empty: {
    status: 409,
    cause: "The draft has no assets.",
    remedy: "Attach assets with asset-bulk before finalizing.",
  },
  sold_out: {
    status: 409,
    cause: "The collection has fewer copies left than requested.",
    remedy: "Mint fewer copies, or mint from another collection.",
  },
  payout_account_missing: {
    status: 409,
    cause: "The integration has no payout account.",
    remedy: "Ask the operator to set the payout account.",
  },
  conflict: {
    status: 409,
    cause: "The resource's state doesn't allow this.",
    remedy: "Read the message and the resource.",
  },
  quote_expired: {
    status: 409,
    cause: "The quote that `Mintage-Quote` names has expired. Nothing was sent.",
    remedy: "Request a new quote, and send the write with that quote and the same Idempotency-Key.",
  },
  idempotency_key_in_flight: {
    status: 409,
    cause: "A request with the same Idempotency-Key was carried out at the same time.",
    remedy: "Wait for Retry-After seconds and send the same request again.",
  },
  payload_too_large: {
    status: 413,
    limit: "size",
    cause: "The body is larger than this address accepts.",
    remedy: "Send smaller requests: asset-bulk takes at most 100 MB.",
  },
  file_too_large: {
    status: 413,
    limit: "size",
    cause: "A file is too large.",
    remedy: "Shrink the files that `issues` names. Nothing of the request was stored.",
  },
  unsupported_content_type: {
    status: 415,
    cause: "This address doesn't accept the Content-Type.",
    remedy: "Send application/json, or multipart/form-data to asset-bulk.",
  },
  unsupported_media: {
    status: 415,
    cause: `A file's bytes are none of ${MEDIA_NAMES}.`,
    remedy: "Convert the files that `issues` names. Nothing of the request was stored.",
  },
  idempotency_key_reused: {
    status: 422,
    cause: "The Idempotency-Key was used before for another request.",
    remedy: "Use a new key for a new request.",
  },
  quote_mismatch: {
    status: 422,
    cause: "`Mintage-Quote` names no quote for this method, path and body. Nothing was sent.",
    remedy: "Send exactly the write that was quoted, or request a quote for this write.",
  },
  rate_limited: {
    status: 429,
    limit: "rate",
    cause:
      "The key (or the address, if the key is unknown) exceeds its number of requests in a period, or of requests at once.",
    remedy: "Wait for Retry-After seconds and send the same request again.",
  },
  too_many_operations: {
    status: 429,
    limit: "rate",
    cause: "The integration has reached its limit of pending operations. Nothing was sent.",
    remedy:
      "Wait for Retry-After seconds and send the request again, or ask the operator to raise the limit.",
  },
  wallet_busy: {
    status: 429,
    limit: "rate",
    cause:
      "The wallet's queue is full, or pending writes may use all of the wallet's funds or of a daily spending limit. The message says which.",
    remedy: "Wait for Retry-After seconds and send the request again.",
  },
  internal_error: {
    status: 500,
    cause: "The service failed. If the response has an operation_uuid, the request may have been accepted.",
    remedy:
      "Without operation_uuid, try again later and report the request id. With it, read the operation or repeat the request under its Idempotency-Key; don't send it as a new request.",
  },
  transaction_failed: {
    status: 502,
    cause: "The transaction failed on the chain, or the chain refused it permanently.",
    remedy: "Read the message and the operation's transactions. This request minted nothing.",
  },
  outcome_unknown: {
    status: 502,
    cause:
      "The configured nodes can't prove whether the transaction took effect, or the ledger that had the operation was lost.",
    remedy:
      "Don't repeat the request. The operator settles the operation, which shows the transaction; one that was lost is looked for on the chain.",
  },
  not_configured: {
    status: 503,
    cause:
      "The service's settings are missing or wrong. Every address returns this error until they are corrected; if WALLET_SECRETS lacks a version under which a wallet's key is sealed, that wallet's writes do, and nothing of them was sent.",
    remedy:
      "The operator corrects the settings that `issues` of GET /ready names, or adds the version that the message names. The log has the requirements of each.",
  },
  database_unavailable: {
    status: 503,
    cause:
      "The service's database or storage of files doesn't respond, or under `npm start` the service itself. A write may have been carried out, or may still be; if the response has an operation_uuid, as that operation.",
    remedy:
      "Wait for Retry-After seconds and send the same request again, a write with the same Idempotency-Key. Without a key, look for the write's effect before you send it again; with operation_uuid, read the operation.",
  },
  wallet_inactive: {
    status: 503,
    cause:
      "The integration's wallet accepts no new operations: it was lost or is being restored, or its account lacks its key. Nothing was sent.",
    remedy:
      "Send the request again later with the same Idempotency-Key. The operator first has to activate the wallet, or add its key to its account.",
  },
  claims_paused: {
    status: 503,
    cause: "The integration's wallet can't send claims now. Nothing was sent, and the link stays valid.",
    remedy: "Wait for Retry-After seconds and send the same claim again.",
  },
  chain_unavailable: {
    status: 503,
    cause: "No node of the chain is reachable and up to date. Nothing was sent.",
    remedy: "Wait for Retry-After seconds and send the request again.",
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>;

export type ErrorCode = keyof typeof ERRORS;

/** All codes, for z.enum and for tests that go through them. */
export const ERROR_CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** An error that a caller may see. Everything else that is thrown becomes `internal_error` without its text. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  /** @param message one sentence that says what to do */
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

  get status(): ErrorDefinition["status"] {
    return ERRORS[this.code].status;
  }
}

/**
 * The error for a request above a rate limit. It has no `outcome`: it may precede the lookup of an Idempotency-Key.
 * @param why a sentence @param retryAfter seconds
 */
export const rateLimited = (why: string, retryAfter: number): ServiceError => {
  const message = `${why} Wait ${duration(retryAfter)}, then send the same request again.`;
  return new ServiceError("rate_limited", message, { retryable: true, retryAfter });
};

/** The error for one field, which its message names. @param path within the body; empty: the body itself */
export const invalidField = (path: Issue["path"], message: string): ServiceError =>
  new ServiceError("invalid_request", `Correct ${fieldName(path) || "the body"}: ${message}`, {
    issues: [{ path, message }],
  });

/** The error for a write that a resource's state forbids, before anything is sent. */
export const unsentConflict = (message: string): ServiceError =>
  new ServiceError("conflict", message, { outcome: "not_submitted" });

/** The error for a key that another request has or has just used. */
export const keyInFlight = (): ServiceError =>
  new ServiceError(
    "idempotency_key_in_flight",
    "A request with this Idempotency-Key is in progress. Wait, then send the same request again.",
    { retryable: true, retryAfter: 2 },
  );

/** The error for a wallet whose key is sealed under a version that the settings lack. */
export const secretMissing = (version: string, cause: unknown): ServiceError =>
  new ServiceError(
    "not_configured",
    `The operator has to add version ${version} to WALLET_SECRETS again: this wallet's key is sealed under it. Nothing was sent.`,
    { outcome: "not_submitted", retryable: false, cause },
  );

/** The error for a request of a suspended integration. */
export const suspended = (): ServiceError =>
  new ServiceError(
    "integration_suspended",
    "The operator has suspended this integration. Ask the operator to resume it.",
  );

/** Retry-After of `database_unavailable`, seconds. With it the client's six repetitions outlast D1's outages of 80 s. */
export const DATABASE_RETRY_AFTER = 10;

/**
 * The error for a database that doesn't answer, which may have carried out a write.
 * @param mayWrite whether the request may have changed something @param what the subject of a sentence
 */
export const databaseUnavailable = (
  mayWrite: boolean,
  cause: unknown,
  what = "The database",
): ServiceError => {
  const message = mayWrite
    ? `${what} doesn't answer, and may have carried out the request or do so yet. Send it again with the same Idempotency-Key; without one, look for its effect first.`
    : `${what} doesn't answer. Send the request again.`;
  return new ServiceError("database_unavailable", message, {
    ...(mayWrite && { outcome: "unknown" }),
    retryable: true,
    retryAfter: DATABASE_RETRY_AFTER,
    cause,
  });
};

/** The body of an error's response. */
export const errorBody = (error: ServiceError, requestId: string) => {
  const { cost, issues, outcome, quota, retryable, operationUuid } = error.details;
  const { limit }: ErrorDefinition = ERRORS[error.code];
  return {
    message: error.message,
    code: error.code,
    request_id: requestId,
    ...(limit && { limit }),
    ...(issues && { issues }),
    ...(quota && { quota }),
    ...(cost && { cost }),
    ...(outcome && { outcome }),
    ...(retryable !== undefined && { retryable }),
    ...(operationUuid && { operation_uuid: operationUuid }),
  };
};
