import type { TransactionRecord } from "../interface.ts";

/**
 * The one state machine of an intent and of the row that was signed for it, as a table. docs/transactions.md draws it
 * with an argument for each arrow; a test holds the drawing against this table. The journal makes a move in both at
 * once, or not at all (`Journal.move`).
 */

/** How far an intent is; TransactionRecord says what each state means. */
export type IntentState = TransactionRecord["state"];

/**
 * What is known of a signed row. `open`: it may still land, or has and its outcome isn't final; `landed`: its outcome
 * is final; `dead`: it is proven that it never landed and never will; `unknown`: neither can be proven. Its bytes are
 * sent while it is open, and never again.
 */
export type RowState = "open" | "landed" | "dead" | "unknown";

/** One move of the machine. */
export type Move =
  /** Signed and journaled. */
  | "sign"
  /** Its outcome is final. */
  | "succeed"
  | "fail"
  /**
   * What was signed is dead for a temporary reason, or was for several intents and had no effect: the intent waits to be
   * signed again.
   */
  | "lose"
  /** What was signed is dead and isn't signed again, or the intent can't be signed at all. */
  | "refuse"
  /** Neither its landing nor its death can be proven. */
  | "give_up";

interface Arrow {
  readonly from: readonly IntentState[];
  readonly to: IntentState;
  /** What the signed row becomes. An intent that can't be signed has none. */
  readonly row: RowState;
}

/** All arrows. An intent begins `queued`, or `unknown` where a former object may have signed it. */
export const MOVES: Readonly<Record<Move, Arrow>> = {
  sign: { from: ["queued"], to: "open", row: "open" },
  succeed: { from: ["open", "unknown"], to: "succeeded", row: "landed" },
  fail: { from: ["open", "unknown"], to: "failed", row: "landed" },
  lose: { from: ["open"], to: "queued", row: "dead" },
  refuse: { from: ["queued", "open", "unknown"], to: "refused", row: "dead" },
  give_up: { from: ["open"], to: "unknown", row: "unknown" },
};

/** The state after a move. @throws Error if the machine has no such arrow */
export const stateAfter = (state: IntentState, move: Move): IntentState => {
  const { from, to } = MOVES[move];
  if (!from.includes(state)) throw new Error(`an intent that is ${state} can't ${move.replace("_", " ")}`);
  return to;
};

/** Whether an intent is over: nothing of it is to be signed or sent any more. */
export const isOver = (state: IntentState): boolean => state !== "queued" && state !== "open";
