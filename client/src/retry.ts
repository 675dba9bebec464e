/** When and how often a call is repeated. */
export interface RetryPolicy {
  /** Tries after the first. */
  readonly retries: number;
  /** Bound of the first pause, milliseconds; each later one is twice as long. */
  readonly baseMs: number;
  /** Bound of every pause, milliseconds. A longer Retry-After is still obeyed up to `maxRetryAfterMs`. */
  readonly maxMs: number;
  readonly maxRetryAfterMs: number;
}

/** Gives a restarting service about a minute. */
export const DEFAULT_RETRY: RetryPolicy = {
  retries: 6,
  baseMs: 500,
  maxMs: 20_000,
  maxRetryAfterMs: 120_000,
};

/** What came of a try: a status with the code and the operation that its body named, or no answer at all. */
export type Attempt =
  | { readonly status: number; readonly code: string | null; readonly operationUuid?: string | null }
  | "no_answer";

/**
 * Whether the same bytes may be sent again. Every write carries an Idempotency-Key, so repeating one that did arrive
 * only fetches its answer; what remains is whether another try can end differently.
 */
export function mayRetry(attempt: Attempt): boolean {
  if (attempt === "no_answer") return true;
  const { status, code } = attempt;
  if (status === 409) return code === "idempotency_key_in_flight";
  // The request may have been accepted: its key leads to what became of it, or has it accepted now.
  if (status === 500) return attempt.operationUuid != null;
  if (status === 408 || status === 429 || status === 503 || status === 504) return true;
  // The service's own 502 is a final answer of the chain; one without a code is from a proxy before it.
  return (status === 502 || (status >= 520 && status <= 530)) && code === null;
}

/**
 * Pause before the next try, milliseconds, or null if there is none: exponential with full jitter, so that many
 * clients that failed together don't come back together. Retry-After is a lower bound.
 *
 * @param tried number of tries so far, from 1
 * @param retryAfter seconds, or null
 * @param random from 0 to 1
 */
export function pauseBefore(
  policy: RetryPolicy,
  tried: number,
  retryAfter: number | null,
  random: number,
): number | null {
  if (tried > policy.retries) return null;
  const asked = (retryAfter ?? 0) * 1000;
  if (asked > policy.maxRetryAfterMs) return null;
  return asked + random * Math.min(policy.maxMs, policy.baseMs * 2 ** (tried - 1));
}
