import { base64Decode } from "near-api-js";
import type { transactionView } from "../api/resources/operation.ts";
import type { Shown } from "../api/resources/samples.ts";
import type { ActionView } from "./actions.ts";
import { parsePanic } from "./errors.ts";

export type ChainTransactionResult = Shown<typeof transactionView>;

interface ExecutionOutcome {
  readonly block_hash: string;
  readonly outcome: {
    /** The account that executed it. */
    readonly executor_id?: string;
    readonly status?: unknown;
    readonly gas_burnt: number;
    readonly tokens_burnt: string;
    readonly logs: readonly string[];
  };
}

/** A transaction as returned by `tx`; only the fields that are read. */
interface TransactionView {
  readonly receiver_id: string;
  readonly nonce: number;
  readonly actions: readonly ActionView[];
}

/** A final outcome as returned by `tx`; only the fields that are read. */
export interface FinalOutcome {
  readonly transaction?: TransactionView;
  readonly status: { readonly SuccessValue?: string; readonly Failure?: unknown };
  readonly transaction_outcome: ExecutionOutcome;
  readonly receipts_outcome: readonly ExecutionOutcome[];
}

/** A transaction as the journal identifies it, without the chain. */
export interface TransactionIdentity {
  readonly hash: string;
  readonly signerId: string;
  readonly receiverId: string;
  readonly nonce: bigint;
  readonly explorerUrl: string | null;
}

export interface Settled {
  readonly state: "succeeded" | "failed";
  readonly result: ChainTransactionResult;
  /** Bytes of SuccessValue; null if the transaction failed. */
  readonly value: Uint8Array | null;
  readonly contractCode: string | null;
}

/** The result of a transaction that isn't final yet. */
export const pendingResult = (identity: TransactionIdentity): ChainTransactionResult => ({
  transaction_hash: identity.hash,
  signer_id: identity.signerId,
  receiver_id: identity.receiverId,
  nonce: identity.nonce.toString(),
  status: "pending",
  gas_burnt: null,
  tokens_burnt: null,
  block_hash: null,
  block_time: null,
  logs: [],
  failure_message: null,
  explorer_url: identity.explorerUrl?.replace("{hash}", identity.hash) ?? null,
});

/** Return value of a final outcome, bytes; null if it failed. */
export const returnedBy = ({ status }: FinalOutcome): Uint8Array | null =>
  status.Failure === undefined ? base64Decode(status.SuccessValue ?? "") : null;

/** Converts a final outcome. @param blockTime of the including block, milliseconds since the epoch; null: not known */
export const readOutcome = (
  identity: TransactionIdentity,
  outcome: FinalOutcome,
  blockTime: number | null,
): Settled => {
  const all = [outcome.transaction_outcome, ...outcome.receipts_outcome].map((entry) => entry.outcome);
  const failure = outcome.status.Failure === undefined ? null : describeFailure(outcome.status.Failure);
  const result: ChainTransactionResult = {
    ...pendingResult(identity),
    status: failure ? "failure" : "success",
    gas_burnt: all.reduce((sum, { gas_burnt }) => sum + BigInt(gas_burnt), 0n).toString(),
    tokens_burnt: all.reduce((sum, { tokens_burnt }) => sum + BigInt(tokens_burnt), 0n).toString(),
    block_hash: outcome.transaction_outcome.block_hash,
    block_time: blockTime === null ? null : new Date(blockTime).toISOString(),
    logs: all.flatMap(({ logs }) => logs),
    failure_message: failure?.message ?? null,
  };
  if (failure) return { state: "failed", result, value: null, contractCode: failure.code };
  return { state: "succeeded", result, value: returnedBy(outcome), contractCode: null };
};

/** Why a receipt failed that an account executed; null: none did. */
export const failureAt = (
  { receipts_outcome }: FinalOutcome,
  accountId: string,
): { readonly code: string | null; readonly message: string } | null => {
  const failed = receipts_outcome.find(
    ({ outcome }) => outcome.executor_id === accountId && executionErrorOf(outcome.status) !== null,
  );
  return failed ? describeFailure(failed.outcome.status) : null;
};

/** A failure's code and message: a contract's own, or the protocol's typed name, such as `GlobalContractDoesNotExist`. */
const describeFailure = (failure: unknown): { code: string | null; message: string } => {
  const text = executionErrorOf(failure);
  if (text !== null) return parsePanic(text);
  return { code: null, message: `The chain refused an action: ${JSON.stringify(failure)}` };
};

const executionErrorOf = (value: unknown): string | null => {
  if (typeof value !== "object" || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "ExecutionError" && typeof inner === "string") return inner;
    const found = executionErrorOf(inner);
    if (found !== null) return found;
  }
  return null;
};
