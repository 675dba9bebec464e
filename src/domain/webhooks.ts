/** Most endpoints that an integration may have. */
export const MOST_WEBHOOKS = 20;

/** Most tests that an integration may have sent in 10 seconds, to all its endpoints. */
export const MOST_TESTS = 5;

/** Timeout of an attempt. Milliseconds. */
export const ATTEMPT_MS = 15_000;

/** Pauses before the second and later attempts, seconds. */
const PAUSES_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Longest Retry-After that is followed, seconds. */
const MOST_RETRY_AFTER_S = 86_400;

/** Jitter: up to this fraction of a pause is added at random, so that endpoints that failed together aren't retried together. */
const JITTER = 0.2;

/** An endpoint is disabled after so long without a success, from its first failure or its last change on. Milliseconds. */
export const DISABLED_AFTER_MS = 5 * 24 * 3_600_000;

/** How long a replaced secret signs in addition to the new one. Milliseconds. */
export const OLD_SECRET_MS = 24 * 3_600_000;

export interface AttemptOutcome {
  /** HTTP status; null: no connection, or a timeout. */
  readonly status: number | null;
  /** Retry-After, seconds; null: none. */
  readonly retryAfterS: number | null;
}

/** Only 2xx is a success; a redirect isn't followed. */
export const isDelivered = ({ status }: Pick<AttemptOutcome, "status">): boolean =>
  status !== null && status >= 200 && status < 300;

/** Whether an endpoint is permanently gone (410). */
export const isGone = ({ status }: Pick<AttemptOutcome, "status">): boolean => status === 410;

/** Milliseconds until the next attempt; null: none. @param attempts that failed so far @param chance from 0 to 1 */
export const pauseAfter = (
  attempts: number,
  { retryAfterS }: Pick<AttemptOutcome, "retryAfterS">,
  chance: number,
): number | null => {
  const pause = PAUSES_S[attempts - 1];
  if (pause === undefined) return null;
  const jittered = pause * (1 + JITTER * chance);
  return 1_000 * Math.max(jittered, Math.min(retryAfterS ?? 0, MOST_RETRY_AFTER_S));
};

/** Seconds of a Retry-After header (RFC 9110, section 10.2.3); null if it can't be parsed. */
export const retryAfterOf = (header: string | null, now: number): number | null => {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(Math.ceil((at - now) / 1_000), 0);
};
