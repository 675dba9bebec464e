/**
 * Decides the next action for a signed transaction; pure functions. docs/transactions.md has the state machine with a
 * reason for each transition.
 */

import type { SignedRow } from "../journal/signed.ts";
import type { KeySeen } from "../lanes/lane-keys.ts";

/** A row that hasn't landed after this time is raced by a no-op with the same nonce. Milliseconds. */
export const RACE_AFTER_MS = 120_000;
/** Failed proofs, for lack of blocks or outcomes, before the operator must settle the row. */
export const MAX_UNPROVEN = 6;
/** Blocks for an included transaction's receipts before its inclusion is proven. */
export const RECEIPT_BLOCKS = 20;
/** Bytes that a node reports as pending are sent again after this time. Milliseconds. */
export const RESEND_PENDING_AFTER_MS = 10_000;
/** The known state of the chain. */
export interface Observed {
  readonly now: number;
  /**
   * A node's status of the transaction; it proves nothing. A final outcome ends the row directly. `unanswered`: no node
   * responded.
   */
  readonly status: "unknown" | "unanswered" | "pending" | "included" | "not_applied";
  readonly key: KeySeen;
  /** Number of blocks after the base block in which a transaction can be included. */
  readonly validityPeriod: number;
}

/**
 * The action for a row without a known outcome: `dead`: proof (a) holds; `prove`: search for proof (b) or (c); `seek`:
 * it landed, ask all endpoints for its outcome; `race` it with a no-op; `resend` the same bytes; `wait` for another
 * block; `give_up`: leave it to the operator.
 */
export type Verdict = "dead" | "prove" | "seek" | "race" | "resend" | "wait" | "give_up";

/** Decides. Never `dead` unless the key's nonce was below the row's on a final block past the row's validity. */
export const judge = (row: SignedRow, seen: Observed): Verdict => {
  const { key } = seen;
  if (row.unproven >= MAX_UNPROVEN) return "give_up";
  if (row.landed) return isOutage(row, seen) ? "wait" : "seek";
  if (key !== null && (key.nonce === null || key.nonce >= row.nonce)) {
    return isUnderWay(row, seen.status, key.height) ? "wait" : "prove";
  }
  if (key !== null && isExpired(row.baseHeight, key.height, seen.validityPeriod)) return "dead";
  if (seen.status === "included" && !isDropped(row, key)) return "wait";
  if (!row.raced && mustRace(row, seen)) return "race";
  return seen.status === "pending" && seen.now - row.signedAt < RESEND_PENDING_AFTER_MS ? "wait" : "resend";
};

/**
 * Whether a row was in a block that the chain has dropped: the final head has passed the height by which it was seen,
 * and the nonce is still unused there. A node with that block keeps reporting INCLUDED, so INCLUDED is trusted only up
 * to that height.
 */
export const isDropped = (row: Pick<SignedRow, "includedBy" | "nonce">, key: KeySeen): boolean =>
  key !== null &&
  key.nonce !== null &&
  key.nonce < row.nonce &&
  row.includedBy !== null &&
  key.height > row.includedBy;

/** How long to wait for nodes that don't respond about a landed transaction. Milliseconds. */
export const UNANSWERED_MS = 3_600_000;

const isOutage = (row: SignedRow, { status, now }: Observed): boolean =>
  status === "unanswered" && now - row.signedAt < UNANSWERED_MS;

/**
 * Whether a used nonce needs no proof yet: a node reports, or reported, the transaction as included, and its receipts
 * have had few blocks since.
 */
const isUnderWay = (row: SignedRow, status: Observed["status"], height: number): boolean =>
  (status === "included" || status === "unanswered") &&
  row.includedBy !== null &&
  height <= row.includedBy + RECEIPT_BLOCKS;

/**
 * Whether no block above a final height can include a transaction. A block can include it while the previous block's
 * height is at most the base block's plus the validity period (nearcore, check_transaction_validity_period), and every
 * future block's previous block is at or above the final height, regardless of skipped heights.
 */
export const isExpired = (baseHeight: number, finalHeight: number, validityPeriod: number): boolean =>
  finalHeight > baseHeight + validityPeriod;

/**
 * How far a block's timestamp may be ahead of its production time (nearcore accepts 120 s), clock differences included.
 */
const BLOCK_TIME_MARGIN_MS = 180_000;

/** Whether a block was certainly produced after a time of this machine's clock. Milliseconds. */
export const isSurelyAfter = (blockTime: number, moment: number): boolean =>
  blockTime >= moment + BLOCK_TIME_MARGIN_MS;

const mustRace = (row: SignedRow, seen: Observed): boolean =>
  row.refusal !== null || seen.status === "not_applied" || seen.now - row.signedAt >= RACE_AFTER_MS;

/** Whether a resend asks for the reason of a rejection: only sometimes, because such a call occupies a connection. */
export const shouldAskReason = (tries: number): boolean => tries % 4 === 1;

/** A dead row is signed again unless the chain permanently rejects it. */
export const afterDeath = (refusal: string | null): "queued" | "refused" =>
  refusal === null ? "queued" : "refused";

/** Number of polls at every final block before the pauses grow. */
const EAGER_TRIES = 4;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 15_000;
const LONGEST_INCLUDED_PAUSE_MS = 2_000;

/**
 * Pause before a row's next poll, in addition to waiting for the next final block, by the number of polls.
 * Milliseconds.
 * @param included it is in a block and only its finality is missing
 */
export const askPause = (tries: number, included: boolean): number => {
  if (tries < EAGER_TRIES) return 0;
  const pause = FIRST_PAUSE_MS * 2 ** Math.min(tries - EAGER_TRIES, 10);
  return Math.min(pause, included ? LONGEST_INCLUDED_PAUSE_MS : LONGEST_PAUSE_MS);
};

/** Pause after a proof failed for lack of blocks or an outcome, so that a lagging node can catch up. Milliseconds. */
export const unprovenPause = (unproven: number): number =>
  Math.min(2_000 * 2 ** Math.min(unproven, 10), 30_000);

const FIRST_FAILED_PAUSE_MS = 500;
const LONGEST_FAILED_PAUSE_MS = 60_000;

/** Pause of a row after a failed check, by the number of checks. Other rows aren't affected. Milliseconds. */
export const failedPause = (tries: number): number =>
  Math.min(FIRST_FAILED_PAUSE_MS * 2 ** Math.min(tries, 10), LONGEST_FAILED_PAUSE_MS);

const LONGEST_UNANSWERED_PAUSE_MS = 5_000;

/**
 * Pause of a row after no node responded about it, by the number of checks. Shorter, because an outage isn't specific
 * to the row and its caller shouldn't wait long once nodes are back. Milliseconds.
 */
export const unansweredPause = (tries: number): number =>
  Math.min(failedPause(tries), LONGEST_UNANSWERED_PAUSE_MS);
