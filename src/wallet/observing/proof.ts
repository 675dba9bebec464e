import { accessKeyNonces, isMissingBlock, keyChanges, readBlock } from "../../chain/blocks.ts";
import type { CallOptions, ChainRpc } from "../../chain/rpc.ts";

/**
 * Proofs (b) and (c) of docs/transactions.md: the final block in which a key's nonce reached or passed a row's, or in
 * which the key was taken off its account, is found, and the transactions that used the key in it are named. If the
 * row's isn't among them it never landed and never will.
 */

/** History as one kind of endpoint knows it. `undefined` says that it has no such block: skipped, or forgotten. */
export interface KeyHistory {
  /** The key's nonce after a block; null if the key didn't exist. */
  nonceAt(block: number | string): Promise<number | null | undefined>;
  /** Hash of the block before the block of a height. */
  previousOf(height: number): Promise<string | undefined>;
  /**
   * What happened to the key in a block: transactions that used it, with the nonces they left, and its deletion.
   * `early`: the block is too young to be believed.
   */
  changesIn(height: number): Promise<KeyChanges | "early" | undefined>;
}

export interface KeyChanges {
  readonly uses: readonly { readonly hash: string; readonly nonce: number }[];
  readonly isDeleted: boolean;
}

/** What the blocks say: `unproven` when those that matter are not to be had here. */
export type Proof = "landed" | "dead" | "early" | "unproven";

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
  const isReached = (nonce: number | null) => nonce !== null && nonce >= row.nonce;
  const block = await firstWhere(history, isReached, row.baseHeight, reachedAt);
  const before = await nonceBefore(history, block);
  if (before === undefined || isReached(before)) return "unproven";
  const changes = await history.changesIn(block);
  if (changes === undefined) return "unproven";
  if (changes === "early") return "early";
  if (changes.uses.some(({ hash }) => hash === row.hash)) return "landed";
  return changes.uses.some(({ nonce }) => isReached(nonce)) ? "dead" : "unproven";
};

/** A key that is added at a height begins with the nonce (height - 1) * this (near-primitives, access key nonces). */
const NONCES_A_BLOCK = 1_000_000;

/**
 * Looks for proof (c), for a key that is not on the account any more.
 * @param row as for `proveByBlock`
 * @param seenAt height of a final block, not below the row's base block, from which on the key's fate is looked for
 * @param goneAt height of a final block at which the key isn't on the account
 */
export const proveGone = async (
  history: KeyHistory,
  row: { readonly nonce: number; readonly hash: string; readonly baseHeight: number },
  seenAt: number,
  goneAt: number,
): Promise<Proof> => {
  // Were the key added again after that block, its nonces would begin above the row's: the row needs the key that is gone.
  if (row.nonce > seenAt * NONCES_A_BLOCK) return "unproven";
  const seen = await history.nonceAt(seenAt);
  if (seen === undefined) return "unproven";
  if (seen === null) return seenAt === row.baseHeight ? "dead" : "unproven";
  if (seen >= row.nonce) return proveByBlock(history, row, seenAt);
  const isOver = (nonce: number | null) => nonce === null || nonce >= row.nonce;
  const block = await firstWhere(history, isOver, seenAt, goneAt);
  const before = await nonceBefore(history, block);
  if (before === undefined || isOver(before)) return "unproven";
  const changes = await history.changesIn(block);
  if (changes === undefined) return "unproven";
  if (changes === "early") return "early";
  if (changes.uses.some(({ hash }) => hash === row.hash)) return "landed";
  return changes.isDeleted || changes.uses.some(({ nonce }) => nonce >= row.nonce) ? "dead" : "unproven";
};

/** The key's nonce after the block before a block; null if it didn't exist. */
const nonceBefore = async (history: KeyHistory, height: number): Promise<number | null | undefined> => {
  const previous = await history.previousOf(height);
  return previous === undefined ? undefined : history.nonceAt(previous);
};

/**
 * The lowest height in a range at which something is known to hold of the key's nonce, which holds from some height
 * on. Heights without a block are passed over.
 * @param from it doesn't hold there @param until it holds there
 */
const firstWhere = async (
  history: KeyHistory,
  holds: (nonce: number | null) => boolean,
  from: number,
  until: number,
): Promise<number> => {
  let below = from;
  let above = until;
  let reached = until;
  while (above - below > 1) {
    const middle = below + Math.floor((above - below) / 2);
    const probe = await firstKnown(history, middle, above);
    if (probe === null) above = middle;
    else if (holds(probe.nonce)) {
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

/** How a key's history is read. */
interface HistoryOptions extends CallOptions {
  /**
   * The highest block whose changes are believed. A node that is behind may still show a block that a fork has dropped
   * under the height of a final one, so the last heights that nodes may differ by prove nothing yet.
   */
  readonly believedHeight: number;
}

/** A key's history as the endpoints tell it. @throws ChainUnavailableError */
export const keyHistory = (
  rpc: ChainRpc,
  accountId: string,
  publicKey: string,
  { believedHeight, ...options }: HistoryOptions,
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
    changesIn: async (height) => {
      if (height > believedHeight) return "early";
      const changes = await orMissing(keyChanges(rpc, { accountId, publicKey }, height, options));
      return (
        changes && {
          uses: changes.flatMap((change) =>
            change.kind === "use" ? [{ hash: change.transactionHash, nonce: Number(change.nonce) }] : [],
          ),
          isDeleted: changes.some(({ kind }) => kind === "deletion"),
        }
      );
    },
  };
};
