import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";

/** No endpoint returned a usable response. Reads can simply be repeated. */
export class ChainUnavailableError extends ServiceError {
  /** @param cause the endpoints' errors, for the log @param why a short reason for the caller */
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

/** Nodes respond, but with a state older than the known final state. Temporary. */
export class NodesLagError extends ChainUnavailableError {
  constructor() {
    super(null, 2, "The chain's nodes are behind its final state");
    this.name = "NodesLagError";
  }
}

/** A typed error of a node (`error.cause`, near.org JSON-RPC reference); `data` has the details in the older format. */
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

/** A view call rejected by the contract or the virtual machine. */
export class ViewError extends Error {
  /** `E_…` if the contract panicked with one of its stable codes. */
  readonly contractCode: string | null;

  constructor(message: string, contractCode: string | null) {
    super(message);
    this.name = "ViewError";
    this.contractCode = contractCode;
  }
}

/** A panic of the contract, `E_CODE: sentence` (docs/contract.md), as a node reports it. */
export interface ContractPanic {
  readonly code: string | null;
  /** The sentence alone; the whole text if it isn't our contract's. */
  readonly message: string;
}

const PANIC = /Smart contract panicked: (?:(E_[A-Z0-9_]+): )?((?:\\"|[^"\n])*)/;

/** Parses a contract's panic from the text of `ExecutionError` or of a view's `result.error`. */
export const parsePanic = (text: string): ContractPanic => {
  const match = PANIC.exec(text);
  if (!match) return { code: null, message: text };
  return { code: match[1] ?? null, message: match[2]!.trim() };
};

/** Causes that concern the node rather than the request: another endpoint is tried. */
const NODE_CAUSES = new Set([
  "NO_SYNCED_BLOCKS",
  "NOT_SYNCED_YET",
  "NO_SYNCED_YET",
  "UNAVAILABLE_SHARD",
  "DOES_NOT_TRACK_SHARD",
  "INTERNAL_ERROR",
]);

/** Whether a cause says that this node currently can't serve any request. */
export const isNodeCause = (causeName: string): boolean => NODE_CAUSES.has(causeName);

/** Whether an error has one of these causes. */
export const isCause = (error: RpcError, ...causes: readonly string[]): boolean =>
  causes.includes(error.causeName);
