import { isStorageUnavailable, isUnavailable } from "../../db/statements.ts";
import { DATABASE_RETRY_AFTER, ServiceError } from "../../domain/errors.ts";
import type { Failure } from "../../domain/failures.ts";
import type { Uuid } from "../../domain/ids.ts";

/** How long after its uuid was made an operation can be accepted, as docs/outcomes.md promises. Milliseconds. */
export const ACCEPTED_WITHIN_MS = 2 * 60_000;

/** How long reads and the key of an operation that its ledger may have lost answer `LOST`. Milliseconds. */
export const LOST_ANSWERED_MS = 7 * 24 * 3_600_000;

/** What is known of an operation that its ledger may have lost. */
export const LOST: Failure = {
  code: "outcome_unknown",
  message:
    "The operation was lost with the storage that had it, and may have taken effect. Look at the chain; ask the operator before you " +
    "send it as a new request.",
  outcome: "unknown",
  retryable: false,
};

/**
 * The error for a request with an unknown outcome. Retrying could execute it twice, so the error refers to the
 * operation. With its Idempotency-Key the request may be repeated at any time, because the key refers to the operation
 * too.
 */
const unknownOutcome = (operationUuid: Uuid, cause: unknown, what: string): ServiceError => {
  const isOutage = isUnavailable(cause) || isStorageUnavailable(cause) || cause instanceof ServiceError;
  return new ServiceError(
    isOutage ? "database_unavailable" : "internal_error",
    `Don't send this as a new request: ${what}`,
    {
      outcome: "unknown",
      retryable: false,
      ...(isOutage && { retryAfter: DATABASE_RETRY_AFTER }),
      operationUuid,
      cause,
    },
  );
};

/** The ledger didn't report whether the operation was accepted. */
export const maybeAccepted = (operationUuid: Uuid, cause: unknown): ServiceError =>
  unknownOutcome(
    operationUuid,
    cause,
    `it may have been accepted as operation ${operationUuid}. Read that operation, or send the request again with the ` +
      "same Idempotency-Key. If there is no such operation after two minutes, nothing was done.",
  );

/** The operation was accepted, but its state can't be read or committed now. */
export const acceptedUnread = (operationUuid: Uuid, cause: unknown): ServiceError =>
  unknownOutcome(
    operationUuid,
    cause,
    `it was accepted as operation ${operationUuid}, and its state can't be read now. Read the operation, ` +
      "or send the request again with the same Idempotency-Key.",
  );
