import type { Issue } from "./issues.ts";

/** How far a chain operation had come when it failed. `final` is an effect that will not change any more. */
export type ChainOutcome = "not_submitted" | "failed_on_chain" | "unknown" | "final";

/** A limit of the integration that a request would exceed, by its name among `limits` of GET /me. */
export interface ExceededQuota {
  readonly limit: string;
  readonly used: number;
  readonly max: number;
}

/** What a write could cost by now, and what it may, yoctoNEAR. */
export interface ExceededCost {
  readonly needed: string;
  readonly at_most: string;
}

/** What goes with an error beside its code and message. */
export interface ErrorDetails {
  readonly cost?: ExceededCost;
  readonly quota?: ExceededQuota;
  /** What is wrong. The answer lists the first hundred; the message counts the others. */
  readonly issues?: readonly Issue[];
  /** Problems that were found and are not among `issues`. */
  readonly moreIssues?: number;
  readonly outcome?: ChainOutcome;
  readonly retryable?: boolean;
  /** Seconds until another try makes sense; becomes Retry-After. */
  readonly retryAfter?: number;
  /** The operation that carries on, or that failed. */
  readonly operationUuid?: string;
  /** What happened inside, for the log only. */
  readonly cause?: unknown;
}
