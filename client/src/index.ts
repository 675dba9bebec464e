export type { FileData, NewAsset } from "./assets.ts";
export { ClaimIssuer, type ClaimLink, type Voucher, type VoucherTerms } from "./claim-issuer.ts";
export {
  type AllowlistAnswer,
  type CallOptions,
  type ChainCallOptions,
  type ClientOptions,
  type HoldersAtBlock,
  MintageClient,
} from "./client.ts";
export {
  ApiError,
  AuthenticationError,
  ChainError,
  type ChainOutcome,
  ConflictError,
  ConnectionError,
  InsufficientFundsError,
  InvalidRequestError,
  type Issue,
  MintageError,
  NotFoundError,
  RateLimitError,
} from "./errors.ts";
export type { EventsWanted } from "./events.ts";
export { OperationPendingError, type WaitOptions } from "./operations.ts";
export type { RetryPolicy } from "./retry.ts";
export type * from "./schema.ts";
export { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from "./webhooks.ts";
