import type * as Schema from "./schema.ts";

/** One bad field of a request. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** How far a chain operation had come when it failed. */
export type ChainOutcome = "not_submitted" | "failed_on_chain" | "unknown" | "final";

/** What every error answer says; `code` is from the closed list of the API reference. */
export type ErrorBody = Schema.Error;

/** Anything that went wrong with a call. */
export class MintageError extends Error {
  override readonly name: string = "MintageError";
}

/** The service could not be reached, or did not answer in time, after all retries. */
export class ConnectionError extends MintageError {
  override readonly name = "ConnectionError";
  /** Nothing listens at the address, or no host has its name. */
  readonly isRefused: boolean;

  constructor(message: string, options?: ErrorOptions, isRefused = false) {
    super(message, options);
    this.isRefused = isRefused;
  }
}

/** The service answered with an error. */
export class ApiError extends MintageError {
  override readonly name: string = "ApiError";
  /** HTTP status. */
  readonly status: number;
  /** Code of the closed list, such as `sold_out`; `http_error` where something before the service answered. */
  readonly code: ErrorBody["code"] | "http_error";
  /** The control that refused the request; every 429 names one. Null if none did. */
  readonly limit: ErrorBody["limit"] | null;
  /** To be named when reporting a fault; null if something before the service answered. */
  readonly requestId: string | null;
  readonly issues: readonly Issue[];
  readonly outcome: ChainOutcome | null;
  /** Whether the same request may succeed later. Null if the answer does not say. */
  readonly retryable: boolean | null;
  /** Seconds from Retry-After. */
  readonly retryAfter: number | null;
  readonly operationUuid: string | null;
  /** yoctoNEAR that the write could have cost, and that it may (`cost_exceeds_maximum`); null for other errors. */
  readonly cost: ErrorBody["cost"] | null;

  constructor(status: number, body: Partial<ErrorBody>, headers: Headers) {
    const issues = body.issues ?? [];
    const message = body.message ?? `The address answered with status ${status}.`;
    // A single bad field is named in the message already.
    const unsaid = issues.filter((issue) => issues.length > 1 || !message.includes(issue.message));
    const named = unsaid.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    super([message, ...named].join("\n  "));
    this.status = status;
    this.code = body.code ?? "http_error";
    this.limit = body.limit ?? null;
    this.requestId = body.request_id ?? headers.get("x-request-id");
    this.issues = issues;
    this.outcome = body.outcome ?? null;
    this.retryable = body.retryable ?? null;
    this.retryAfter = retryAfterSeconds(headers);
    this.operationUuid = body.operation_uuid ?? null;
    this.cost = body.cost ?? null;
  }
}

/** 400, 413, 415 and 422: the request itself has to change. */
export class InvalidRequestError extends ApiError {
  override readonly name = "InvalidRequestError";
}
/** 401 and 403: the key is missing, wrong, expired, revoked, or may not do this. */
export class AuthenticationError extends ApiError {
  override readonly name = "AuthenticationError";
}
/** 402: the wallet or the contract can't pay, or the write could cost more than it may. */
export class InsufficientFundsError extends ApiError {
  override readonly name = "InsufficientFundsError";
}
/** 404. */
export class NotFoundError extends ApiError {
  override readonly name = "NotFoundError";
}
/** 409: the resource is in a state that does not allow this. */
export class ConflictError extends ApiError {
  override readonly name = "ConflictError";
}
/** 429. */
export class RateLimitError extends ApiError {
  override readonly name = "RateLimitError";
}
/** 502 and 503 of the chain: `outcome` says whether anything happened. */
export class ChainError extends ApiError {
  override readonly name = "ChainError";
}

const CLASSES: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: InsufficientFundsError,
  403: AuthenticationError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
  502: ChainError,
  503: ChainError,
};

/** The error of an answer, as the class that fits its status. */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  return errorFrom(response.status, text, response.headers);
}

/** The same for a body already read, such as the one that an operation kept. */
export function errorFrom(status: number, text: string, headers = new Headers()): ApiError {
  const Class = CLASSES[status] ?? ApiError;
  return new Class(status, parsed(text), headers);
}

function parsed(text: string): Partial<ErrorBody> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    // A proxy's own page is no error body; the status says enough.
    return {};
  }
}

/** Seconds of a Retry-After header in either of its forms (RFC 9110, 10.2.3), or null. */
export function retryAfterSeconds(headers: Headers, now = Date.now()): number | null {
  const value = headers.get("retry-after");
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1000);
}
