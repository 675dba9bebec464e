/**
 * The next action of an operation, as a pure function of the outcomes of its transactions. A step is one transaction. One that
 * failed and has a remedy is retried under a new name, `mint~2` after `mint`, its identity in the wallet's journal.
 */

import type { Uuid } from "./ids.ts";

/** The outcome of a step's transaction. States are those of the wallet's journal. */
export interface StepOutcome {
  readonly step: string;
  readonly state: "queued" | "open" | "succeeded" | "failed" | "refused" | "unknown";
  /** The contract's stable code where it failed with one. */
  readonly contractCode: string | null;
  /** Why it failed, in words of the contract or the protocol. */
  readonly failure: string | null;
}

export type Remedy =
  /** Submit another transaction first, such as a top-up, then retry the step. */
  | { readonly first: string }
  /** Retry the step after a pause. Milliseconds. */
  | { readonly again: number }
  /** Wait for an event elsewhere: check again after a pause. Milliseconds. */
  | { readonly pause: number }
  | null;

export type Next =
  /** Submit this step to the wallet after `delay` milliseconds. */
  | { readonly do: "submit"; readonly step: string; readonly delay: number }
  | { readonly do: "wait" }
  | { readonly do: "pause"; readonly delay: number }
  /** Wait until another operation, by its uuid, has ended. */
  | { readonly do: "follow"; readonly operation: Uuid }
  | { readonly do: "finish" }
  | { readonly do: "fail"; readonly step: string }
  | { readonly do: "unknown"; readonly step: string };

/** Chooses a remedy for the failure of a step at its nth attempt, counted from 1. */
export type RemedyRule = (name: string, outcome: StepOutcome, attempt: number) => Remedy;

/** Name of an attempt: the plain name first, then `~2`, `~3`. */
export const attemptName = (name: string, attempt: number): string =>
  attempt === 1 ? name : `${name}~${attempt}`;

/** The step's name without its attempt. */
export const stepName = (step: string): string => step.split("~")[0]!;

/** The next action for steps that follow each other, by their outcomes only. @param names the steps in their order */
export const nextStep = (
  names: readonly string[],
  outcomes: readonly StepOutcome[],
  remedyFor: RemedyRule,
): Next => {
  const known = new Map(outcomes.map((outcome) => [outcome.step, outcome]));
  for (const name of names) {
    const next = nextAttempt(name, known, remedyFor);
    if (next !== null) return next;
  }
  return { do: "finish" };
};

/** Null once the step has succeeded. */
const nextAttempt = (
  name: string,
  known: ReadonlyMap<string, StepOutcome>,
  remedyFor: RemedyRule,
): Next | null => {
  let attempt = 1;
  while (known.has(attemptName(name, attempt + 1))) attempt++;
  const step = attemptName(name, attempt);
  const outcome = known.get(step);
  if (outcome === undefined) return { do: "submit", step, delay: 0 };
  if (outcome.state === "succeeded") return null;
  const unfinished = waitFor(outcome);
  if (unfinished !== null) return unfinished;
  const remedy = outcome.state === "failed" ? remedyFor(name, outcome, attempt) : null;
  if (remedy === null) return { do: "fail", step };
  if ("pause" in remedy) return { do: "pause", delay: remedy.pause };
  const again = attemptName(name, attempt + 1);
  if ("again" in remedy) return { do: "submit", step: again, delay: remedy.again };
  const first = known.get(remedy.first);
  if (first === undefined) return { do: "submit", step: remedy.first, delay: 0 };
  if (first.state === "succeeded") return { do: "submit", step: again, delay: 0 };
  return waitFor(first) ?? { do: "fail", step: first.step };
};

const waitFor = (outcome: StepOutcome): Next | null => {
  if (outcome.state === "queued" || outcome.state === "open") return { do: "wait" };
  return outcome.state === "unknown" ? { do: "unknown", step: outcome.step } : null;
};

/** How often a step is retried after a top-up because the contract couldn't pay for storage. */
export const MAX_TOP_UPS = 3;

/** The amount missing for storage in the contract's message (docs/contract.md, E_STORAGE_BALANCE). */
const MISSING = /yoctonear missing: (\d+)/;

/** The missing amount that the contract's message states, yoctoNEAR; null: the message has another form. */
export const missingAmount = (failure: string | null): bigint | null => {
  const amount = MISSING.exec(failure ?? "")?.[1];
  return amount === undefined ? null : BigInt(amount);
};

/** A contract that can't pay for storage is topped up. Every other failure is final, also one without the missing amount. */
export const topUpRemedy: RemedyRule = (name, { contractCode, failure }, attempt) =>
  contractCode === "E_STORAGE_BALANCE" && attempt <= MAX_TOP_UPS && missingAmount(failure) !== null
    ? { first: `topup:${name}:${attempt}` }
    : null;

/** Pause before a mint of a chosen asset is retried in a later block (milliseconds), and the number of retries. */
const LATER_BLOCK_MS = 600;
export const MAX_LATER_BLOCKS = 3;

/** Codes with which the contract refuses a mint of a chosen asset because of other draws in its block (docs/contract.md). */
const OF_BLOCK: ReadonlySet<string | null> = new Set(["E_DRAW_HIDDEN", "E_GAS_TOO_LOW"]);

/**
 * A mint of a chosen asset is retried in a later block if draws in its block prevent it. One beyond the day's quota of the
 * collection is retried with a full-access key, to which the quota doesn't apply.
 */
export const mintRemedy: RemedyRule = (name, outcome, attempt) => {
  // The attempts before it may have had other remedies.
  if (outcome.contractCode === "E_STAFF_QUOTA")
    return attempt <= Math.max(MAX_TOP_UPS, MAX_LATER_BLOCKS) + 1 ? { again: 0 } : null;
  if (!OF_BLOCK.has(outcome.contractCode)) return topUpRemedy(name, outcome, attempt);
  return attempt <= MAX_LATER_BLOCKS ? { again: LATER_BLOCK_MS } : null;
};

/** The step that a top-up is for; null: the step is no top-up. */
export const topUpOf = (step: string): string | null =>
  step.startsWith("topup:") ? step.slice("topup:".length, step.lastIndexOf(":")) : null;

/** Whether a step only prepares another one: a top-up, a registration at a token. */
export const isPreparation = (step: string): boolean =>
  step.startsWith("topup:") || step.startsWith("register:");

/**
 * Steps of a finalization: the collection with its first assets, further batches of assets, and publishing.
 * @param started an earlier finalization has made the collection @param published and published it
 */
export const finalizeSteps = (batches: number, started: boolean, published = false): string[] => {
  if (published) return [];
  if (batches === 1 && !started) return ["create"];
  const adds = Array.from({ length: batches - (started ? 0 : 1) }, (_, index) => `add:${index + 1}`);
  return [...(started ? [] : ["create"]), ...adds, "publish"];
};

export interface CollectionOnChain {
  readonly assets: number;
  readonly published: boolean;
}

/** Whether the outcome of a step of a finalization depends on whether the chain has the collection. */
export const dependsOnCollection = ({
  state,
  contractCode,
}: Pick<StepOutcome, "state" | "contractCode">): boolean =>
  state === "unknown" || contractCode === "E_EXTERNAL_ID_TAKEN";

/**
 * Settles steps of a finalization by the collection on the chain: those whose outcome the nodes no longer know, and those
 * refused because an unrecorded finalization made it. A missing effect proves nothing.
 * @param ends number of assets on the chain after each step
 */
export const settleByCollection = (
  outcomes: readonly StepOutcome[],
  shown: CollectionOnChain | null,
  ends: ReadonlyMap<string, number>,
): StepOutcome[] =>
  outcomes.map((outcome) => {
    if (!dependsOnCollection(outcome) || shown === null) return outcome;
    const name = stepName(outcome.step);
    const end = ends.get(name);
    const done = name === "publish" ? shown.published : end !== undefined && shown.assets >= end;
    return done ? { ...outcome, state: "succeeded" } : outcome;
  });

/** The state of a code's publication as a global contract, when a deployment finds that the chain lacks the code. */
export type Publication = "none" | "ours" | "elsewhere_pending" | "elsewhere_done";

/** How often a deployment is tried while the code spreads over the shards, and the pause before each try. */
const MAX_DEPLOYMENTS = 12;
export const SPREAD_MS = 1_500;

/** Whether a step failed because the chain lacks the global code, and is tried again. */
const lacksCode = ({ failure }: StepOutcome, attempt: number): boolean =>
  attempt < MAX_DEPLOYMENTS && failure?.includes("GlobalContractDoesNotExist") === true;

/** A deployment that finds no global code publishes it, unless another one does, and is retried while the code spreads. */
export const deployRemedy =
  (publication: Publication): RemedyRule =>
  (_name, outcome, attempt) => {
    if (!lacksCode(outcome, attempt)) return null;
    if (publication === "elsewhere_pending") return { pause: SPREAD_MS };
    if (publication === "elsewhere_done") return { again: SPREAD_MS };
    return attempt === 1 ? { first: "publish" } : { again: SPREAD_MS };
  };

/** An upgrade waits for the operation that publishes its code, and is retried while the code spreads over the shards. */
export const upgradeRemedy =
  (publication: Publication): RemedyRule =>
  (_name, outcome, attempt) => {
    if (!lacksCode(outcome, attempt)) return null;
    return publication === "elsewhere_pending" ? { pause: SPREAD_MS } : { again: SPREAD_MS };
  };
