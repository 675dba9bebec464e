/** Blocks: what is kept of each, and how the next follows from the last. Pure. */
import { encodeHash, sha256, ZERO_HASH } from "../protocol/hash.ts";
import type { Change } from "../state/workspace.ts";

export interface Block {
  height: number;
  hash: string;
  prevHash: string;
  prevHeight: number | null;
  /** Nanoseconds since 1970. */
  timestamp: bigint;
  randomValue: Uint8Array;
  /** The price of gas in this block, yoctoNEAR. */
  gasPrice: bigint;
  nextGasPrice: bigint;
  gasUsed: number;
  balanceBurnt: bigint;
  totalSupply: bigint;
  transactions: string[];
  /** Receipts executed or stored in this block. */
  receipts: string[];
  changes: Change[];
  /** Receipts that wait for the next block; absent in blocks of an older release. */
  pending?: string[];
}

/** A block's work, in gas and in compute: nearcore's limit of a chunk. */
export const BLOCK_GAS_LIMIT = 1_000_000_000_000_000;
/** Gas that turning transactions into receipts may take of a block (congestion control's upper limit). */
export const BLOCK_TRANSACTION_GAS = 500_000_000_000_000;

const MIN_GAS_PRICE = 100_000_000n;
const MAX_GAS_PRICE = MIN_GAS_PRICE * 20n;

export { MAX_GAS_PRICE, MIN_GAS_PRICE };

/** Gas gets dearer by up to half a percent a block while blocks are more than half full, and cheaper while less. */
export function nextGasPrice(price: bigint, gasUsed: number): bigint {
  const limit = BigInt(BLOCK_GAS_LIMIT);
  // price * (1 + (used/limit - 1/2) / 100), in integers
  const numerator = 2n * 100n * limit + 2n * BigInt(gasUsed) - limit;
  const next = (price * numerator) / (2n * 100n * limit);
  return next < MIN_GAS_PRICE ? MIN_GAS_PRICE : next > MAX_GAS_PRICE ? MAX_GAS_PRICE : next;
}

/** The hash of a block that follows `prevHash`: a block is known before it is executed, as on a node. */
export function blockHash(
  prevHash: string,
  height: number,
  timestamp: bigint,
  randomValue: Uint8Array,
): string {
  return encodeHash(sha256(Buffer.from(`${prevHash}|${height}|${timestamp}|${encodeHash(randomValue)}`)));
}

/** A hash that stands for something this chain doesn't compute, such as a Merkle root, stable for its block. */
export function derivedHash(block: Pick<Block, "hash">, what: string): string {
  return encodeHash(sha256(Buffer.from(`${what}|${block.hash}`)));
}

/** The hash of a block's one chunk. */
export function chunkHash(block: Pick<Block, "hash">): string {
  return derivedHash(block, "chunk");
}

export function genesisBlock(chainId: string, seed: Uint8Array, timestamp: bigint): Block {
  return {
    height: 0,
    hash: encodeHash(sha256(Buffer.concat([Buffer.from(chainId), seed]))),
    prevHash: ZERO_HASH,
    prevHeight: null,
    timestamp,
    randomValue: sha256(seed),
    gasPrice: MIN_GAS_PRICE,
    nextGasPrice: MIN_GAS_PRICE,
    gasUsed: 0,
    balanceBurnt: 0n,
    totalSupply: 0n,
    transactions: [],
    receipts: [],
    changes: [],
  };
}
