import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";

/** No endpoint gave a usable answer. The caller's own work decides what that means for it: a read is simply tried again. */
export class ChainUnavailableError extends ServiceError {
  /** @param cause what the endpoints did, for the log @param why in a few words, for the caller */
  constructor(cause: unknown, retryAfter = 5, why = "No node of the chain is reachable") {
    super("chain_unavailable", `${why}; nothing was sent. Try again in ${duration(retryAfter)}.`, {
      outcome: "not_submitted",
      retryable: true,
      retryAfter,
      cause,
    });
    this.name = "ChainUnavailableError";
  }
}

/** Nodes answer, but from a time before what this service knows to be final. It passes by itself. */
export class NodesLagError extends ChainUnavailableError {
  constructor() {
    super(null, 2, "The chain's nodes are behind its final state");
    this.name = "NodesLagError";
  }
}

/**
 * An error that a node answered with, by its typed cause (`error.cause.name`, near.org JSON-RPC reference).
 * `info` is the cause's own detail, `data` the older form of the same.
 */
export class RpcError extends Error {
  readonly causeName: string;
  readonly info: unknown;
  readonly data: unknown;

  constructor(causeName: string, info: unknown, data: unknown) {
    super(`the node answered ${causeName}`);
    this.name = "RpcError";
    this.causeName = causeName;
    this.info = info;
    this.data = data;
  }
}

/** A view that the contract or the virtual machine refused. */
export class ViewError extends Error {
  /** `E_…` where the contract panicked with one of its stable codes. */
  readonly contractCode: string | null;

  constructor(message: string, contractCode: string | null) {
    super(message);
    this.name = "ViewError";
    this.contractCode = contractCode;
  }
}

/** A panic of the contract, `E_CODE: sentence` (docs/contract.md), as a node shows it. */
export interface ContractPanic {
  readonly code: string | null;
  /** The sentence without code and wrapping; the whole text where it is not a panic of ours. */
  readonly message: string;
}

const PANIC = /Smart contract panicked: (?:(E_[A-Z0-9_]+): )?((?:\\"|[^"\n])*)/;

/** Reads a contract's panic out of the text of `ExecutionError` or of a view's `result.error`. */
export const parsePanic = (text: string): ContractPanic => {
  const match = PANIC.exec(text);
  if (!match) return { code: null, message: text };
  return { code: match[1] ?? null, message: match[2]!.trim() };
};

/** Causes with which a node speaks of itself and not of the request: another endpoint is asked instead. */
const NODE_CAUSES = new Set([
  "NO_SYNCED_BLOCKS",
  "NOT_SYNCED_YET",
  "NO_SYNCED_YET",
  "UNAVAILABLE_SHARD",
  "DOES_NOT_TRACK_SHARD",
  "INTERNAL_ERROR",
]);

/** Whether a cause says that this node can't answer at the moment, whatever it is asked. */
export const isNodeCause = (causeName: string): boolean => NODE_CAUSES.has(causeName);

/** Whether a node's answer has one of these causes. */
export const isCause = (error: RpcError, ...causes: readonly string[]): boolean =>
  causes.includes(error.causeName);
