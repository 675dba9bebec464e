/** When operations are resumed, and when they are forgotten. */

const FIRST_RESUME_MS = 3_000;
const LONGEST_RESUME_MS = 5 * 60_000;

/**
 * Pause before an operation, whose rows are all over and whose effects nobody acknowledged, is resumed. The first one
 * leaves the request that waits the time to do it. Milliseconds.
 */
export const resumePause = (tries: number): number =>
  Math.min(FIRST_RESUME_MS * 2 ** Math.min(tries, 10), LONGEST_RESUME_MS);

const HOUR_MS = 3_600_000;
const GIB = 2 ** 30;
const DAY_MS = 24 * HOUR_MS;
/** A database can be rolled back by 30 days (https://developers.cloudflare.com/d1/reference/time-travel). */
const KEPT_MS = 31 * DAY_MS;
/** Longer than an Idempotency-Key stands for its operation. */
const KEPT_FOR_KEYS_MS = 26 * HOUR_MS;

/**
 * How long an operation is kept after its end, by the size of the journal: an object holds 10 GB at most, and rows
 * that are not signed or proven yet need room before a rolled-back database does. Bytes, milliseconds.
 * @param mostDays as the operator has set it
 */
export const keptFor = (bytes: number, mostDays: number): number => {
  if (bytes < 4 * GIB) return Math.min(KEPT_MS, mostDays * DAY_MS);
  return bytes < 8 * GIB ? Math.min(KEPT_FOR_KEYS_MS, mostDays * DAY_MS) : HOUR_MS;
};

/**
 * How long the name of a forgotten operation is kept, from the operation's beginning: long enough to recognize it in
 * any rolled-back database, unless even the names leave no room. Bytes, milliseconds.
 */
export const namedFor = (bytes: number): number => (bytes < 9 * GIB ? KEPT_MS : KEPT_FOR_KEYS_MS);
