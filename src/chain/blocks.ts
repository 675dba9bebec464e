import { isCause, RpcError } from "./errors.ts";
import { type CallOptions, type ChainRpc, finalBlockOf, type HeaderView } from "./rpc.ts";
import { type At, query } from "./views.ts";

/** The block header fields that the service uses. */
export interface BlockHead {
  readonly height: number;
  /** base58. */
  readonly hash: string;
  /** base58. */
  readonly previous: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** yoctoNEAR per unit of gas. */
  readonly gasPrice: bigint;
}

interface BlockView extends HeaderView {
  readonly header: HeaderView["header"] & {
    readonly hash: string;
    readonly prev_hash: string;
    readonly gas_price: string;
  };
}

const blockExtractor = (at: At): CallOptions["blockOf"] => {
  if (at === "final") return finalBlockOf;
  if (at !== "optimistic") return undefined;
  return (answer) => {
    const block = finalBlockOf(answer);
    return block && { ...block, isFinal: false };
  };
};

/** Reads a block: final, head, or by height or hash. @throws RpcError UNKNOWN_BLOCK, GARBAGE_COLLECTED_BLOCK */
export const readBlock = async (rpc: ChainRpc, at: At, options?: CallOptions): Promise<BlockHead> => {
  const params = typeof at === "string" ? { finality: at } : { block_id: at.block };
  const { header } = await rpc.call<BlockView>("block", params, { ...options, blockOf: blockExtractor(at) });
  return {
    height: header.height,
    hash: header.hash,
    previous: header.prev_hash,
    time: Number(BigInt(header.timestamp_nanosec) / 1_000_000n),
    gasPrice: BigInt(header.gas_price),
  };
};

/** Nonces of an account's access keys at one block, keyed by `ed25519:<base58>`. */
export interface KeyNonces {
  readonly height: number;
  readonly nonces: ReadonlyMap<string, bigint>;
}

interface KeyListView {
  readonly keys: readonly {
    readonly public_key: string;
    readonly access_key: { readonly nonce: number; readonly permission: string | object };
  }[];
}

const keyList = (rpc: ChainRpc, accountId: string, at: At, options?: CallOptions) =>
  query<KeyListView>(rpc, { request_type: "view_access_key_list", account_id: accountId }, at, options).catch(
    asNoKeys,
  );

/** All access keys of an account with their nonces; a missing account has none, however the node says so. */
export const accessKeyNonces = async (
  rpc: ChainRpc,
  accountId: string,
  at: At,
  options?: CallOptions,
): Promise<KeyNonces> => {
  const view = await keyList(rpc, accountId, at, options);
  const nonces = new Map(view.keys.map((key) => [key.public_key, BigInt(key.access_key.nonce)]));
  return { height: view.block_height, nonces };
};

/** Permissions of keys that sign nothing but function calls without a deposit. */
const LIMITED = ["FunctionCall", "GasKeyFunctionCall"];

/** An account's keys that may do anything, such as deploy other code: `ed25519:<base58>`. @throws ChainUnavailableError */
export const fullAccessKeys = async (rpc: ChainRpc, accountId: string): Promise<string[]> => {
  const { keys } = await keyList(rpc, accountId, "final");
  const isLimited = (permission: string | object) =>
    typeof permission === "object" && LIMITED.some((name) => name in permission);
  return keys.flatMap((key) => (isLimited(key.access_key.permission) ? [] : [key.public_key]));
};

/** @throws the error, unless it is UNKNOWN_ACCOUNT with a block height */
const asNoKeys = (error: unknown): KeyListView & { readonly block_height: number } => {
  const height = error instanceof RpcError && (error.info as { block_height?: unknown } | null)?.block_height;
  if (typeof height !== "number" || !isCause(error as RpcError, "UNKNOWN_ACCOUNT")) throw error;
  return { keys: [], block_height: height };
};

/** A change to an access key in a block: used by a transaction, or deleted. */
export type KeyChange =
  /** base58 hash, and the nonce after the transaction. */
  | { readonly kind: "use"; readonly transactionHash: string; readonly nonce: bigint }
  | { readonly kind: "deletion" };

interface ChangesView {
  readonly changes: readonly {
    readonly cause: { readonly type: string; readonly tx_hash?: string };
    readonly type: string;
    readonly change: {
      readonly public_key: string;
      readonly access_key?: { readonly nonce: number };
    };
  }[];
}

/** Changes to a key in one block, in order. Those by a transaction's actions, such as adding it, aren't uses. */
export const keyChanges = async (
  rpc: ChainRpc,
  { accountId, publicKey }: { readonly accountId: string; readonly publicKey: string },
  block: number,
  options?: CallOptions,
): Promise<KeyChange[]> => {
  const params = { changes_type: "all_access_key_changes", account_ids: [accountId], block_id: block };
  const view = await rpc.call<ChangesView>("EXPERIMENTAL_changes", params, options);
  return view.changes.flatMap(({ cause, type, change }): KeyChange[] => {
    if (change.public_key !== publicKey) return [];
    if (type === "access_key_deletion") return [{ kind: "deletion" }];
    if (cause.type !== "transaction_processing" || !cause.tx_hash || !change.access_key) return [];
    return [{ kind: "use", transactionHash: cause.tx_hash, nonce: BigInt(change.access_key.nonce) }];
  });
};

/** Whether an error says that the node doesn't know the block: skipped or not yet produced. */
export const isUnknownBlock = (error: unknown): boolean =>
  error instanceof RpcError && isCause(error, "UNKNOWN_BLOCK");

/** Whether an error says that the node doesn't have the block: skipped, not yet produced, or garbage-collected. */
export const isMissingBlock = (error: unknown): boolean =>
  error instanceof RpcError && isCause(error, "UNKNOWN_BLOCK", "GARBAGE_COLLECTED_BLOCK");
