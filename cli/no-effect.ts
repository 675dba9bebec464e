import { ApiError } from "../client/src/index.ts";

/**
 * Whether an error says for sure that a write had no effect and never will, so that it may be sent anew under another
 * Idempotency-Key. The key it was sent under would answer with this error again.
 */
export function hadNoEffect(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  if (error.outcome !== null) return error.outcome === "not_submitted" || error.outcome === "failed_on_chain";
  const isRefusal = error.status >= 400 && error.status < 500;
  return isRefusal && error.code !== "http_error" && error.code !== "idempotency_key_in_flight";
}
