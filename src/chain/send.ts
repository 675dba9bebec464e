import { base64Encode } from "near-api-js";
import { ChainUnavailableError, RpcError } from "./errors.ts";
import type { FinalOutcome } from "./outcome.ts";
import type { CallOptions, ChainRpc } from "./rpc.ts";

/** A node's response to bytes, which proves nothing. `refused`: with an `InvalidTxError` variant. */
export type SendResult =
  | { readonly kind: "taken" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "unclear" };

/** A node waits up to ten seconds before it responds. Milliseconds. */
const WAITING_TIMEOUT_MS = 15_000;

/** Submits signed bytes; any response is a result. @param awaitInclusion else a node accepts bytes without checking them */
export const sendTransaction = async (
  rpc: ChainRpc,
  bytes: Uint8Array,
  options?: CallOptions,
  awaitInclusion = false,
): Promise<SendResult> => {
  const params = { signed_tx_base64: base64Encode(bytes), wait_until: awaitInclusion ? "INCLUDED" : "NONE" };
  try {
    await rpc.call(
      "send_tx",
      params,
      awaitInclusion ? { ...options, timeoutMs: WAITING_TIMEOUT_MS } : options,
    );
    return { kind: "taken" };
  } catch (error) {
    if (error instanceof RpcError) {
      const reason =
        error.causeName === "INVALID_TRANSACTION" ? invalidTxReason(error.data ?? error.info) : null;
      return reason ? { kind: "refused", reason } : { kind: "unclear" };
    }
    if (error instanceof ChainUnavailableError) return { kind: "unclear" };
    throw error;
  }
};

/** The variant of an InvalidTxError, such as `Expired` (near-primitives, errors.rs); null if it is none. */
const invalidTxReason = (value: unknown): string | null => {
  if (typeof value !== "object" || value === null) return null;
  const within = value as Record<string, unknown>;
  if ("TxExecutionError" in within) return invalidTxReason(within.TxExecutionError);
  if (!("InvalidTxError" in within)) return null;
  const kind = within.InvalidTxError;
  if (typeof kind === "string") return kind;
  if (typeof kind === "object" && kind !== null) return Object.keys(kind)[0] ?? null;
  return null;
};

/** A transaction's status by one node. `unknown` doesn't prove absence; `not_applied`: included, without any effect. */
export type TransactionStatus =
  | { readonly kind: "unknown" }
  | { readonly kind: "pending"; readonly included: boolean }
  | { readonly kind: "not_applied"; readonly reason: string }
  | { readonly kind: "final"; readonly outcome: FinalOutcome };

const INCLUDED = new Set(["INCLUDED", "EXECUTED_OPTIMISTIC", "INCLUDED_FINAL", "EXECUTED", "FINAL"]);

interface StatusView extends Partial<Omit<FinalOutcome, "status">> {
  readonly status?: FinalOutcome["status"] | "NotStarted" | "Started";
  readonly final_execution_status?: string;
}

/** Reads a transaction's status without waiting. @throws ChainUnavailableError when no node responds */
export const transactionStatus = async (
  rpc: ChainRpc,
  hash: string,
  signerId: string,
  options?: CallOptions,
): Promise<TransactionStatus> => {
  try {
    const params = { tx_hash: hash, sender_account_id: signerId, wait_until: "NONE" };
    return readStatus(await rpc.call<StatusView>("tx", params, options));
  } catch (error) {
    if (error instanceof RpcError) {
      const reason = invalidTxReason(error.data ?? error.info);
      return reason ? { kind: "not_applied", reason } : { kind: "unknown" };
    }
    throw error;
  }
};

const readStatus = (view: StatusView): TransactionStatus => {
  const level = view.final_execution_status ?? "NONE";
  // Until the transaction executes, the status is a bare string: "NotStarted" or "Started".
  const status = typeof view.status === "object" ? view.status : undefined;
  const failure = status && "Failure" in status ? invalidTxReason(status.Failure) : null;
  if (failure) return { kind: "not_applied", reason: failure };
  if (level !== "FINAL" || !status || !view.transaction_outcome) {
    return { kind: "pending", included: INCLUDED.has(level) };
  }
  return {
    kind: "final",
    outcome: {
      status,
      ...(view.transaction && { transaction: view.transaction }),
      transaction_outcome: view.transaction_outcome,
      receipts_outcome: view.receipts_outcome ?? [],
    },
  };
};
