import { type ChainOutcome, ERRORS, type ErrorCode, type ExceededCost, ServiceError } from "./errors.ts";
import type { Issue } from "./issues.ts";

/** The failure of an operation, as its row and its response have it. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly outcome: ChainOutcome;
  readonly retryable: boolean;
  readonly retryAfter?: number;
  readonly issues?: readonly Issue[];
  readonly cost?: ExceededCost;
}

export const failureError = (failure: Failure, operationUuid: string): ServiceError => {
  const { code, message, ...details } = failure;
  return new ServiceError(code, message, { ...details, operationUuid });
};

export const failureStatus = (failure: Failure): number => ERRORS[failure.code].status;
