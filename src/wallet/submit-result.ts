import type { Uuid } from "../domain/ids.ts";
import type { TransactionRecord } from "./transaction-record.ts";

/** The answer to a submitted intent, and whether it is certainly the object's first. */
export type SubmitResult = SubmitAnswer & {
  /**
   * An earlier try of this call broke off. What it came to isn't known: the object may have journaled the intent, and
   * may have been lost since.
   */
  readonly repeated?: true;
};

/** The object's answer to a submitted intent. */
export type SubmitAnswer =
  /** `records`: as `settled` answers, if the caller waits; absent in objects of the previous release. */
  | { readonly status: "accepted"; readonly records?: readonly TransactionRecord[] }
  /** The wallet can't pay; nothing was journaled. `missing` is yoctoNEAR. */
  | { readonly status: "insufficient_funds"; readonly missing: string; readonly accountId: string }
  /**
   * The queue is full, or holds all that the wallet can pay; or, where `inactive`, the object may not sign: it has no
   * key, or waits to be activated, or, where `behind`, for the database to be recovered, which is older than its
   * journal, or, where `lockedOut`, because its own key (`ed25519:<base58>`) is not on its account. Nothing was
   * journaled. Seconds.
   */
  | {
      readonly status: "busy";
      readonly retryAfter: number;
      readonly inactive?: true;
      readonly behind?: true;
      readonly lockedOut?: { readonly publicKey: string; readonly accountId: string };
    }
  /**
   * The origin doesn't show that the database has `witness`, which came from it earlier. Look for it, and hand the
   * intent over again: with it in `beside`, or after `databaseLacks`. Nothing was journaled.
   */
  | { readonly status: "unwitnessed"; readonly witness: Uuid; readonly era: number }
  /**
   * The wallet would spend more in a day than the operator lets it; nothing was journaled. yoctoNEAR: the limit, what is
   * spent of it or promised by now, what the intent may take; seconds until the next day begins.
   */
  | {
      readonly status: "spending_limited";
      readonly limit: string;
      readonly spent: string;
      readonly cost: string;
      readonly nextDayAfter: number;
    }
  /**
   * It could cost more than its operation may in all; nothing was journaled. yoctoNEAR: what the operation might cost
   * with it, and the most that it may.
   */
  | { readonly status: "too_dear"; readonly needed: string; readonly most: string }
  /** No node is reachable or the chain stands still; nothing was journaled. Seconds. */
  | { readonly status: "chain_unavailable"; readonly retryAfter: number }
  /** The operation was withdrawn: this step was never journaled, and never will be. */
  | { readonly status: "withdrawn" };
