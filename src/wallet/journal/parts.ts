import { shareOut } from "../../chain/contract/shared-mints.ts";
import type { IntentEnding } from "./intents.ts";
import type { IntentState, Move } from "./machine.ts";

/** An intent that a shared transaction carries, in the order of the call. */
export interface Carried {
  readonly intentId: number;
  readonly tokens: number;
}

/** How a shared transaction ended. */
export interface SharedEnd {
  /** The state before. */
  readonly from: IntentState;
  readonly move: Exclude<Move, "sign" | "lose">;
  readonly ending: IntentEnding;
}

/** What the end of a shared transaction makes of one intent that it carried. */
export type IntentShare = { readonly intentId: number } & (
  | { readonly move: "succeed" | "fail" | "refuse" | "give_up"; readonly ending: IntentEnding }
  /** It waits again: to be sent `alone`, or, after the first of them has been given storage, `behind` that one. */
  | { readonly move: "lose"; readonly again: "alone" | "behind" }
);

/** The contract can't pay for the storage of what it was to mint (docs/contract.md). */
const STORAGE_UNPAID = "E_STORAGE_BALANCE";

/**
 * What becomes of each intent by the end of the transaction that carried it, as docs/transactions.md argues ("Shared
 * transactions"). Whatever was told as unknown is never sent again.
 */
export const partsOf = ({ from, move, ending }: SharedEnd, carried: readonly Carried[]): IntentShare[] => {
  const all = (
    part: Pick<Extract<IntentShare, { ending: IntentEnding }>, "move" | "ending">,
  ): IntentShare[] => carried.map(({ intentId }) => ({ intentId, ...part }));
  if (move === "give_up") return all({ move, ending });
  if (move === "succeed") return sharedOut(from, ending, carried);
  if (from === "unknown") return all({ move, ending: move === "fail" ? withoutCode(ending) : ending });
  if (move === "refuse" || ending.contractCode !== STORAGE_UNPAID) {
    return carried.map(({ intentId }) => ({ intentId, move: "lose", again: "alone" }));
  }
  return carried.map(({ intentId }, position) =>
    position === 0 ? { intentId, move: "fail", ending } : { intentId, move: "lose", again: "behind" },
  );
};

/** Each intent has the ids of its own tokens. If the contract answers anything else, nobody can tell whose they are. */
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

/** What failed was the call for all, so that its code says nothing of any one of them. */
const withoutCode = (ending: IntentEnding): IntentEnding => {
  if (ending.result === null) return ending;
  const said = ending.result.failure_message ?? "the chain refused it";
  const failure_message = `It had no effect: the transaction that it shared with other mints failed (${said}).`;
  return { ...ending, contractCode: null, result: { ...ending.result, failure_message } };
};
