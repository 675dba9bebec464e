import { accessKeyNonces, isMissingBlock, keyChanges, readBlock } from "../chain/blocks.ts";
import type { CallOptions, ChainRpc } from "../chain/rpc.ts";

/**
 * Proof (b) of docs/transactions.md: the final block in which a key's nonce reached or passed a row's is found, and
 * the transactions that used the key in it are named. If the row's isn't among them it never landed and never will.
 */

/** History as one kind of endpoint knows it. `undefined` says that it has no such block: skipped, or forgotten. */
export interface KeyHistory {
  /** The key's nonce after a block; null where the key didn't exist. */
  nonceAt(block: number | string): Promise<number | null | undefined>;
  /** Hash of the block before the block of a height. */
  previousOf(height: number): Promise<string | undefined>;
  /** Hashes of the transactions that used the key in a block, and the nonces they left. */
  usesIn(height: number): Promise<readonly { hash: string; nonce: number }[] | undefined>;
}

/** What the blocks say: `unproven` when those that matter are not to be had here. */
export type Proof = "landed" | "dead" | "unproven";

/**
 * Looks for proof (b).
 * @param row its nonce, hash, and base block's height, where the key's nonce was still below
 * @param reachedAt height of a final block at which the key's nonce is at least the row's
 */
export const proveByBlock = async (
  history: KeyHistory,
  row: { readonly nonce: number; readonly hash: string; readonly baseHeight: number },
  reachedAt: number,
): Promise<Proof> => {
  const block = await firstReached(history, row, reachedAt);
  const previous = await history.previousOf(block);
  if (previous === undefined) return "unproven";
  const before = await history.nonceAt(previous);
  if (before === undefined || (before !== null && before >= row.nonce)) return "unproven";
  const uses = await history.usesIn(block);
  if (uses === undefined) return "unproven";
  if (uses.some(({ hash }) => hash === row.hash)) return "landed";
  return uses.some(({ nonce }) => nonce >= row.nonce) ? "dead" : "unproven";
};

/** The lowest height at which the nonce is known to have reached the row's. Heights without a block are passed over. */
const firstReached = async (
  history: KeyHistory,
  row: { readonly nonce: number; readonly baseHeight: number },
  reachedAt: number,
): Promise<number> => {
  let below = row.baseHeight;
  let above = reachedAt;
  let reached = reachedAt;
  while (above - below > 1) {
    const middle = below + Math.floor((above - below) / 2);
    const probe = await firstKnown(history, middle, above);
    if (probe === null) above = middle;
    else if (probe.nonce !== null && probe.nonce >= row.nonce) {
      reached = probe.height;
      above = middle;
    } else below = probe.height;
  }
  return reached;
};

/** How many heights without a block are passed over at most; more in a row means forgotten, not skipped. */
const MAX_SKIPPED = 10;

const firstKnown = async (
  history: KeyHistory,
  from: number,
  until: number,
): Promise<{ height: number; nonce: number | null } | null> => {
  for (let height = from; height < Math.min(until, from + MAX_SKIPPED); height++) {
    const nonce = await history.nonceAt(height);
    if (nonce !== undefined) return { height, nonce };
  }
  return null;
};

/** A key's history as the endpoints tell it. @throws ChainUnavailableError */
export const keyHistory = (
  rpc: ChainRpc,
  accountId: string,
  publicKey: string,
  options: CallOptions,
): KeyHistory => {
  const orMissing = async <T>(work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (isMissingBlock(error)) return undefined;
      throw error;
    }
  };
  return {
    nonceAt: async (block) => {
      const keys = await orMissing(accessKeyNonces(rpc, accountId, { block }, options));
      if (keys === undefined) return undefined;
      const nonce = keys.nonces.get(publicKey);
      return nonce === undefined ? null : Number(nonce);
    },
    previousOf: async (height) => (await orMissing(readBlock(rpc, { block: height }, options)))?.previous,
    usesIn: async (height) => {
      const changes = await orMissing(keyChanges(rpc, accountId, publicKey, height, options));
      return changes?.map(({ transactionHash, nonce }) => ({ hash: transactionHash, nonce: Number(nonce) }));
    },
  };
};
