import type { SQL } from "drizzle-orm";
import type { Collection } from "../api/resources/collection.ts";
import type {
  CodePublished,
  ContractDeployed,
  ContractHandOver,
  ContractOwnership,
  ContractUpgraded,
} from "../api/resources/contract.ts";
import type { ClaimAnswer, DropAnswer, DropClosed } from "../api/resources/drop.ts";
import type { FinalizeAnswer } from "../api/resources/finalization.ts";
import type { WalletCreated } from "../api/resources/integration.ts";
import type { PayoutAnswer, TransactionAnswer } from "../api/resources/operation.ts";
import type { MintAnswer, NftUpdateAnswer } from "../api/resources/token.ts";
import type { ServiceContext } from "../context.ts";
import type { Database } from "../db/client.ts";
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

/** What is known of an operation at one moment. */
export interface KnownFacts<Facts> {
  /** Its transactions, as the wallet's journal has them. */
  readonly records: readonly TransactionRecord[];
  readonly facts: Facts;
}

/** What decides which step of an operation comes next. */
export interface StepRules<Request, Facts> {
  /** The operation whose end is waited for before the first step is handed over; null or absent: none. */
  readonly follows?: (facts: Facts) => Uuid | null;
  /** Names of its steps, in their order; each is one transaction. */
  readonly steps: (request: Request, facts: Facts) => readonly string[];
  /** What a step stores on a contract. Where the contract can't pay for it, it is topped up before the next attempt. */
  readonly storage?: (request: Request, step: string, facts: Facts) => StorageNeed;
  /** What is done about a step that failed, where that isn't a top-up. */
  readonly remedy?: (request: Request, facts: Facts) => RemedyRule;
  /** Pause before the first step is handed over; 0 or absent: none. Milliseconds. */
  readonly pause?: (request: Request, facts: Facts) => number;
  /** The outcomes with what the facts prove where the nodes have forgotten a transaction. */
  readonly proven?: (outcomes: readonly StepOutcome[], facts: Facts) => readonly StepOutcome[];
}

/** What an operation does next, by its kind's rules. */
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
    return isCredible(storage(request, name, facts), missingAmount(outcome.failure) ?? 0n) ? remedied : null;
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

/** An operation with its request in the form that its kind gave it at acceptance. */
export interface Operation<Request> extends Omit<OperationRow, "request"> {
  readonly request: Request;
}

/** What each kind answers. */
export interface KindResults {
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
  readonly allowlist_add: TransactionAnswer;
  readonly allowlist_remove: TransactionAnswer;
  readonly allowlist_clear: TransactionAnswer;
  readonly wallet_payout: PayoutAnswer;
  readonly drop_create: DropAnswer;
  readonly drop_extend: DropAnswer;
  readonly drop_close: DropClosed;
  readonly claim: ClaimAnswer;
}

/** An operation's results, once its last step has succeeded. */
export interface Effects<Body = unknown> {
  readonly status: number;
  /** The answer's body. */
  readonly body: Body;
  /** Writes of D1. They run in one batch with the operation's end, and each has to be harmless when run again. */
  readonly statements: readonly Statement[];
  /** Runs the batch, and again where it may: files that it relies on were being deleted; absent: it is run once. */
  readonly commit?: <Result>(write: () => Promise<Result>) => Promise<Result>;
  /** Fails, by a failure that `isNotAsRead` knows, where what the answer was made of has changed; absent: nothing can. */
  readonly asRead?: Statement;
  /** What it minted of the collection it acted on; absent: nothing. */
  readonly mint?: Mint;
}

/** The last step has succeeded, and what it acted on is gone since: the operation ends with a failure that says so. */
export interface Gone {
  readonly failure: Failure;
}

/** An operation that is to be accepted, with what goes into the database beside it. */
export interface Proposal<K extends OperationKind = OperationKind>
  extends Omit<NewOperation, "id" | "integrationId" | "costLimit" | "reference"> {
  readonly kind: K;
  readonly id?: Uuid;
  /** SHA-256 in lower-case hexadecimal of files that the collection it acts on keeps from its acceptance on. */
  readonly files?: readonly string[];
  /** Writes of D1 after the operation's row, in its batch. */
  readonly after?: readonly Statement[];
  /** What its kind's facts begin with: what was read for it, and holds once it is accepted. */
  readonly known?: unknown;
}

/** One that is accepted only where a condition holds, such as that its draft is as it was read. */
export interface ConditionalProposal<K extends OperationKind = OperationKind> extends Proposal<K> {
  readonly condition: SQL;
}

/** One whose caller is told why its condition doesn't hold. */
export interface GuardedProposal<K extends OperationKind = OperationKind> extends ConditionalProposal<K> {
  /** Why it doesn't hold; null: it does by now. */
  readonly refusal: () => Promise<ServiceError | null>;
}

/**
 * What makes a kind of operation: which steps it has, what each sends, what remains of it, and how it fails. `Brought` is
 * what its proposal may bring of the facts.
 */
export interface KindRules<Request, Facts, Body, Brought = Facts> extends StepRules<Request, Facts> {
  /**
   * Facts beyond the transactions that the next step depends on, asked for again before each.
   * @param known what was read before, by this, by `accepted` or for its proposal, unless it was found to be out of date
   *   since
   */
  readonly facts: (
    context: ServiceContext,
    operation: Operation<Request>,
    records: readonly TransactionRecord[],
    known: Facts | Brought | undefined,
  ) => Facts | Promise<Facts>;
  /** Facts that are read in the batch that accepts the operation; absent: none are. */
  readonly accepted?: {
    readonly read: (db: Database, operation: NewOperation) => Statement;
    readonly facts: (rows: readonly unknown[]) => Facts;
  };
  /**
   * Its request with all that its first step fixes, written nowhere; absent: nothing is fixed.
   * @throws ServiceError where there is nothing to do
   */
  readonly prepared?: (context: ServiceContext, operation: Operation<Request>) => Promise<Request>;
  /** Stores what a step relies on before it is handed over. Running it again changes nothing. */
  readonly before?: (
    context: ServiceContext,
    operation: Operation<Request>,
    step: string,
    facts: Facts,
  ) => Promise<void>;
  /**
   * Builds a step's transaction, to be sent or only to be priced. It may be asked twice for one step; the journal keeps
   * the first. Null if the facts have changed meanwhile, so that the next step is to be decided again.
   */
  readonly transaction: (
    context: ServiceContext,
    operation: Operation<Request>,
    step: string,
    known: KnownFacts<Facts>,
  ) => Promise<StepTransaction | null>;
  /** Reads the results; null while the nodes don't show them yet. */
  readonly effects: (
    context: ServiceContext,
    operation: Operation<Request>,
    known: KnownFacts<Facts>,
  ) => Promise<Effects<Body> | Gone | null>;
  /** Lease for reading effects that are much work, one call at a time. Milliseconds; 0 or absent: little work. */
  readonly effort?: (facts: Facts) => number;
  /** Whether a partial effect has to be completed, so that a refusal of the wallet is waited out. */
  readonly isCommitted?: (records: readonly TransactionRecord[]) => boolean;
  /**
   * Puts back what was written with the acceptance, and what it relies on, where the database has lost it. Running it
   * again changes nothing.
   * @param giveUp gives up an open operation that was accepted since, and holds what this one did
   * @throws Unrestorable
   */
  readonly acceptedWith?: (
    context: ServiceContext,
    operation: Operation<Request>,
    giveUp: (other: Uuid) => Promise<void>,
  ) => Promise<void>;
  /** Writes of D1 that go with a failure. */
  readonly onFailure?: (
    context: ServiceContext,
    operation: Operation<Request>,
    records: readonly TransactionRecord[],
  ) => readonly Statement[];
}

/** An operation as its kind sees it at one moment. */
export interface Outlook<Body = unknown> {
  /** What it rests on beyond the transactions, for the next look. */
  readonly facts: unknown;
  /** What it does next. */
  readonly next: () => Next;
  /** The transaction of a step, top-ups included; null where the next step is to be decided again. */
  readonly transaction: (step: string) => Promise<StepTransaction | null>;
  /** What a step stores on a contract; null: nothing, or it is a top-up. */
  readonly storage: (step: string) => StorageNeed | null;
  /** To be called before a step is handed over. */
  readonly before: (step: string) => Promise<void>;
  /** Milliseconds that reading the effects may take; 0: little. */
  readonly effort: number;
  /** Null while the nodes don't show what became of it. */
  readonly effects: () => Promise<Effects<Body> | Gone | null>;
}

/** A kind of operation as the engine works with it, whatever its request and facts are. */
export interface Kind<Body = unknown> {
  /** As in its rules; null: nothing is read at its acceptance. */
  readonly accepted: {
    readonly read: (db: Database, operation: NewOperation) => Statement;
    readonly facts: (rows: readonly unknown[]) => unknown;
  } | null;
  /** @param known facts of a look before, of its acceptance or its proposal, that aren't known to be out of date */
  readonly look: (
    context: ServiceContext,
    row: OperationRow,
    records: readonly TransactionRecord[],
    known?: unknown,
  ) => Promise<Outlook<Body>>;
  /** The request as it is before the first step is handed over, written nowhere. */
  readonly prepared: (context: ServiceContext, row: OperationRow) => Promise<unknown>;
  readonly isCommitted: (records: readonly TransactionRecord[]) => boolean;
  readonly acceptedWith: (
    context: ServiceContext,
    row: OperationRow,
    giveUp: (other: Uuid) => Promise<void>,
  ) => Promise<void>;
  readonly onFailure: (
    context: ServiceContext,
    row: OperationRow,
    records: readonly TransactionRecord[],
  ) => readonly Statement[];
}

/** A kind by its rules. Its rows' requests have the type that it gave them at acceptance. */
export const kindOf = <Request, Facts, Body, Brought = Facts>(
  rules: KindRules<Request, Facts, Body, Brought>,
): Kind<Body> => {
  const operationOf = (row: OperationRow) => row as Operation<Request>;
  return {
    accepted: rules.accepted ?? null,
    look: async (context, row, records, before) => {
      const operation = operationOf(row);
      const { request } = operation;
      const facts = await rules.facts(context, operation, records, before as Facts | Brought | undefined);
      const known = { records, facts };
      return {
        facts,
        next: () => nextOf(rules, request, known),
        transaction: async (step) => {
          const paidFor = topUpOf(step);
          if (paidFor === null) return rules.transaction(context, operation, stepName(step), known);
          if (!rules.storage) throw new Error(`a ${row.kind} needs no top-up`);
          return topUpFor(rules.storage(request, paidFor, facts), records);
        },
        storage: (step) =>
          (topUpOf(step) === null && rules.storage?.(request, stepName(step), facts)) || null,
        before: async (step) => rules.before?.(context, operation, stepName(step), facts),
        effort: rules.effort?.(facts) ?? 0,
        effects: () => rules.effects(context, operation, known),
      };
    },
    prepared: async (context, row) => (await rules.prepared?.(context, operationOf(row))) ?? row.request,
    isCommitted: (records) => rules.isCommitted?.(records) ?? false,
    acceptedWith: async (context, row, giveUp) => rules.acceptedWith?.(context, operationOf(row), giveUp),
    onFailure: (context, row, records) => rules.onFailure?.(context, operationOf(row), records) ?? [],
  };
};

/** The subject of a lost operation can't be restored. The message names it for the operator. */
export class Unrestorable extends Error {
  override readonly name = "Unrestorable";
}
