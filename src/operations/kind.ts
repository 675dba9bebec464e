import type { ServiceContext } from "../context.ts";
import type { OperationRow } from "../db/queries/operations.ts";
import type { Statement } from "../db/statements.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Next, StepOutcome } from "../domain/steps.ts";
import type { Action, TransactionRecord } from "../wallet/interface.ts";

/** An operation with its request in the form that its kind gave it at acceptance. */
export interface Operation<Request> extends Omit<OperationRow, "request"> {
  readonly request: Request;
}

/** The transaction of a step. */
export interface StepTransaction {
  readonly receiverId: string;
  readonly actions: readonly Action[];
}

/** What an operation leaves behind once its last step has succeeded. */
export interface Effects {
  readonly status: number;
  /** The answer's body. */
  readonly body: unknown;
  /** Writes of D1. They run in one batch with the operation's end, and each has to be harmless when run again. */
  readonly statements: readonly Statement[];
}

/** What makes a kind of operation: which steps it has, what each sends, and what remains of it. */
export interface KindRules<Request> {
  /** Which wallet signs. */
  readonly wallet: "integration" | "platform";
  /** Facts beyond the transactions that the next step depends on, read anew before each. */
  readonly facts?: (
    context: ServiceContext,
    operation: Operation<Request>,
    records: readonly TransactionRecord[],
  ) => Promise<unknown>;
  /** The state machine; pure. */
  readonly next: (request: Request, outcomes: readonly StepOutcome[], facts: unknown) => Next;
  /**
   * Builds a step's transaction. It may be asked twice for one step; the journal keeps the first. Null where the facts
   * have changed meanwhile, so that the next step is to be decided anew.
   */
  readonly transaction: (
    context: ServiceContext,
    operation: Operation<Request>,
    step: string,
    records: readonly TransactionRecord[],
    facts: unknown,
  ) => Promise<StepTransaction | null>;
  /** Reads what became of it; null while the nodes don't show it yet. */
  readonly effects: (
    context: ServiceContext,
    operation: Operation<Request>,
    records: readonly TransactionRecord[],
    facts: unknown,
  ) => Promise<Effects | null>;
  /**
   * How long reading the effects may take where it is much work, so that one does it at a time. Milliseconds; 0 or
   * absent: little.
   */
  readonly effort?: (facts: unknown) => number;
  /** Whether something is done that has to be completed, so that a refusal of the wallet is waited out. */
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

/** What a lost operation was about can't be had any more. Its message says what, for the operator. */
export class Unrestorable extends Error {
  override readonly name = "Unrestorable";
}

/** The record of the successful attempt of a step. @throws Error where there is none */
export const succeeded = (records: readonly TransactionRecord[], name: string): TransactionRecord => {
  const found = records.find(
    (record) => record.state === "succeeded" && (record.step === name || record.step.startsWith(`${name}~`)),
  );
  if (!found) throw new Error(`step ${name} has not succeeded`);
  return found;
};

/** The height at which all effects of an operation's transactions show; 0 where none is known. */
export const heightOf = (records: readonly TransactionRecord[]): number =>
  Math.max(0, ...records.map(({ height }) => height ?? 0));

/** JSON that a step's call returned. */
export const returned = <T>(record: TransactionRecord): T =>
  JSON.parse(new TextDecoder().decode(record.value ?? new Uint8Array())) as T;
