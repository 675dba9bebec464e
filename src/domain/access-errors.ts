/** What a code stands for. */
export interface ErrorDefinition {
  /** HTTP status of the answer (RFC 9110). */
  readonly status: 400 | 401 | 402 | 403 | 404 | 405 | 406 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503;
  /** What brings it about, for the reference. */
  readonly cause: string;
  /** What the caller does about it, for the reference. */
  readonly remedy: string;
}

/** A table of codes, with each code as its type has it. */
export const define = <T extends Record<string, ErrorDefinition>>(table: T): T => table;

/** Codes of requests whose key or token is missing or not taken. */
export const ACCESS_ERRORS = define({
  api_key_missing: {
    status: 401,
    cause: "There is no Authorization header.",
    remedy: "Send the header `Authorization: Api-Key <API_KEY>`.",
  },
  api_key_invalid: {
    status: 401,
    cause: "The Authorization header is malformed, or its key is unknown.",
    remedy: "Check the key. It begins with `mk_live_`.",
  },
  api_key_expired: {
    status: 401,
    cause: "The key has expired.",
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
});
