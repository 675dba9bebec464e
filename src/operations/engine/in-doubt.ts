import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";

/**
 * What a caller is told where the service can't say what became of its request. "Try again" would invite it to have
 * the same done twice, so that it is led to the operation instead; under its Idempotency-Key it may repeat the request
 * at any time, because the key leads to the operation too.
 */
const inDoubt = (operationUuid: Uuid, cause: unknown, what: string): ServiceError =>
  new ServiceError("internal_error", `Don't send this as a new request: ${what}`, {
    outcome: "unknown",
    retryable: false,
    operationUuid,
    cause,
  });

/** The database didn't say whether the operation was accepted. */
export const perhapsAccepted = (operationUuid: Uuid, cause: unknown): ServiceError =>
  inDoubt(
    operationUuid,
    cause,
    `it may have been accepted as operation ${operationUuid}. Read that operation, or send this again with the same ` +
      "Idempotency-Key; if there is still no such operation after a minute, nothing was done.",
  );

/** The operation was accepted, but what it has come to can't be read or promised at the moment. */
export const acceptedUnread = (operationUuid: Uuid, cause: unknown): ServiceError =>
  inDoubt(
    operationUuid,
    cause,
    `it was accepted as operation ${operationUuid}, and its state can't be read now. Read the operation, ` +
      "or send this again with the same Idempotency-Key.",
  );
