import {
  type ChainOutcome,
  ERRORS,
  type ErrorCode,
  type ErrorDetails,
  errorBody,
  ServiceError,
} from "./errors.ts";

/** The failure of an operation, as its row and its response have it. */
export interface Failure extends Pick<ErrorDetails, "retryAfter" | "issues" | "cost"> {
  readonly code: ErrorCode;
  readonly message: string;
  readonly outcome: ChainOutcome;
  readonly retryable: boolean;
}

export const failureError = (failure: Failure, operationUuid: string): ServiceError => {
  const { code, message, ...details } = failure;
  return new ServiceError(code, message, { ...details, operationUuid });
};

/** A failure as its response has it, but for `request_id`. */
export const failureBody = (failure: Failure, operationUuid: string): object => {
  const { request_id: _, ...body } = errorBody(failureError(failure, operationUuid), "");
  return body;
};

export const failureStatus = (failure: Failure): number => ERRORS[failure.code].status;

/** The failure of an operation that the operator has settled as having taken effect. */
export const HAD_EFFECT: Failure = {
  code: "conflict",
  message:
    "The operator settled the operation: it took effect. Read the resource; don't send the request again.",
  outcome: "final",
  retryable: false,
};
