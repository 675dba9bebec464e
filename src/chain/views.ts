import { base64Encode, baseDecode, baseEncode } from "near-api-js";
import { BYTE_PRICE } from "../domain/promised-bytes.ts";
import { pause } from "../waiting.ts";
import type { SeenBlock } from "./endpoints.ts";
import { NodesLagError, parsePanic, RpcError, ViewError } from "./errors.ts";
import type { CallOptions, ChainRpc } from "./rpc.ts";

/** The state to read: the last final block, the head, or a block by height or hash. */
export type At = "final" | "optimistic" | { readonly block: number | string };

const reference = (at: At) => (typeof at === "string" ? { finality: at } : { block_id: at.block });

interface QueryResult {
  readonly block_height: number;
  readonly block_hash: string;
  /** Some node versions return a failed view or a missing key as text here, others as a typed cause. */
  readonly error?: string;
}

/** Retries while nodes lag, and the pause before each in milliseconds: about two seconds of blocks in total. */
const LAG_TRIES = 5;
const LAG_PAUSE_MS = 400;

/**
 * Runs a `query`. Retries briefly while nodes lag or haven't reached `atLeast`.
 * @throws ViewError for text in `result.error`
 * @throws NodesLagError if no node reached the height in time
 */
export const query = async <T>(
  rpc: ChainRpc,
  request: Readonly<Record<string, unknown>>,
  at: At,
  options: CallOptions = {},
): Promise<T & QueryResult> => {
  const blockOf =
    typeof at === "string" ? (answer: unknown) => shownBlock(answer, at === "final") : undefined;
  for (let tries = 1; ; tries++) {
    try {
      const params = { ...request, ...reference(at) };
      const result = await rpc.call<T & QueryResult>("query", params, { ...options, blockOf });
      if (typeof result.error === "string") throw viewError(result.error);
      return result;
    } catch (error) {
      if (!(error instanceof NodesLagError) || tries === LAG_TRIES) throw error;
      await pause(LAG_PAUSE_MS);
    }
  }
};

/** The block of a response or error; an error without one doesn't depend on the block. */
const shownBlock = (answer: unknown, isFinal: boolean): SeenBlock | null => {
  const height = (answer as { readonly block_height?: unknown } | null | undefined)?.block_height;
  return typeof height === "number" ? { height, time: null, isFinal } : null;
};

const viewError = (text: string): ViewError => {
  const { code, message } = parsePanic(text);
  return new ViewError(message, code);
};

/** A call of a view method. */
export interface ViewCall {
  readonly contractId: string;
  readonly method: string;
  /** An object is sent as JSON, bytes are sent unchanged. */
  readonly args?: object | Uint8Array;
}

/** A view's return value, and the height of the block it was read at. */
export interface Seen<T> {
  readonly value: T;
  readonly height: number;
}

/**
 * Calls a view method and returns its result as bytes.
 * @throws ViewError when the contract panics, is missing or runs out of gas
 * @throws ChainUnavailableError when no node responds
 */
const viewBytes = async (
  rpc: ChainRpc,
  { contractId, method, args = {} }: ViewCall,
  at: At,
  options: CallOptions | undefined,
): Promise<Seen<Uint8Array>> => {
  const bytes = args instanceof Uint8Array ? args : new TextEncoder().encode(JSON.stringify(args));
  const request = {
    request_type: "call_function",
    account_id: contractId,
    method_name: method,
    args_base64: base64Encode(bytes),
  };
  try {
    const result = await query<{ result: number[] }>(rpc, request, at, options);
    return { value: Uint8Array.from(result.result), height: result.block_height };
  } catch (error) {
    if (error instanceof RpcError && error.causeName === "CONTRACT_EXECUTION_ERROR") {
      throw viewError(JSON.stringify(error.info));
    }
    if (error instanceof RpcError && MISSING.has(error.causeName)) {
      throw new ViewError(`${contractId} has no contract`, null);
    }
    throw error;
  }
};

const MISSING = new Set(["UNKNOWN_ACCOUNT", "NO_CONTRACT_CODE"]);

/**
 * Calls a view method and parses its JSON result; null if it returned nothing.
 * @throws ViewError, ChainUnavailableError as `viewBytes`; ViewError if the result isn't JSON
 */
export const viewFunction = async <T>(
  rpc: ChainRpc,
  call: ViewCall,
  at: At = "final",
  options?: CallOptions,
): Promise<T> => (await viewSeen<T>(rpc, call, at, options)).value;

/** Like `viewFunction`, with the height of the block that was read. */
export const viewSeen = async <T>(
  rpc: ChainRpc,
  call: ViewCall,
  at: At = "final",
  options?: CallOptions,
): Promise<Seen<T>> => {
  const { value: bytes, height } = await viewBytes(rpc, call, at, options);
  return { value: (bytes.length === 0 ? null : parsed(bytes, call)) as T, height };
};

/** JSON that a contract returned: its owner decides which code runs. @throws ViewError */
const parsed = (bytes: Uint8Array, { contractId, method }: ViewCall): unknown => {
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ViewError(`${contractId} returns no JSON from ${method}`, null);
  }
};

/** An account's balance in yoctoNEAR and its storage in bytes. */
export interface AccountBalance {
  readonly total: bigint;
  /** Staked with a validator. */
  readonly locked: bigint;
  readonly storageUsage: number;
  /** Spendable: the total minus what must stay for storage. */
  readonly available: bigint;
  /** Height of the block that was read. */
  readonly height: number;
}

interface AccountView {
  readonly amount: string;
  readonly locked: string;
  readonly storage_usage: number;
}

/** An account of up to this many bytes needs no balance for storage (NEP-448). */
const ZERO_BALANCE_BYTES = 770;

/** Reads an account's balance; null if the account doesn't exist. @throws ChainUnavailableError */
export const accountBalance = async (
  rpc: ChainRpc,
  accountId: string,
  at: At = "final",
  options?: CallOptions,
): Promise<AccountBalance | null> => {
  try {
    const request = { request_type: "view_account", account_id: accountId };
    const view = await query<AccountView>(rpc, request, at, options);
    const total = BigInt(view.amount);
    const locked = BigInt(view.locked);
    const bytes = view.storage_usage > ZERO_BALANCE_BYTES ? BigInt(view.storage_usage) : 0n;
    const needed = bytes * BYTE_PRICE - locked;
    const free = needed > 0n ? total - needed : total;
    return {
      total,
      locked,
      storageUsage: view.storage_usage,
      available: free > 0n ? free : 0n,
      height: view.block_height,
    };
  } catch (error) {
    if (error instanceof RpcError && error.causeName === "UNKNOWN_ACCOUNT") return null;
    throw error;
  }
};

/** SHA-256 of an account's code, its own or global; null without an account or code. @throws ChainUnavailableError */
export const accountCode = async (rpc: ChainRpc, accountId: string): Promise<Uint8Array | null> => {
  try {
    const request = { request_type: "view_account", account_id: accountId };
    const view = await query<{ code_hash: string; global_contract_hash?: string | null }>(
      rpc,
      request,
      "final",
    );
    const hash = view.global_contract_hash ?? view.code_hash;
    return hash === NO_CODE ? null : baseDecode(hash);
  } catch (error) {
    if (error instanceof RpcError && error.causeName === "UNKNOWN_ACCOUNT") return null;
    throw error;
  }
};

/** Whether code is published as a global contract under its hash. @throws ChainUnavailableError */
export const isPublishedCode = async (rpc: ChainRpc, codeHash: Uint8Array): Promise<boolean> => {
  try {
    await query(rpc, { request_type: "view_global_contract_code", code_hash: baseEncode(codeHash) }, "final");
    return true;
  } catch (error) {
    if (error instanceof RpcError && error.causeName === "NO_GLOBAL_CONTRACT_CODE") return false;
    throw error;
  }
};

/** base58 of 32 zero bytes, the hash of an account without code. */
const NO_CODE = "1".repeat(32);

/**
 * Which of the accounts exist. An account missing from the last final block is read again at the head from another
 * endpoint, because it may have just been created.
 * @throws ChainUnavailableError
 */
export const accountExists = async (
  rpc: ChainRpc,
  accountIds: Iterable<string>,
): Promise<Map<string, boolean>> => {
  const [asked] = rpc.order();
  const exists = async (id: string): Promise<[string, boolean]> => {
    const balance =
      (await accountBalance(rpc, id)) ?? (await accountBalance(rpc, id, "optimistic", { avoid: asked }));
    return [id, balance !== null];
  };
  return new Map(await Promise.all([...new Set(accountIds)].map(exists)));
};
