/**
 * The steps of an operation that changes many tokens, each one transaction. A transaction has an effect for all of its
 * tokens or for none, so one that fails because of a token is split until that token is alone.
 */

import type { StepOutcome } from "./steps.ts";
import { attemptName } from "./steps.ts";

/** Codes of the contract that are about one of the tokens. */
const OF_A_TOKEN: ReadonlySet<string | null> = new Set([
  "E_TOKEN_NOT_FOUND",
  "E_LOCKED",
  "E_INVALID_ARGUMENT",
]);

/** Consecutive updates, by their places: from one on, up to another. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The steps so far, and what became of tokens. */
export interface BulkSteps {
  /** Names in the order in which they are sent. */
  readonly steps: readonly string[];
  /** Places of updates that failed, with the outcome of their transaction. */
  readonly failed: ReadonlyMap<number, StepOutcome>;
}

const nameOf = ({ from, to }: Span): string => `update:${from}-${to}`;

/** The updates of a step, by its name. */
export const spanOf = (name: string): Span => {
  const [from = "", to = ""] = name.slice("update:".length).split("-");
  return { from: Number(from), to: Number(to) };
};

/** The steps that follow from the outcomes of those before. @param groups number of updates of each first transaction */
export const bulkSteps = (groups: readonly number[], outcomes: readonly StepOutcome[]): BulkSteps => {
  const known = new Map(outcomes.map((outcome) => [outcome.step, outcome]));
  const lastOf = (name: string): StepOutcome | undefined => {
    let attempt = 1;
    while (known.has(attemptName(name, attempt + 1))) attempt++;
    return known.get(attemptName(name, attempt));
  };
  const steps: string[] = [];
  const failed = new Map<number, StepOutcome>();
  const add = (span: Span): void => {
    const outcome = lastOf(nameOf(span));
    if (outcome?.state !== "failed" || !OF_A_TOKEN.has(outcome.contractCode)) {
      steps.push(nameOf(span));
      return;
    }
    const { from, to } = span;
    if (to - from === 1) {
      failed.set(from, outcome);
      return;
    }
    const middle = from + Math.ceil((to - from) / 2);
    add({ from, to: middle });
    add({ from: middle, to });
  };
  let from = 0;
  for (const count of groups) {
    add({ from, to: from + count });
    from += count;
  }
  return { steps, failed };
};
