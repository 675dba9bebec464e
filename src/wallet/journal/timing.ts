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
const NAMED_MS = 31 * DAY_MS;
/** Longer than an Idempotency-Key stands for its operation. */
const NAMED_FOR_KEYS_MS = 26 * HOUR_MS;
/** How long operations that are due are gathered at most, so that one file has many. */
const GATHERED_MS = 6 * HOUR_MS;

/** How long a journal has what is over, milliseconds. */
export interface Terms {
  /** An operation, from the acknowledgement of its end. */
  readonly keptMs: number;
  /** What recovery needs of it, from then, in the journal or in a file; a file is kept for as long after it was written. */
  readonly recoverableMs: number;
}

/** Days that the operator has set for these. */
interface SetDays {
  readonly JOURNAL_KEPT_DAYS: number;
  readonly JOURNAL_FILES_KEPT_DAYS: number;
}

/**
 * The terms of a journal by its size: an object holds 10 GB at most, and rows that are not signed or proven yet need room
 * before those that are over, of which nothing is lost in a file. Bytes.
 */
export const termsOf = (bytes: number, days: SetDays): Terms => ({
  keptMs: isLarge(bytes) ? HOUR_MS : days.JOURNAL_KEPT_DAYS * DAY_MS,
  recoverableMs: days.JOURNAL_FILES_KEPT_DAYS * DAY_MS,
});

/** Whether a journal has to make room. Bytes. */
export const isLarge = (bytes: number): boolean => bytes >= 4 * GIB;

/** How long operations that are due are gathered before fewer than a full file are forgotten. Milliseconds. */
export const gatheredFor = ({ keptMs }: Terms): number => Math.min(GATHERED_MS, keptMs / 4);

/** What decides whether an operation is forgotten. */
export interface Acknowledged {
  /** How long ago its end was acknowledged, milliseconds. */
  readonly age: number;
  /** Something of it is to be signed or proven. */
  readonly isOpen: boolean;
  /** A database without it is older than the journal. */
  readonly isLatest: boolean;
  /** Recovery can put it back: it isn't the wallet's own, nor from a release that kept no snapshots. */
  readonly hasSnapshot: boolean;
}

/**
 * What becomes of an operation: `kept`; `kept_again`, as long as if it had been acknowledged only now; `filed`: forgotten
 * once a file has it; or `dropped`: forgotten, since no database can lack it, or none could get it back.
 */
export const fateOf = (
  { age, isOpen, isLatest, hasSnapshot }: Acknowledged,
  { keptMs, recoverableMs }: Terms,
): "kept" | "kept_again" | "filed" | "dropped" => {
  if (age <= keptMs) return "kept";
  if (isOpen) return "kept_again";
  if (age > recoverableMs || !hasSnapshot) return "dropped";
  return isLatest ? "kept" : "filed";
};

/**
 * How long the name of a forgotten operation is kept, from the operation's beginning: long enough to recognize it in
 * any rolled-back database, unless even the names leave no room. Bytes, milliseconds.
 */
export const namedFor = (bytes: number): number => (bytes < 9 * GIB ? NAMED_MS : NAMED_FOR_KEYS_MS);
