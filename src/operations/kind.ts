import type { SQL } from "drizzle-orm";
import type { Collection, FinalizeAnswer, LockAnswer, RevealAnswer } from "../api/resources/collection.ts";
import type {
  CodePublished,
  ContractDeployed,
  ContractHandOver,
  ContractOwnership,
  ContractUpgraded,
} from "../api/resources/contract.ts";
import type { ClaimAnswer, DropAnswer, DropClosed } from "../api/resources/drop.ts";
import type { PayoutAnswer, TransactionAnswer } from "../api/resources/operation.ts";
import type {
  BurnAnswer,
  MintAnswer,
  NftUpdateAnswer,
  NftUpdateBulkAnswer,
  TransferAnswer,
} from "../api/resources/token.ts";
import type { WalletCreated } from "../api/resources/wallet.ts";
import type { ServiceContext } from "../context.ts";
import type { NewOperation, OperationRow } from "../db/queries/operations.ts";
import type { Statement } from "../db/statements.ts";
import type { ServiceError } from "../domain/errors.ts";
import type { Failure } from "../domain/failures.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Mint } from "../domain/mint-notes.ts";
import type { OperationKind } from "../domain/operations.ts";
import {
  missingAmount,
  type Next,
  nextStep,
  type RemedyRule,
  type StepOutcome,
  stepName,
  topUpOf,
  topUpRemedy,
} from "../domain/steps.ts";
import type { TransactionRecord } from "../wallet/interface.ts";
import { isCredible, type StepTransaction, type StorageNeed, topUpFor } from "./top-up.ts";

/** The known state of an operation. */
export interface KnownFacts<Facts> {
  /** Its transactions from the wallet's journal. */
  readonly records: readonly TransactionRecord[];
  readonly facts: Facts;
}

/** The rules that decide an operation's next step. */
export interface StepRules<Request, Facts> {
  /** An operation that must end before the first step is submitted; null or absent if there is none. */
  readonly follows?: (facts: Facts) => Uuid | null;
  /** Names of its steps in order; each is one transaction. */
  readonly steps: (request: Request, facts: Facts) => readonly string[];
  /**
   * Storage that a step needs on a contract. If the contract can't pay for it, it is topped up before the next attempt.
   * Null: it stores nothing that a contract's balance pays.
   */
  readonly storage: ((request: Request, step: string, facts: Facts) => StorageNeed | null) | null;
  /** The remedy for a failed step, other than a top-up. */
  readonly remedy?: (request: Request, facts: Facts) => RemedyRule;
  /** Pause before the first step is submitted, milliseconds; default 0. */
  readonly pause?: (request: Request, facts: Facts) => number;
  /** The outcomes, completed with what the facts prove about transactions that nodes have garbage-collected. */
  readonly proven?: (outcomes: readonly StepOutcome[], facts: Facts) => readonly StepOutcome[];
}

/** The next action of an operation by its kind's rules. */
const nextOf = <Request, Facts>(
  { steps, storage, remedy, pause, follows, proven }: StepRules<Request, Facts>,
  request: Request,
  { records, facts }: KnownFacts<Facts>,
): Next => {
  const earlier = records.length === 0 ? (follows?.(facts) ?? null) : null;
  if (earlier !== null) return { do: "follow", operation: earlier };
  const delay = records.length === 0 ? (pause?.(request, facts) ?? 0) : 0;
  if (delay > 0) return { do: "pause", delay };
  const outcomes = records.map(outcomeOf);
  const found = remedy?.(request, facts) ?? (storage ? topUpRemedy : NO_REMEDY);
  const rule: RemedyRule = (name, outcome, attempt) => {
    const remedied = found(name, outcome, attempt);
    if (remedied === null || !storage || outcome.contractCode !== "E_STORAGE_BALANCE") return remedied;
    const need = storage(request, name, facts);
    return need && isCredible(need, missingAmount(outcome.failure) ?? 0n) ? remedied : null;
  };
  return nextStep(steps(request, facts), proven?.(outcomes, facts) ?? outcomes, rule);
};

const NO_REMEDY: RemedyRule = () => null;

const outcomeOf = (record: TransactionRecord): StepOutcome => ({
  step: record.step,
  state: record.state,
  contractCode: record.contractCode,
  failure: record.result?.failure_message ?? null,
});

/** An operation with its request in its kind's form. */
export interface Operation<Request> extends Omit<OperationRow, "request"> {
  readonly request: Request;
}

interface Results {
  readonly wallet_create: WalletCreated;
  readonly contract_deploy: ContractDeployed;
  readonly contract_publish: CodePublished;
  readonly contract_upgrade: ContractUpgraded;
  readonly contract_hand_over: ContractHandOver;
  readonly contract_accept: ContractOwnership;
  readonly contract_top_up: { readonly message: "success"; readonly tx_results: readonly object[] };
  readonly finalize: FinalizeAnswer;
  readonly collection_update: Collection;
  readonly mint: MintAnswer;
  readonly nft_update: NftUpdateAnswer;
  readonly nft_update_bulk: NftUpdateBulkAnswer;
  readonly nft_transfer: TransferAnswer;
  readonly nft_burn: BurnAnswer;
  readonly nft_lock: NftUpdateAnswer;
  readonly collection_reveal: RevealAnswer;
  readonly collection_lock: LockAnswer;
  readonly allowlist_add: TransactionAnswer;
  readonly allowlist_remove: TransactionAnswer;
  readonly allowlist_clear: TransactionAnswer;
  readonly wallet_payout: PayoutAnswer;
  readonly currency_payout: PayoutAnswer;
  readonly drop_create: DropAnswer;
  readonly drop_update: DropAnswer;
  readonly drop_close: DropClosed;
  readonly claim: ClaimAnswer;
}

/** Doesn't compile until `Results` has a line for each kind. */
type Complete<All extends Readonly<Record<OperationKind, object>>> = All;

/** The response body of each kind. */
export type KindResults = { readonly [K in OperationKind]: Complete<Results>[K & keyof Results] };

/** The results of an operation after its last step has succeeded. */
export interface Effects<Body = unknown> {
  readonly status: number;
  /** The response body. */
  readonly body: Body;
  /** Writes to the ledger, in one transaction with the operation's end. */
  readonly statements: readonly Statement[];
  /** Writes to D1, which the ledger's outbox makes once and in order after that; absent: none. */
  readonly indexed?: readonly Statement[];
  /**
   * Fails, with an error that `isNotAsRead` recognizes, if the data behind the response has changed; absent: it can't
   * change.
   */
  readonly asRead?: Statement;
  /** The tokens minted in the collection; absent if there are none. */
  readonly mint?: Mint;
}

/** The last step has succeeded, but its target no longer exists: the operation ends with this failure. */
export interface Gone {
  readonly failure: Failure;
}

/** What an operation needs of D1, under its id. */
export interface Reservation {
  /** False: it can't be had now. */
  readonly take: (operationId: Uuid) => Promise<boolean>;
  /** Gives it back: the operation wasn't accepted. Idempotent. */
  readonly undo: (operationId: Uuid) => Promise<void>;
  /** Once taken: statements, in groups, that write it again where D1 was set back. Absent: nothing is lost with it. */
  readonly again?: (operationId: Uuid) => readonly (readonly Statement[])[];
}

/** What is written where an operation ends without its effects. */
export interface Consequences {
  readonly statements?: readonly Statement[];
  /** As in effects. */
  readonly indexed?: readonly Statement[];
}

/** An operation to accept, with what is written in the same batch. */
export interface Proposal<K extends OperationKind = OperationKind>
  extends Omit<NewOperation, "id" | "integrationId" | "costLimit" | "reference"> {
  readonly kind: K;
  readonly id?: Uuid;
  /** SHA-256 in lower-case hexadecimal of files that the collection references from the acceptance on. */
  readonly files?: readonly string[];
  /** What must hold at the acceptance, such as that a draft hasn't changed since it was read; absent: nothing. */
  readonly condition?: SQL;
  /** Why the condition doesn't hold; null if it holds by now. Absent: the caller finds the reason. */
  readonly refusal?: () => Promise<ServiceError | null>;
  /**
   * If `condition` holds, no lock forbids the write. Otherwise `check` reads again, and decides.
   * @throws ServiceError by `check`, if a lock forbids it
   */
  readonly unlocked?: { readonly condition: SQL; readonly check: () => Promise<void> };
  /** Writes to the ledger after the operation's row, in its batch. */
  readonly after?: readonly Statement[];
  /** What it needs of D1, reserved before it is accepted; absent: nothing. */
  readonly reserve?: Reservation;
  /** It is accepted before its first step is known, which depends on what the ledger has by then. */
  readonly acceptFirst?: boolean;
  /** State of the draft that it depends on: a quote that can be executed is for this state alone. */
  readonly quotedState?: string;
  /** What it changes for ever, in sentences that a quote shows; absent: nothing. */
  readonly permanent?: readonly string[];
  /** Initial facts of its kind, read for the proposal, which hold once it is accepted. */
  readonly known?: unknown;
}

/** A kind of operation: its steps, their transactions, its effects and failures. */
export interface KindRules<Request, Facts, Body> extends StepRules<Request, Facts> {
  /**
   * Facts beyond the transactions that the next step depends on, read before each step.
   * @param known facts read earlier by this or for the proposal, unless found to be outdated
   */
  readonly facts: (
    context: ServiceContext,
    operation: Operation<Request>,
    records: readonly TransactionRecord[],
    known: Facts | undefined,
  ) => Facts | Promise<Facts>;
  /**
   * The request completed with everything that its first step fixes, without storing it.
   * @throws ServiceError if there is nothing to do
   */
  readonly prepared?: (context: ServiceContext, operation: Operation<Request>) => Promise<Request>;
  /** Stores what a step depends on before it is submitted. Idempotent. */
  readonly before?: (
    context: ServiceContext,
    operation: Operation<Request>,
    step: string,
    facts: Facts,
  ) => Promise<void>;
  /**
   * Builds a step's transaction, to send or to price. May be called twice for a step; the journal keeps the first
   * result. Null if the facts have changed, so that the next step must be decided again.
   */
  readonly transaction: (
    context: ServiceContext,
    operation: Operation<Request>,
    step: string,
    known: KnownFacts<Facts>,
  ) => Promise<StepTransaction | null>;
  /** Reads the results; null until the nodes show them. */
  readonly effects: (
    context: ServiceContext,
    operation: Operation<Request>,
    known: KnownFacts<Facts>,
  ) => Promise<Effects<Body> | Gone | null>;
  /** Whether reading the effects takes long, so that the Worker does it; default: no. */
  readonly isLong?: (facts: Facts) => boolean;
  /** Whether a partial effect must be completed, so that a refusal of the wallet is retried. */
  readonly isCommitted?: (records: readonly TransactionRecord[]) => boolean;
  /**
   * The effects of an operation that can't continue after some of its transactions have succeeded: it succeeds with these, which
   * name what the failure left undone. So does one that the operator settles as having taken effect. Null: it fails. Absent: it always does.
   */
  readonly partial?: (
    context: ServiceContext,
    operation: Operation<Request>,
    records: readonly TransactionRecord[],
    failure: Failure,
  ) => Effects<Body> | null;
  /** What is written on failure. */
  readonly onFailure?: Writes<Request>;
  /** What is written where the operator settles an unprovable operation as having taken effect, though its response can't be restored. */
  readonly onSettled?: Writes<Request>;
}

type Writes<Request> = (
  context: ServiceContext,
  operation: Operation<Request>,
  records: readonly TransactionRecord[],
) => Consequences | Promise<Consequences>;

/** An operation evaluated by its kind's rules. */
export interface Outlook<Body = unknown> {
  /** Facts beyond the transactions, for the next evaluation. */
  readonly facts: unknown;
  /** The next action. */
  readonly next: () => Next;
  /** The transaction of a step, including top-ups; null if the next step must be decided again. */
  readonly transaction: (step: string) => Promise<StepTransaction | null>;
  /** Storage that a step needs on a contract; null for none or a top-up. */
  readonly storage: (step: string) => StorageNeed | null;
  /** Whether it takes more than one transaction, top-ups apart. */
  readonly isInParts: boolean;
  /** Called before a step is submitted. */
  readonly before: (step: string) => Promise<void>;
  /** Whether reading the effects takes long. */
  readonly isLong: boolean;
  /** Null until the nodes show the results. */
  readonly effects: () => Promise<Effects<Body> | Gone | null>;
}

/** A kind of operation as the engine uses it, independent of its request and facts. */
export interface Kind<Body = unknown> {
  /** @param known facts of an earlier evaluation or its proposal that aren't known to be outdated */
  readonly look: (
    context: ServiceContext,
    row: OperationRow,
    records: readonly TransactionRecord[],
    known?: unknown,
  ) => Promise<Outlook<Body>>;
  /** The request as it is before the first step is submitted, not stored. */
  readonly prepared: (context: ServiceContext, row: OperationRow) => Promise<unknown>;
  readonly isCommitted: (records: readonly TransactionRecord[]) => boolean;
  /** As in its rules; null if it fails. */
  readonly partial: (
    context: ServiceContext,
    row: OperationRow,
    records: readonly TransactionRecord[],
    failure: Failure,
  ) => Effects<Body> | null;
  readonly onFailure: RowWrites;
  readonly onSettled: RowWrites;
}

type RowWrites = (
  context: ServiceContext,
  row: OperationRow,
  records: readonly TransactionRecord[],
) => Promise<Consequences>;

/** Creates a kind from its rules. The rows' requests must have the type set at acceptance. */
export const kindOf = <Request, Facts, Body>(rules: KindRules<Request, Facts, Body>): Kind<Body> => {
  const operationOf = (row: OperationRow) => row as Operation<Request>;
  return {
    look: async (context, row, records, before) => {
      const operation = operationOf(row);
      const { request } = operation;
      const facts = await rules.facts(context, operation, records, before as Facts | undefined);
      const known = { records, facts };
      return {
        facts,
        next: () => nextOf(rules, request, known),
        transaction: async (step) => {
          const paidFor = topUpOf(step);
          if (paidFor === null) return rules.transaction(context, operation, stepName(step), known);
          const need = rules.storage?.(request, paidFor, facts);
          if (!need) throw new Error(`a ${row.kind} needs no top-up`);
          return topUpFor(need, records);
        },
        storage: (step) =>
          (topUpOf(step) === null && rules.storage?.(request, stepName(step), facts)) || null,
        before: async (step) => rules.before?.(context, operation, stepName(step), facts),
        isInParts: rules.steps(request, facts).length > 1,
        isLong: rules.isLong?.(facts) ?? false,
        effects: () => rules.effects(context, operation, known),
      };
    },
    prepared: async (context, row) => (await rules.prepared?.(context, operationOf(row))) ?? row.request,
    isCommitted: (records) => rules.isCommitted?.(records) ?? false,
    partial: (context, row, records, failure) =>
      rules.partial?.(context, operationOf(row), records, failure) ?? null,
    onFailure: async (context, row, records) =>
      (await rules.onFailure?.(context, operationOf(row), records)) ?? {},
    onSettled: async (context, row, records) =>
      (await rules.onSettled?.(context, operationOf(row), records)) ?? {},
  };
};
