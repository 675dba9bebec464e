import type { Uuid } from "../domain/ids.ts";
import type { OperationKind, OperationState } from "../domain/operations.ts";

/**
 * An operation as the database has it: what is needed to put it back where the database loses it, and to notice that
 * it has lost others.
 */
export interface Origin {
  readonly kind: OperationKind;
  readonly integrationUuid: Uuid;
  readonly subjectUuid: Uuid;
  /** The validated request, JSON. */
  readonly request: string;
  /** What it was quoted, and what it may cost at most, yoctoNEAR; null, or absent from a former release: neither. */
  readonly quotedCost?: string | null;
  readonly mostCost?: string | null;
  /** Idempotency-Keys that stand for it. */
  readonly keys: readonly OriginKey[];
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
  /** Number of its row: whatever was accepted later has a higher one. */
  readonly rowNumber: number;
  /** The latest other operations of its integration that the database had when this was read from it. */
  readonly beside: readonly Uuid[];
}

/** An Idempotency-Key that stands for an operation. */
export interface OriginKey {
  readonly key: string;
  /** Lower-case hexadecimal of the request's fingerprint. */
  readonly fingerprint: string | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Where an operation stands in the order of acceptance. */
export interface OriginPlace {
  /** How often the database had been recovered. */
  readonly era: number;
  readonly rowNumber: number;
}

/** What an operation came to, as its caller is told. */
export interface Ending {
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
  readonly ending?: Ending;
}

/** An operation as the journal keeps it. */
export interface JournaledOperation extends Omit<Origin, "rowNumber" | "beside"> {
  readonly place: OriginPlace;
  readonly operationUuid: Uuid;
  /** Null: it goes on, or nobody has acknowledged its end. */
  readonly ending: Ending | null;
}
