import { changeAllowlist, clearAllowlist } from "../../chain/contract/calls.ts";
import type { CollectionTarget } from "../../collections/collection-target.ts";
import { nextStep, stepName, topUpRemedy } from "../../domain/steps.ts";
import { topUpFor } from "../engine/top-up.ts";
import { type KindRules, succeeded } from "../kind.ts";

/** What a change of an allowlist needs to be carried out. */
export interface AllowlistOperation extends CollectionTarget {
  readonly change: "allowlist_add" | "allowlist_remove" | "allowlist_clear";
  /** Up to 500; empty for `allowlist_clear`. */
  readonly accounts: readonly string[];
}

/** Bytes an account may take, its share of a new bucket included. */
const ACCOUNT_BYTES = 100;

/** One call of `allowlist_add`, `allowlist_remove` or `allowlist_clear`. */
export const allowlistRules: KindRules<AllowlistOperation> = {
  wallet: "integration",

  next: (_request, outcomes) => nextStep(["change"], outcomes, topUpRemedy),

  transaction: async (_context, { request }, step, records) => {
    const { contract, collectionId, change, accounts } = request;
    if (stepName(step).startsWith("topup")) {
      return topUpFor(contract, records, (accounts.length + 1) * ACCOUNT_BYTES);
    }
    const action =
      change === "allowlist_clear"
        ? clearAllowlist(collectionId)
        : changeAllowlist(change, collectionId, accounts);
    return { receiverId: contract, actions: [action] };
  },

  // The interface gives these calls one result, not an array as it does elsewhere.
  effects: async (_context, _operation, records) => ({
    status: 200,
    body: { message: "success", tx_results: succeeded(records, "change").result },
    statements: [],
  }),
};
