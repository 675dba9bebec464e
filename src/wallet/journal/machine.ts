import type { TransactionRecord } from "../interface.ts";

/**
 * The state machine of an intent and its signed row, as a table. docs/transactions.md draws it with a reason for each
 * transition; a test compares both. The journal applies a move to both atomically (`Journal.move`).
 */

/** State of an intent; see TransactionRecord. */
export type IntentState = TransactionRecord["state"];

/**
 * State of a signed row. `open`: it may still land, or its outcome isn't final; `landed`: its outcome is final; `dead`:
 * proven never to have landed, and never to land; `unknown`: neither can be proven. Its bytes are sent only while it is
 * open.
 */
export type RowState = "open" | "landed" | "dead" | "unknown";

/** A transition of the state machine. */
export type Move =
  /** Signed and journaled. */
  | "sign"
  /** The outcome is final. */
  | "succeed"
  | "fail"
  /**
   * The signed row is dead for a temporary reason, or carried several intents without effect: the intent is queued to
   * be signed again.
   */
  | "lose"
  /** The signed row is dead and isn't signed again, or the intent can't be signed at all. */
  | "refuse"
  /** Neither landing nor death can be proven. */
  | "give_up"
  /** The object was set back: it may have signed the intent in the time that it forgot. */
  | "forget";

interface Arrow {
  readonly from: readonly IntentState[];
  readonly to: IntentState;
  /** New state of the signed row. An intent that can't be signed has none. */
  readonly row: RowState;
}

/** All transitions. An intent starts as `queued`, or `unknown` if an earlier object may have signed it. */
export const MOVES: Readonly<Record<Move, Arrow>> = {
  sign: { from: ["queued"], to: "open", row: "open" },
  succeed: { from: ["open", "unknown"], to: "succeeded", row: "landed" },
  fail: { from: ["open", "unknown"], to: "failed", row: "landed" },
  lose: { from: ["open"], to: "queued", row: "dead" },
  refuse: { from: ["queued", "open", "unknown"], to: "refused", row: "dead" },
  give_up: { from: ["open"], to: "unknown", row: "unknown" },
  forget: { from: ["queued"], to: "unknown", row: "dead" },
};

/** The state after a move. @throws Error if the move isn't allowed */
export const stateAfter = (state: IntentState, move: Move): IntentState => {
  const { from, to } = MOVES[move];
  if (!from.includes(state)) throw new Error(`an intent that is ${state} can't ${move.replace("_", " ")}`);
  return to;
};

/** Whether an intent is over: nothing of it will be signed or sent. */
export const isOver = (state: IntentState): boolean => state !== "queued" && state !== "open";
