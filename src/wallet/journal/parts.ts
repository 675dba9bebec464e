import { shareOut } from "../../chain/contract/shared-mints.ts";
import type { IntentEnding } from "./intents.ts";
import type { IntentState, Move } from "./machine.ts";

/** An intent that a shared transaction carries, in the order of the call. */
export interface Carried {
  readonly intentId: number;
  readonly tokens: number;
}

/** The end of a shared transaction. */
export interface SharedEnd {
  /** The state before. */
  readonly from: IntentState;
  readonly move: Exclude<Move, "sign" | "lose" | "forget">;
  readonly ending: IntentEnding;
}

/** The effect of a shared transaction's end on one of its intents. */
export type IntentShare = { readonly intentId: number } & (
  | { readonly move: "succeed" | "fail" | "refuse" | "give_up"; readonly ending: IntentEnding }
  /** It is queued again: to be sent `alone`, or `behind` the first intent once that has removed the obstacle. */
  | { readonly move: "lose"; readonly again: "alone" | "behind" }
);

/**
 * The effect of a shared transaction's end on each of its intents (docs/transactions.md, "Shared transactions"). An
 * intent reported as unknown is never sent again.
 */
export const partsOf = ({ from, move, ending }: SharedEnd, carried: readonly Carried[]): IntentShare[] => {
  const all = (
    part: Pick<Extract<IntentShare, { ending: IntentEnding }>, "move" | "ending">,
  ): IntentShare[] => carried.map(({ intentId }) => ({ intentId, ...part }));
  if (move === "give_up") return all({ move, ending });
  if (move === "succeed") return sharedOut(from, ending, carried);
  // The quota refuses each of them: its operation's next attempt is signed by a full-access key (docs/transactions.md).
  if (ending.contractCode === "E_STAFF_QUOTA") return all({ move, ending });
  if (from === "unknown") return all({ move, ending: move === "fail" ? withoutCode(ending) : ending });
  if (move === "refuse" || ending.contractCode !== "E_STORAGE_BALANCE") {
    return carried.map(({ intentId }) => ({ intentId, move: "lose", again: "alone" }));
  }
  return carried.map(({ intentId }, position) =>
    position === 0 ? { intentId, move: "fail", ending } : { intentId, move: "lose", again: "behind" },
  );
};

/** Assigns each intent the ids of its own tokens. If the contract returns anything else, they can't be assigned. */
const sharedOut = (from: IntentState, ending: IntentEnding, carried: readonly Carried[]): IntentShare[] => {
  const tokens = carried.map((part) => part.tokens);
  const values = shareOut(ending.value ?? new Uint8Array(), tokens);
  if (values !== null) {
    return carried.map(({ intentId }, position) => ({
      intentId,
      move: "succeed",
      ending: { ...ending, value: values[position]! },
    }));
  }
  if (from === "unknown") return [];
  return carried.map(({ intentId }) => ({ intentId, move: "give_up", ending: { ...ending, value: null } }));
};

/** The call failed for all intents, so its error code doesn't apply to any one of them. */
const withoutCode = (ending: IntentEnding): IntentEnding => {
  if (ending.result === null) return ending;
  const reason = ending.result.failure_message ?? "rejected by the chain";
  const failure_message = `It had no effect: the transaction it shared with other mints failed (${reason}).`;
  return { ...ending, contractCode: null, result: { ...ending.result, failure_message } };
};
