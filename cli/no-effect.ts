import { ApiError } from "../client/src/index.ts";

/**
 * Whether an error says for sure that a write to the chain had no effect and never will, so that it may be sent again
 * under another Idempotency-Key. Only an outcome says so: a key that was revoked or a limit that is reached is refused
 * before the service looks what became of an earlier request under the same Idempotency-Key. 503 speaks of this request
 * alone: until a lost ledger is restored, the service doesn't know of an earlier one that took effect.
 */
export const hadNoEffect = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  error.status !== 503 &&
  (error.outcome === "not_submitted" || error.outcome === "failed_on_chain");

/** Whether the service refused what was asked for, so that something else must be asked for. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 400 || error.status === 404) && error.code !== "http_error";
