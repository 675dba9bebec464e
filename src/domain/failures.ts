import { type ChainOutcome, ERRORS, type ErrorCode, type ErrorDetails, ServiceError } from "./errors.ts";

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

export const failureStatus = (failure: Failure): number => ERRORS[failure.code].status;
