import type { Uuid } from "../domain/ids.ts";
import {
  missingAmount,
  type Next,
  nextStep,
  type RemedyRule,
  type StepOutcome,
  topUpRemedy,
} from "../domain/steps.ts";
import type { TransactionRecord } from "../wallet/interface.ts";
import { isCredible, type StorageNeed } from "./top-up.ts";

/** What is known of an operation at one moment. */
export interface Known<Facts> {
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
export const nextOf = <Request, Facts>(
  { steps, storage, remedy, pause, follows, proven }: StepRules<Request, Facts>,
  request: Request,
  { records, facts }: Known<Facts>,
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
