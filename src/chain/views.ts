import { base64Encode, baseDecode, baseEncode } from "near-api-js";
import { BYTE_PRICE } from "../domain/promised-bytes.ts";
import { pause } from "../waiting.ts";
import type { SeenBlock } from "./endpoints.ts";
import { NodesLagError, parsePanic, RpcError, ViewError } from "./errors.ts";
import type { CallOptions, ChainRpc } from "./rpc.ts";

/** The state to read: the last final block, the head, or a block by height or hash. */
export type At = "final" | "optimistic" | { readonly block: number | string };

/** What a view read, and the height of its block. */
export interface Seen<T> {
  readonly value: T;
  readonly height: number;
}

interface QueryResult {
  readonly block_height: number;
  readonly block_hash: string;
  /** Some node versions return a failed view or a missing key as text here, others as a typed cause. */
  readonly error?: string;
}

/** Retries while nodes lag, and the pause before each in milliseconds: about two seconds of blocks in total. */
const LAG_TRIES = 5;
const LAG_PAUSE_MS = 400;

/** Runs a `query`, again while nodes lag. @throws ViewError for text in `result.error`; NodesLagError */
export const query = async <T>(
  rpc: ChainRpc,
  request: Readonly<Record<string, unknown>>,
  at: At,
  options: CallOptions = {},
): Promise<T & QueryResult> => {
  // An answer or error without a block doesn't depend on it.
  const shownBlock = (answer: unknown): SeenBlock | null => {
    const height = (answer as { readonly block_height?: unknown } | null | undefined)?.block_height;
    return typeof height === "number" ? { height, time: null, isFinal: at === "final" } : null;
  };
  const blockOf = typeof at === "string" ? shownBlock : undefined;
  const params = { ...request, ...(typeof at === "string" ? { finality: at } : { block_id: at.block }) };
  for (let tries = 1; ; tries++) {
    try {
      const result = await rpc.call<T & QueryResult>("query", params, { ...options, blockOf });
      if (typeof result.error === "string") throw viewError(result.error);
      return result;
    } catch (error) {
      if (!(error instanceof NodesLagError) || tries === LAG_TRIES) throw error;
      await pause(LAG_PAUSE_MS);
    }
  }
};

const viewError = (text: string): ViewError => {
  const { code, message } = parsePanic(text);
  return new ViewError(message, code);
};

const MISSING = new Set(["UNKNOWN_ACCOUNT", "NO_CONTRACT_CODE"]);

interface ViewCall {
  readonly contractId: string;
  readonly method: string;
  readonly args?: object;
}

/**
 * Calls a view method and parses its JSON result; null if it returned nothing.
 * @returns also the height of the block that was read
 * @throws ViewError when the contract panics, is missing, runs out of gas or returns no JSON
 * @throws ChainUnavailableError when no node responds
 */
export const viewFunction = async <T>(
  rpc: ChainRpc,
  call: ViewCall,
  at: At = "final",
  options?: CallOptions,
): Promise<Seen<T>> => {
  const { contractId, method, args = {} } = call;
  const request = {
    request_type: "call_function",
    account_id: contractId,
    method_name: method,
    args_base64: base64Encode(new TextEncoder().encode(JSON.stringify(args))),
  };
  try {
    const { result, block_height: height } = await query<{ result: number[] }>(rpc, request, at, options);
    const text = new TextDecoder().decode(Uint8Array.from(result));
    return { value: (text === "" ? null : parsed(text, call)) as T, height };
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

/** JSON that a contract returned: its owner decides which code runs. @throws ViewError */
const parsed = (text: string, { contractId, method }: ViewCall): unknown => {
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
  readonly height: number;
}

interface AccountView {
  readonly amount: string;
  readonly locked: string;
  readonly storage_usage: number;
  readonly code_hash: string;
  readonly global_contract_hash?: string | null;
}

/** An account of up to this many bytes needs no balance for storage (NEP-448). */
const ZERO_BALANCE_BYTES = 770;

const viewAccount = async (rpc: ChainRpc, accountId: string, at: At, options?: CallOptions) => {
  try {
    const request = { request_type: "view_account", account_id: accountId };
    return await query<AccountView>(rpc, request, at, options);
  } catch (error) {
    if (error instanceof RpcError && error.causeName === "UNKNOWN_ACCOUNT") return null;
    throw error;
  }
};

/** Reads an account's balance; null if the account doesn't exist. @throws ChainUnavailableError */
export const accountBalance = async (
  rpc: ChainRpc,
  accountId: string,
  at: At = "final",
  options?: CallOptions,
): Promise<AccountBalance | null> => {
  const view = await viewAccount(rpc, accountId, at, options);
  if (view === null) return null;
  const { storage_usage: storageUsage, block_height: height } = view;
  const [total, locked] = [BigInt(view.amount), BigInt(view.locked)];
  const bytes = storageUsage > ZERO_BALANCE_BYTES ? BigInt(storageUsage) : 0n;
  const needed = bytes * BYTE_PRICE - locked;
  const free = needed > 0n ? total - needed : total;
  return { total, locked, storageUsage, available: free > 0n ? free : 0n, height };
};

/** SHA-256 of an account's code, its own or global; null without an account or code. @throws ChainUnavailableError */
export const accountCode = async (rpc: ChainRpc, accountId: string): Promise<Uint8Array | null> => {
  const view = await viewAccount(rpc, accountId, "final");
  const hash = view?.global_contract_hash ?? view?.code_hash ?? NO_CODE;
  return hash === NO_CODE ? null : baseDecode(hash);
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

/** Which accounts exist. A missing one is looked for at another endpoint's head: it may be new. */
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
