/** Errors as nodes send them: `error.name`, `error.cause`, and the older `code`, `message` and `data` beside them. */
import type { ErrorView } from "../protocol/types.ts";

export class RpcError extends Error {
  /** The HTTP status that goes with it. */
  readonly status: number;
  readonly body: { name?: string; cause?: unknown; code: number; message: string; data?: unknown };

  constructor(status: number, body: RpcError["body"]) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

function handlerError(name: string, info: Record<string, unknown>, data: unknown, status = 200): RpcError {
  return new RpcError(status, {
    name: "HANDLER_ERROR",
    cause: { name, info },
    code: -32_000,
    message: "Server error",
    data,
  });
}

export function parseError(message: string): RpcError {
  return new RpcError(400, {
    name: "REQUEST_VALIDATION_ERROR",
    cause: { name: "PARSE_ERROR", info: { error_message: message } },
    code: -32_700,
    message: "Parse error",
    data: message,
  });
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(400, {
    name: "REQUEST_VALIDATION_ERROR",
    cause: { name: "METHOD_NOT_FOUND", info: { method_name: method } },
    code: -32_601,
    message: "Method not found",
    data: method,
  });
}

export function internalError(message: string): RpcError {
  return new RpcError(500, {
    name: "INTERNAL_ERROR",
    cause: { name: "INTERNAL_ERROR", info: { error_message: message } },
    code: -32_000,
    message: "Server error",
    data: message,
  });
}

export function unknownBlock(reference: unknown): RpcError {
  return handlerError(
    "UNKNOWN_BLOCK",
    { block_reference: reference },
    `DB Not Found Error: BLOCK: ${JSON.stringify(reference)}`,
  );
}

export interface At {
  block_height: number;
  block_hash: string;
}

export function garbageCollected(at: At): RpcError {
  const text = `The data for block #${at.block_height} is garbage collected on this node, use an archival node to fetch historical data`;
  return handlerError("GARBAGE_COLLECTED_BLOCK", { ...at }, text);
}

export function unknownAccount(accountId: string, at: At): RpcError {
  return handlerError(
    "UNKNOWN_ACCOUNT",
    { requested_account_id: accountId, ...at },
    `account ${accountId} does not exist while viewing`,
  );
}

export function noContractCode(accountId: string, at: At): RpcError {
  return handlerError(
    "NO_CONTRACT_CODE",
    { contract_account_id: accountId, ...at },
    `Contract code for contract ID #${accountId} has never been observed on the node`,
  );
}

export function noGlobalContractCode(identifier: ErrorView, at: At): RpcError {
  return handlerError(
    "NO_GLOBAL_CONTRACT_CODE",
    { identifier, ...at },
    `Global contract code with identifier ${JSON.stringify(identifier)} has never been observed on the node`,
  );
}

export function tooLargeState(accountId: string, at: At): RpcError {
  return handlerError(
    "TOO_LARGE_CONTRACT_STATE",
    { contract_account_id: accountId, ...at },
    `State of contract ${accountId} is too large to be viewed`,
  );
}

export function unknownTransaction(hash: string): RpcError {
  return handlerError(
    "UNKNOWN_TRANSACTION",
    { requested_transaction_hash: hash },
    `Transaction ${hash} doesn't exist`,
  );
}

export function unknownReceipt(id: string): RpcError {
  return handlerError(
    "UNKNOWN_RECEIPT",
    { receipt_id: id },
    `Receipt with id ${id} has never been observed on this node`,
  );
}

export function unknownChunk(hash: string): RpcError {
  return handlerError("UNKNOWN_CHUNK", { chunk_hash: hash }, `Chunk Missing (hash: ${hash})`);
}

/** A node waited for a transaction's status in vain. With no cause the older form, as a lagging node sends it. */
export function timeoutError(cause: Record<string, unknown>): RpcError {
  return handlerError("TIMEOUT_ERROR", cause, "Timeout", 408);
}

export function invalidTransaction(error: { InvalidTxError: ErrorView }): RpcError {
  return handlerError("INVALID_TRANSACTION", {}, { TxExecutionError: error });
}
