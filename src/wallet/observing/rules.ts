/**
 * What to do next with a signed transaction, as pure functions of what is known. docs/transactions.md has the state
 * machine and an argument for each arrow.
 */

import type { SignedRow } from "../journal/signed.ts";
import type { KeySeen } from "../lanes/lane-keys.ts";

/** A row that has not landed after this long is raced by a no-op of the same nonce. Milliseconds. */
export const RACE_AFTER_MS = 120_000;
/** How often a proof may fail for lack of blocks or outcomes before the operator has to settle the row. */
export const MAX_UNPROVEN = 6;
/** Blocks that receipts of an included transaction are given before its landing is proven. */
export const RECEIPT_BLOCKS = 20;
/** Bytes that a node claims to have in its pool are sent again after this time. Milliseconds. */
export const RESEND_PENDING_AFTER_MS = 10_000;
/** What is known about the chain. */
export interface Observed {
  readonly now: number;
  /**
   * What a node said when asked for the transaction; none of it is a proof. A final outcome ends the row by itself.
   * `unanswered`: no node said anything.
   */
  readonly status: "unknown" | "unanswered" | "pending" | "included" | "not_applied";
  readonly key: KeySeen;
  /** Blocks after the base block in which a transaction may be included. */
  readonly validityPeriod: number;
}

/**
 * What to do with a row whose outcome isn't known: `dead`: proof (a) holds; `prove`: look for proof (b) or (c);
 * `seek`: it landed, and its outcome is asked for everywhere; `race` it by a no-op; `resend` the same bytes; `wait` for
 * another block; `give_up`: the operator's.
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
 * Whether a row was in a block that the chain has left behind: the final head has passed the height by which it was
 * seen, and there its nonce is still free. A node that was in that block goes on to say INCLUDED for good, so that
 * INCLUDED is believed up to that height only.
 */
export const isDropped = (row: Pick<SignedRow, "includedBy" | "nonce">, key: KeySeen): boolean =>
  key !== null &&
  key.nonce !== null &&
  key.nonce < row.nonce &&
  row.includedBy !== null &&
  key.height > row.includedBy;

/** Nodes that say nothing about a transaction that has landed are given so long to come back. Milliseconds. */
export const UNANSWERED_MS = 3_600_000;

const isOutage = (row: SignedRow, { status, now }: Observed): boolean =>
  status === "unanswered" && now - row.signedAt < UNANSWERED_MS;

/**
 * Whether a used nonce needs no proof yet: a node says that the transaction is in a block, or said so before, and its
 * receipts have had few blocks since then.
 */
const isUnderWay = (row: SignedRow, status: Observed["status"], height: number): boolean =>
  (status === "included" || status === "unanswered") &&
  row.includedBy !== null &&
  height <= row.includedBy + RECEIPT_BLOCKS;

/**
 * Whether a transaction can get into no block above a final height any more. A block may include it while the height of
 * the block before is at most the base block's plus the validity period (nearcore, check_transaction_validity_period),
 * and every block to come has one before it that is at least at the final height, whatever heights are skipped.
 */
export const isExpired = (baseHeight: number, finalHeight: number, validityPeriod: number): boolean =>
  finalHeight > baseHeight + validityPeriod;

/** A block's timestamp may be so far ahead of the time at which it was made (nearcore takes 120 s), clocks included. */
const BLOCK_TIME_MARGIN_MS = 180_000;

/** Whether a block was surely made after a moment of this machine's clock. Milliseconds. */
export const isSurelyAfter = (blockTime: number, moment: number): boolean =>
  blockTime >= moment + BLOCK_TIME_MARGIN_MS;

const mustRace = (row: SignedRow, seen: Observed): boolean =>
  row.refusal !== null || seen.status === "not_applied" || seen.now - row.signedAt >= RACE_AFTER_MS;

/** Whether a resend asks the node for its reason: now and then, because such a call keeps a connection waiting. */
export const shouldAskReason = (tries: number): boolean => tries % 4 === 1;

/** A row that died is signed again unless the chain refuses it for good. */
export const afterDeath = (refusal: string | null): "queued" | "refused" =>
  refusal === null ? "queued" : "refused";

/** How often a row is asked about at every final block before the pauses grow. */
const EAGER_TRIES = 4;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 15_000;
const LONGEST_INCLUDED_PAUSE_MS = 2_000;

/**
 * Pause before a row is asked about again, beside waiting for the next final block, by how often it was asked about.
 * Milliseconds.
 * @param included it is in a block and only its finality is awaited
 */
export const askPause = (tries: number, included: boolean): number => {
  if (tries < EAGER_TRIES) return 0;
  const pause = FIRST_PAUSE_MS * 2 ** Math.min(tries - EAGER_TRIES, 10);
  return Math.min(pause, included ? LONGEST_INCLUDED_PAUSE_MS : LONGEST_PAUSE_MS);
};

/** Pause after a proof failed for want of blocks or an outcome: a node that lags has time to catch up. Milliseconds. */
export const unprovenPause = (unproven: number): number =>
  Math.min(2_000 * 2 ** Math.min(unproven, 10), 30_000);

const FIRST_FAILED_PAUSE_MS = 500;
const LONGEST_FAILED_PAUSE_MS = 60_000;

/** Pause of a row after a look at it failed, by how often it was looked at. Others don't wait for it. Milliseconds. */
export const failedPause = (tries: number): number =>
  Math.min(FIRST_FAILED_PAUSE_MS * 2 ** Math.min(tries, 10), LONGEST_FAILED_PAUSE_MS);

const LONGEST_UNANSWERED_PAUSE_MS = 5_000;

/**
 * Pause of a row after no node answered a question about it, by how often it was looked at. It says nothing of the row,
 * and a minute's pause would keep its caller waiting long after the nodes are back. Milliseconds.
 */
export const unansweredPause = (tries: number): number =>
  Math.min(failedPause(tries), LONGEST_UNANSWERED_PAUSE_MS);
