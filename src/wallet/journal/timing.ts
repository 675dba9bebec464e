/** Timing of resuming and removing operations. */

const FIRST_RESUME_MS = 3_000;
const LONGEST_RESUME_MS = 5 * 60_000;

/**
 * Pause before an operation with ended rows and no acknowledgement is resumed. The first pause leaves time for a
 * running drive to finish it. Milliseconds.
 */
export const resumePause = (tries: number): number =>
  Math.min(FIRST_RESUME_MS * 2 ** Math.min(tries, 10), LONGEST_RESUME_MS);

const HOUR_MS = 3_600_000;
const GIB = 2 ** 30;
const DAY_MS = 24 * HOUR_MS;
/** A database can be rolled back by 30 days (https://developers.cloudflare.com/d1/reference/time-travel). */
const NAMED_MS = 31 * DAY_MS;
/** Longer than an Idempotency-Key is valid. */
const NAMED_FOR_KEYS_MS = 26 * HOUR_MS;
/** Maximum time that due operations are collected, so that one file holds many. */
const GATHERED_MS = 6 * HOUR_MS;

/** Retention times of ended operations, milliseconds. */
export interface Retention {
  /** Retention in the journal after the acknowledgement. */
  readonly keptMs: number;
  /**
   * Retention of the data for recovery after the acknowledgement, in the journal or a file; also of a file after it was
   * written.
   */
  readonly recoverableMs: number;
}

/** The operator's settings in days. */
interface SetDays {
  readonly JOURNAL_KEPT_DAYS: number;
  readonly JOURNAL_FILES_KEPT_DAYS: number;
}

/**
 * Retention times depending on the journal's size: an object holds at most 10 GB, and open rows need the space more
 * than ended ones, which are kept in files. Bytes.
 */
export const retentionOf = (bytes: number, days: SetDays): Retention => ({
  keptMs: isLarge(bytes) ? HOUR_MS : days.JOURNAL_KEPT_DAYS * DAY_MS,
  recoverableMs: days.JOURNAL_FILES_KEPT_DAYS * DAY_MS,
});

/** Whether a journal must free space. Bytes. */
export const isLarge = (bytes: number): boolean => bytes >= 4 * GIB;

/** How long due operations are collected before a file that isn't full is written. Milliseconds. */
export const fileDelayMs = ({ keptMs }: Retention): number => Math.min(GATHERED_MS, keptMs / 4);

/** What decides whether an operation is removed. */
export interface Acknowledged {
  /** Time since the acknowledgement, milliseconds. */
  readonly age: number;
  /** It has something to sign or to prove. */
  readonly isOpen: boolean;
  /** It is the latest accepted operation: a database without it is older than the journal. */
  readonly isLatest: boolean;
  /** Recovery can put it back: it isn't the wallet's own. */
  readonly hasSnapshot: boolean;
}

/**
 * Decides about an operation: `kept`; `kept_again`, as if acknowledged just now; `filed`: removed once a file has it;
 * `dropped`: removed, because no database can lack it or be given it back.
 */
export const fateOf = (
  { age, isOpen, isLatest, hasSnapshot }: Acknowledged,
  { keptMs, recoverableMs }: Retention,
): "kept" | "kept_again" | "filed" | "dropped" => {
  if (age <= keptMs) return "kept";
  if (isOpen) return "kept_again";
  if (age > recoverableMs || !hasSnapshot) return "dropped";
  return isLatest ? "kept" : "filed";
};

/**
 * How long the name of a removed operation is kept from its beginning: long enough to recognize it in any rolled-back
 * database, unless even the names don't fit. Bytes, milliseconds.
 */
export const nameTtlMs = (bytes: number): number => (bytes < 9 * GIB ? NAMED_MS : NAMED_FOR_KEYS_MS);
