import type { Action } from "../chain/actions.ts";
import type { Uuid } from "../domain/ids.ts";
import type { OperationKind, OperationState } from "../domain/operations.ts";
import type { TransactionRecord } from "./transaction-record.ts";

/**
 * An operation as the database has it: what is needed to put it back where the database loses it, and to notice that
 * it has lost others.
 */
export interface OperationSnapshot {
  readonly kind: OperationKind;
  readonly integrationUuid: Uuid;
  readonly subjectUuid: Uuid;
  /** The validated request, JSON. */
  readonly request: string;
  /** What it was quoted, and what it may cost at most, yoctoNEAR; null, or absent from a former release: neither. */
  readonly quotedCost?: string | null;
  readonly mostCost?: string | null;
  /** Its caller's own name for it; null, or absent from a former release: none. */
  readonly reference?: string | null;
  /** Idempotency-Keys that stand for it. */
  readonly keys: readonly SnapshotKey[];
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
  /** Number of its row: whatever was accepted later has a higher one. */
  readonly rowNumber: number;
  /** The latest other operations of its integration that the database had when this was read from it. */
  readonly recent: readonly Uuid[];
}

/** An Idempotency-Key that stands for an operation. */
export interface SnapshotKey {
  readonly key: string;
  /** Lower-case hexadecimal of the request's fingerprint. */
  readonly fingerprint: string | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Where an operation stands in the order of acceptance. */
export interface SnapshotPosition {
  /** How often the database had been recovered. */
  readonly generation: number;
  readonly rowNumber: number;
}

/** What an operation came to, as its caller is told. */
export interface OperationEnding {
  readonly state: Extract<OperationState, "succeeded" | "failed">;
  readonly answerStatus: number | null;
  /** As the database keeps it: the body, or where R2 has it. */
  readonly answerBody: string | null;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
}

/** That an operation's effects are written. */
export interface Acknowledgement {
  readonly operationUuid: Uuid;
  /** What its caller is told, kept so that it can be told again; absent where the database doesn't say it. */
  readonly ending?: OperationEnding;
}

/** An operation as the journal keeps it. */
export interface JournaledOperation extends Omit<OperationSnapshot, "rowNumber" | "recent"> {
  readonly place: SnapshotPosition;
  readonly operationUuid: Uuid;
  /** Null: it goes on, or nobody has acknowledged its end. */
  readonly ending: OperationEnding | null;
}

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
   * The snapshot doesn't show that the database has `latest`, which came from it earlier. Look for it, and hand the
   * intent over again: with it in `recent`, or after `databaseLacks`. Nothing was journaled.
   */
  | { readonly status: "unchecked"; readonly latest: Uuid; readonly generation: number }
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

export type { Action } from "../chain/actions.ts";
export type { ChainTransactionResult } from "../chain/outcome.ts";
export type { StorageDemand } from "./entry.ts";
export type { TransactionRecord } from "./transaction-record.ts";

/**
 * What the rest of the service knows of a wallet: intents go in, transaction records come out. The object behind it
 * is the only holder of its key and the only place that signs (docs/transactions.md).
 *
 * Every method is idempotent by `operation_uuid` and `step`: after an exception the caller takes a new stub and asks
 * again. Formats stay compatible for one release, because old objects meet new Workers during a deployment.
 */

/** One transaction that an operation wants on the chain, exactly once. */
export interface Intent {
  readonly operationUuid: Uuid;
  /** Name of the step within its operation, such as `create` or `add:1`. With the operation it is the identity. */
  readonly step: string;
  /** Whose request this is; requests of different callers take turns. */
  readonly fairnessKey: string;
  readonly receiverId: string;
  readonly actions: readonly Action[];
  /** What the wallet may spend in a day (UTC), yoctoNEAR as a decimal string; absent: all that it has. */
  readonly spendingPerDay?: string;
  /** What the operation may cost in all, yoctoNEAR; null or absent: whatever it costs. */
  readonly mostCost?: string | null;
  /** The operation behind it. Absent where it had an intent before, and from a Worker of the release before this one. */
  readonly snapshot?: OperationSnapshot;
}

/** What tells whether the database is older than a wallet's journal. */
export interface RollbackCheck {
  /** `empty`: the object has no key, and perhaps lost its journal. */
  readonly state: WalletStatus["state"];
  /** The operation that was accepted last of those that came here, which the database has to have; null: none came. */
  readonly latest: Uuid | null;
  /** How often the database was recovered. */
  readonly generation: number;
}

/** Whether bytes of an operation may still get into a block. */
export type LandingState =
  /** No. What has not landed up to this final height never will. */
  | { readonly isOver: true; readonly height: number }
  /** Yes: for this long at the pace of the blocks, milliseconds; null: nobody can say how long. */
  | { readonly isOver: false; readonly waitMs: number | null };

/** What an operator sees of a wallet. */
export interface WalletStatus {
  /**
   * `empty`: the object has no key, because it was never made or was lost; `prepared`: its account may not exist yet;
   * `restored`: it signs nothing until it is activated; `behind`: the database is older than its journal, and it takes
   * nothing new until that is recovered; `locked_out`: its key is not on its account, and it takes nothing new until the
   * key is there.
   */
  readonly state: "empty" | "prepared" | "restored" | "behind" | "locked_out" | "active";
  /** Empty, like the key, if there is none. */
  readonly accountId: string;
  readonly publicKey: Uint8Array;
  /** yoctoNEAR at the last final block asked; null before the account exists or when no node answers. */
  readonly balance: string | null;
  /** What remains of it beside storage and everything journaled, yoctoNEAR; null with `balance`. */
  readonly available: string | null;
  /** What it spent a day, the mean of the last seven (UTC), yoctoNEAR. */
  readonly spentPerDay: string;
  readonly lanes: readonly {
    readonly publicKey: string;
    readonly kind: "full_access" | "function_call";
    readonly open: number;
  }[];
  readonly queued: number;
  readonly open: number;
  /** The first hundred; `stuck` has them all. */
  readonly stuck: readonly TransactionRecord[];
}

/** A record that needs the operator, and its cursor in the journal. */
export interface StuckRecord {
  readonly place: number;
  readonly record: TransactionRecord;
}

/** The key of a wallet as it may leave its object: public half, and the sealed copy for D1. */
export interface SealedKey {
  readonly publicKey: Uint8Array;
  /** AES-256-GCM: 12 bytes nonce, ciphertext, tag. */
  readonly sealed: Uint8Array;
  readonly secretVersion: number;
}

/** Methods of a wallet object, as its client offers them (src/wallet/client.ts retries by these rules). */
export interface Wallet {
  /**
   * Makes the key unless there is one, and answers with it. The caller stores the sealed copy first, then lets the
   * account be created.
   */
  prepareKey(accountId: string): Promise<SealedKey>;
  /** Tells the object that its account exists now, so that it may sign. */
  activate(): Promise<void>;
  /**
   * Takes over a sealed key after the object was lost; it signs nothing until open operations are reconciled.
   * @param generation the database's from now on; absent: its first
   */
  restore(
    accountId: string,
    sealed: Uint8Array,
    secretVersion: number,
    generation?: number,
  ): Promise<SealedKey>;
  /**
   * Journals an intent. The same operation and step again answers `accepted` and changes nothing.
   * @param waitMs how long to wait, once it is journaled, until the operation's records are over, as `settled` does;
   * absent: not at all, and without records
   */
  submit(intent: Intent, waitMs?: number): Promise<SubmitResult>;
  /**
   * Gives an operation up, if its journal has exactly `journaled` rows and none of them is queued or open: from then
   * on `submit` of a new step answers `withdrawn`. True if so (also when it was withdrawn before with these rows);
   * false if it has other rows, so that its caller has to read them, or where rows of it may have been lost with a
   * former object. This makes "nothing more is sent" a promise.
   * @param isNew the caller has only just accepted it, and its one call was answered, so that no former object can have
   * had it
   * @param states the rows' states on which the caller's decision rests, in their order: where one of them is another
   * by now, the operation isn't given up
   */
  withdraw(
    operationUuid: Uuid,
    journaled: number,
    isNew?: boolean,
    states?: readonly TransactionRecord["state"][],
  ): Promise<boolean>;
  /** All records of an operation, in the order in which they were submitted. */
  transactions(operationUuid: Uuid): Promise<TransactionRecord[]>;
  /**
   * Waits until every record of the operation is over (not `queued` or `open`) or the time is up, then answers as
   * `transactions` does. Milliseconds.
   */
  recordsAtEnd(operationUuid: Uuid, timeoutMs: number): Promise<TransactionRecord[]>;
  /**
   * Whether bytes that were signed for the operation may still get into a block. They may while a row is queued or open,
   * while an unprovable one may still be included, and by an object that can't know: one without its key, or for
   * operations that began before its restoration until the validity period after that is over.
   */
  landing(operationUuid: Uuid): Promise<LandingState>;
  /** Their effects are in D1: the rows of these operations may be forgotten after a while, and the alarm needs not resume them. */
  acknowledgeAll(acknowledgements: readonly Acknowledgement[]): Promise<void>;
  /**
   * Waits until the operation is acknowledged or the time is up, and answers whether it is. Milliseconds. The database
   * may say otherwise, if it was rolled back.
   */
  acknowledged(operationUuid: Uuid, timeoutMs: number): Promise<boolean>;
  /** What the database has to have, if it isn't older than the journal. */
  rollbackCheck(): Promise<RollbackCheck>;
  /**
   * Says that the database doesn't have an operation which this wallet has had from it. From then on nothing new is
   * taken, until `recovered`. Without effect where it was recovered since `generation`.
   */
  databaseLacks(missing: Uuid, generation: number): Promise<void>;
  /**
   * Operations that the journal keeps, in the order of their acceptance.
   * @param after behind the first of these that the journal knows, or behind a place; from its start where it knows none
   */
  journaled(after: readonly Uuid[] | SnapshotPosition, limit: number): Promise<JournaledOperation[]>;
  /** Those of these operations that the journal keeps. */
  journaledOf(operations: readonly Uuid[]): Promise<JournaledOperation[]>;
  /** An operation can't be put back: from now on the database may lack it. */
  lose(operationUuid: Uuid): Promise<void>;
  /** The database has everything again that can be put back. New operations are taken. */
  recovered(): Promise<void>;
  /** What the wallet has spent since the day (UTC) began, yoctoNEAR as a decimal string. */
  spentToday(): Promise<string>;
  /**
   * The wallet as it is now. Its balance may be as old as is asked for, unless the wallet itself has changed it since.
   * @param maxAgeMs milliseconds; default: it is asked for
   */
  status(maxAgeMs?: number): Promise<WalletStatus>;
  /**
   * Records that need the operator, after a cursor in the journal (0: from its start): unprovable ones, and those
   * that have been waiting or open for two minutes. Null from an object that has lost its key or waits to be
   * activated: its journal doesn't know what waits for it.
   */
  stuck(after: number, limit: number): Promise<StuckRecord[] | null>;
  /** Seals the key under the newest version of the secret. */
  reseal(): Promise<SealedKey>;
  /** Looks after everything open, as the alarm does; the scheduled job calls it. */
  reconcile(): Promise<void>;
}
