import { changeAllowlist, clearAllowlist } from "../../chain/contract/calls.ts";
import { type CollectionTarget, targetOf } from "../../collections/collection-target.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import type { Uuid } from "../../domain/ids.ts";
import { type RemedyRule, topUpRemedy } from "../../domain/steps.ts";
import { type KindResults, kindOf, type Proposal } from "../kind.ts";
import { succeeded } from "../records.ts";

/** The change of an allowlist, as stored with its operation. */
export interface AllowlistOperation extends CollectionTarget {
  readonly change: "allowlist_add" | "allowlist_remove" | "allowlist_clear";
  /** Up to 500; empty for `allowlist_clear`. */
  readonly accounts: readonly string[];
  /** Whose list; absent: that of the private price. */
  readonly phase?: number;
}

/** A requested change. */
interface Change extends Pick<AllowlistOperation, "change"> {
  readonly accounts?: readonly string[];
  readonly phase?: number | null | undefined;
}

/** Proposes a change of an allowlist. @throws ServiceError not_found */
export const proposeAllowlistChange = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  { change, accounts = [], phase }: Change,
): Promise<Proposal<AllowlistOperation["change"]>> => {
  const target = await targetOf(context, caller, collectionUuid);
  const list = phase == null ? {} : { phase };
  const request: AllowlistOperation = { ...target, change, accounts: [...new Set(accounts)], ...list };
  return { kind: change, subjectId: collectionUuid, request };
};

/** Maximum bytes of an account, including its share of a new bucket. */
const ACCOUNT_BYTES = 100;

/** Contracts of an earlier release refuse the yoctoNEAR of these calls, so they are sent again without it. */
const listRemedy: RemedyRule = (name, outcome, attempt) =>
  attempt === 1 && outcome.failure?.includes("This call takes no deposit")
    ? { again: 0 }
    : topUpRemedy(name, outcome, attempt);

/** One call of `allowlist_add`, `allowlist_remove` or `allowlist_clear`. */
export const allowlistKind = kindOf<AllowlistOperation, null, KindResults["allowlist_add"]>({
  facts: () => null,

  steps: () => ["change"],

  remedy: () => listRemedy,

  storage: ({ contract, accounts }) => ({ contract, bytes: (accounts.length + 1) * ACCOUNT_BYTES }),

  transaction: async (_context, { request }, _step, { records }) => {
    const { contract, change, accounts } = request;
    const action =
      change === "allowlist_clear" ? clearAllowlist(request) : changeAllowlist(change, request, accounts);
    // Every other such failure is final.
    const isOlder = records.some(({ contractCode }) => contractCode === "E_INVALID_ARGUMENT");
    return { receiverId: contract, actions: [isOlder ? { ...action, deposit: "0" } : action] };
  },

  // These endpoints return one result, not an array.
  effects: async (_context, _operation, { records }) => ({
    status: 200,
    body: { message: "success", tx_results: succeeded(records, "change").result },
    statements: [],
  }),
});
