import type { Action } from "../chain/actions.ts";
import type { ContractToken } from "../chain/contract/views.ts";
import type { ChainTransactionResult } from "../chain/outcome.ts";
import type { TransactionResult } from "../db/queries/operation-transactions.ts";
import type { OperationRow } from "../db/queries/operations.ts";
import type { OperationLimits } from "../db/queries/usage.ts";
import type { SentStatement } from "../db/statements.ts";
import type { ErrorCode, ErrorDetails } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Budget } from "../domain/key-rights.ts";

/** The response to a submitted intent. */
export type SubmitResult =
  | { readonly status: "accepted" }
  /** The wallet can't pay. `missing` is yoctoNEAR. Nothing was journaled, as for all following but `withdrawn`. */
  | { readonly status: "insufficient_funds"; readonly missing: string; readonly accountId: string }
  /**
   * The queue is full or has reserved the whole balance, or what is left of a daily limit, which `held` names. With `inactive` the object can't sign: it has no key or isn't
   * activated; with `lockedOut` the
   * wallet's own key (`ed25519:<base58>`) isn't on its account. `retryAfter` is in seconds.
   */
  | {
      readonly status: "busy";
      readonly retryAfter: number;
      readonly held?: "integration" | "key";
      readonly inactive?: true;
      readonly lockedOut?: { readonly publicKey: string; readonly accountId: string };
    }
  /**
   * The wallet would exceed its daily spending limit, or that of an API key. yoctoNEAR: the limit, the amount spent or
   * reserved, the intent's maximum cost; seconds until the next day begins.
   */
  | {
      readonly status: "spending_limited";
      readonly isOfKey: boolean;
      readonly limit: string;
      readonly spent: string;
      readonly cost: string;
      readonly nextDayAfter: number;
    }
  /** The operation would exceed its maximum cost. yoctoNEAR: its cost including this intent, and the maximum. */
  | { readonly status: "too_dear"; readonly needed: string; readonly most: string }
  /** No node is reachable or the chain has stopped. Seconds. */
  | { readonly status: "chain_unavailable"; readonly retryAfter: number }
  /** The operation was withdrawn: this step isn't in the journal and never will be. */
  | { readonly status: "withdrawn" };

export type { Action } from "../chain/actions.ts";

/** One transaction that an operation needs on the chain, exactly once. */
export interface Intent {
  readonly operationUuid: Uuid;
  /** Name of the step, such as `create` or `add:1`; together with the operation it identifies the intent. */
  readonly step: string;
  /** The caller for fair scheduling: requests of different callers take turns. */
  readonly fairnessKey: string;
  readonly receiverId: string;
  readonly actions: readonly Action[];
  /** Daily spending limit (UTC), yoctoNEAR as a decimal string; unlimited if absent. */
  readonly spendingPerDay?: string;
  /** Budgets of API keys that count its cost; none if absent. */
  readonly budgets?: readonly Budget[];
  /** Price of the storage that it takes at most, yoctoNEAR; the budgets count what its deposit doesn't pay. Default: 0. */
  readonly storage?: string;
  /**
   * What all transactions of its operation may cost, and the storage that budgets count beyond that, yoctoNEAR: given with the
   * first of several, which begins only if the limits of the day have room for all. Absent: its own cost.
   */
  readonly whole?: { readonly cost: string; readonly storage: string };
  /** The operation's maximum total cost, yoctoNEAR; unlimited if null or absent. */
  readonly mostCost?: string | null;
}

/** Whether an operation's signed bytes can still be included in a block. */
export type LandingState =
  /** No: bytes not included up to this final height never will be. */
  | { readonly isOver: true; readonly height: number }
  /** Yes, for this long at the current block rate, milliseconds; null if unknown. */
  | { readonly isOver: false; readonly waitMs: number | null };

/** A wallet as operators see it. */
export interface WalletStatus {
  /**
   * `empty`: the object has no key, because it was never created or was lost; `prepared`: its account may not exist
   * yet; `restored`: it signs nothing until it is activated; `locked_out`: its key isn't on its account, and it accepts
   * nothing new until that is repaired.
   */
  readonly state: "empty" | "prepared" | "restored" | "locked_out" | "active";
  /** Empty, like the key, if there is no wallet. */
  readonly accountId: string;
  readonly publicKey: Uint8Array;
  /** yoctoNEAR at the last final block read; null before the account exists or when no node responds. */
  readonly balance: string | null;
  /** Height of the block that the balance was read at; null like `balance`. */
  readonly height: number | null;
  /** Balance minus storage and everything reserved by the journal, yoctoNEAR; null like `balance`. */
  readonly available: string | null;
  /** Mean spending per day over the last seven days (UTC), yoctoNEAR. */
  readonly spentPerDay: string;
  readonly lanes: readonly {
    readonly publicKey: string;
    readonly kind: "full_access" | "function_call";
    readonly open: number;
  }[];
  readonly queued: number;
  readonly open: number;
  /** The first hundred; `stuck` returns all. */
  readonly stuck: readonly TransactionRecord[];
  /** What losses of the last seven days took along and is nowhere, the newest first: at most a thousand. */
  readonly lost: readonly LostOperation[];
}

/** An operation that its ledger has lost, as D1 named it. */
export interface LostOperation {
  readonly operationUuid: Uuid;
  /** The Idempotency-Key that it was accepted with; null: none, or unknown. */
  readonly key: string | null;
}

/** A record that needs the operator, and its cursor in the journal. */
export interface StuckRecord {
  readonly place: number;
  readonly record: TransactionRecord;
}

/** A wallet's key in exportable form: the public key, and the sealed copy for D1. */
export interface SealedKey {
  readonly publicKey: Uint8Array;
  /** AES-256-GCM: 12 bytes nonce, ciphertext, tag. */
  readonly sealed: Uint8Array;
  readonly secretVersion: number;
}

/** An operation's row, with its limits and the facts of its kind if they were read for it. */
export type AcceptedRow = OperationRow & { readonly limits?: OperationLimits; readonly known?: unknown };

/** An operation to accept, as the Worker hands it to its ledger. */
export interface NewWrite {
  /** Its row as it will be. */
  readonly row: AcceptedRow;
  /** Statements that accept it, in one transaction; the first returns its row. */
  readonly statements: readonly SentStatement[];
  /** It is accepted before its first step is known. */
  readonly acceptFirst: boolean;
  /** Its Idempotency-Key; null: none. */
  readonly key: string | null;
}

/** What became of an operation that was to be accepted. */
export type WriteResult =
  /** It was, and this is its row once it has ended or is unknown; null: it is pending after the wait. */
  | { readonly status: "accepted"; readonly row: RowWithResults | null }
  /** A condition doesn't hold. Nothing was written, as for all following. */
  | { readonly status: "not_accepted" }
  /** Its Idempotency-Key belongs to another operation. */
  | { readonly status: "taken" }
  /** The integration was suspended. */
  | { readonly status: "suspended" }
  /** Its wallet refuses the first step. */
  | { readonly status: "refused"; readonly refusal: Exclude<SubmitResult, { readonly status: "accepted" }> }
  /** Its first step can't be made: the error of the API. */
  | {
      readonly status: "failed";
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: ErrorDetails;
    };

/** An operation's row, with its transactions' results if known. */
export type RowWithResults = OperationRow & { readonly results?: readonly TransactionResult[] | undefined };

/** The row of an ended operation. */
export type EndedRow = RowWithResults & {
  /** The next operation in turn; absent if there is none. */
  readonly next?: Pick<OperationRow, "id"> | undefined;
};

/**
 * A wallet for the rest of the service: operations in, their ends and transaction records out. Only the object behind it
 * holds the key and signs (docs/transactions.md). Every method is idempotent: after an exception the client (client.ts)
 * retries with a new stub.
 */
export interface Wallet {
  /**
   * Creates the key unless it exists, and returns it. The caller stores the sealed copy first, then creates the
   * account.
   */
  prepareKey(accountId: string): Promise<SealedKey>;
  /** Reports that the account exists, so that the object may sign. */
  activate(): Promise<boolean>;
  /** Imports a sealed key after the object was lost; it signs nothing until it is activated. */
  restore(accountId: string, sealed: Uint8Array, secretVersion: number): Promise<SealedKey>;
  /**
   * Accepts an operation with its first step in one transaction, and drives it. A repetition joins it.
   * @param waitMs milliseconds; 0: until its first step was submitted or refused
   */
  write(write: NewWrite, waitMs: number): Promise<WriteResult>;
  /**
   * Drives an accepted operation to its end.
   * @param waitMs as for `write` @param height minimum height of the nodes that its results are read from, if the operator knows one
   * @returns its row, ended or unknown; null: it is pending after the wait, or there is none
   */
  carryOut(operationUuid: Uuid, waitMs: number, height?: number | null): Promise<RowWithResults | null>;
  /** Drives an operation that nobody may be waiting for, and what else is overdue. What goes wrong is logged. */
  resume(operationUuid: Uuid, waitMs: number): Promise<void>;
  /** Journals a step for the ledger of another object: the platform's wallet signs for those. */
  submit(intent: Intent): Promise<SubmitResult>;
  /** As `transactions`, once all are over or after the timeout. Milliseconds. */
  recordsAtEnd(operationUuid: Uuid, timeoutMs: number): Promise<TransactionRecord[]>;
  /** Restores a part of a ledger that was emptied or set back from D1 and R2, and resumes where the previous call stopped. */
  restoreLedger(integrationId: Uuid): Promise<RestoredPart>;
  /** Whether the integration's keys accept operations. @param at since when not; null: they do */
  suspend(at: number | null): Promise<void>;
  /**
   * Withdraws an operation if its journal has exactly `journaled` rows and none of them is queued or open: from then on
   * `submit` of a new step returns `withdrawn`, which guarantees that nothing more is sent. Returns true in that case
   * (also when it was withdrawn earlier with these rows); false if it has other rows, which the caller must read, or if
   * rows may have been lost with an earlier object.
   * @param isNew no earlier object can have rows of the operation, because it has just been accepted
   * @param states the states of the rows that the caller's decision is based on, in order: if one has changed, the
   *   operation isn't withdrawn
   */
  withdraw(
    operationUuid: Uuid,
    journaled: number,
    isNew?: boolean,
    states?: readonly TransactionRecord["state"][],
  ): Promise<boolean>;
  /** All records of an operation, in the order of submission. */
  transactions(operationUuid: Uuid): Promise<TransactionRecord[]>;
  /**
   * Whether bytes signed for the operation can still be included in a block. They can while a row is queued or open,
   * while an unprovable row's bytes are valid, and if the object can't know: without its key, or, for operations from
   * before its restoration, until the validity period after the restoration is over.
   */
  landing(operationUuid: Uuid): Promise<LandingState>;
  /** The operation has ended: its rows may be removed after the retention time, and the alarm doesn't resume it. */
  acknowledge(operationUuid: Uuid): Promise<void>;
  /**
   * The amount spent since the start of the day (UTC), yoctoNEAR as a decimal string.
   * @param budget counts an API key's budget; absent: the whole wallet's spending
   */
  spentToday(budget?: Uuid): Promise<string>;
  /**
   * The wallet's current status. The balance may be cached, unless the wallet itself has changed it since.
   * @param maxAgeMs maximum age of the balance in milliseconds; default: read it now
   */
  status(maxAgeMs?: number): Promise<WalletStatus>;
  /**
   * Records that need the operator, after a cursor in the journal (0: from the start): unprovable ones, and those
   * queued or open for two minutes. Null if the object has lost its key or isn't activated, because its journal is
   * incomplete.
   */
  stuck(after: number, limit: number): Promise<StuckRecord[] | null>;
  /** Seals the key with the newest version of the secret. */
  reseal(): Promise<SealedKey>;
  /** Processes everything open, like the alarm; called by the scheduled job. */
  reconcile(): Promise<void>;
}

/** What one call has restored. */
export interface RestoredPart {
  readonly operations: number;
  readonly isDone: boolean;
}

/** A transaction as the wallet knows it. Callers see `result`; the rest is for the operation's next step. */
export interface TransactionRecord {
  readonly operationUuid: Uuid;
  readonly step: string;
  /**
   * `queued`: journaled, not signed; `open`: signed, outcome not final; `succeeded`, `failed`: final on the chain;
   * `refused`: proven to have had no effect and permanently rejected by the chain; `unknown`: unprovable, the operator
   * decides. A row proven dead for a temporary reason is signed again by the object and stays `queued` or `open`.
   */
  readonly state: "queued" | "open" | "succeeded" | "failed" | "refused" | "unknown";
  /** Null while queued. */
  readonly result: ChainTransactionResult | null;
  /** The return value (SuccessValue), bytes; null unless succeeded. */
  readonly value: Uint8Array | null;
  /** The contract's stable error code, such as `E_SOLD_OUT`; `TOO_DEAR` if it wasn't signed because of its cost. */
  readonly contractCode: string | null;
  /**
   * Height of the last block that executed one of its receipts: its effects are visible from there on. Null if unknown.
   */
  readonly height: number | null;
  /**
   * yoctoNEAR that it has cost the wallet so far: gas burnt (its share, for a shared transaction) and the deposit that
   * has moved. Null if unknown.
   */
  readonly cost: string | null;
  /**
   * Tokens of a mint without its own metadata that a caller waited for, in the order of `value`, read at `height` or
   * above; null if burnt since. The wallet reads them once for all waiting callers and returns them once. Absent
   * otherwise: read them from the chain.
   */
  readonly tokens?: readonly (ContractToken | null)[];
}

/** Storage that a collection's contract should have. */
export interface StorageDemand {
  /** Account of the contract, and the collection's id on it. */
  readonly contract: string;
  readonly collectionId: number;
  /** Tokens that it should have storage for, and the number it is topped up to otherwise. */
  readonly least: number;
  readonly wanted: number;
  /** Maximum amount of a top-up, yoctoNEAR as a decimal string. */
  readonly most: string;
}

/** Methods of the Worker's own entry point that the object calls (src/index.ts). */
export interface WorkerEntry {
  /** Ends an operation whose results take long to read (src/operations/engine/drive.ts). */
  finish(integrationId: Uuid, operationUuid: Uuid, height: number | null): Promise<EndedRow | null>;
  /**
   * Tops up a contract that lacks storage for the tokens likely to be ordered.
   * @returns the number of tokens it has storage for, including the top-up; null if it isn't a collection of the
   *   service
   */
  provideStorage(demand: StorageDemand): Promise<number | null>;
}

/** The entry point of the object's Worker. */
export const entryOf = (ctx: Pick<DurableObjectState, "exports">): WorkerEntry =>
  (ctx.exports as unknown as { readonly default: WorkerEntry }).default;
