/** Which block a request means: by finality, height, hash, or a checkpoint. */
import type { Block } from "../blocks/block.ts";
import type { Chain } from "../blocks/chain.ts";
import { garbageCollected, parseError, unknownBlock } from "./errors.ts";

export type Params = Record<string, unknown>;

/** A node's view of the chain; one that lags answers as if its head were some blocks back. */
export interface Node {
  chain: Chain;
  /** Heights by which this node is behind. */
  lag: number;
  /** When this node stopped taking anything in; absent: it goes on. */
  frozen?: Frozen;
  /** How long a request waits for a transaction's status, in milliseconds: 10 s on a node. */
  pollingTimeoutMs: number;
  startedAt: number;
}

/** What a node that stands still goes on answering from, and the transactions that only it has. */
export interface Frozen {
  readonly height: number;
  readonly finalHeight: number;
  readonly pool: Set<string>;
}

export function headHeight({ chain, lag, frozen }: Node): number {
  if (frozen) return frozen.height;
  return lag === 0 ? chain.head.height : chain.store.heightAtOrBelow(Math.max(0, chain.head.height - lag));
}

export function finalHeight(node: Node): number {
  const { chain, lag, frozen } = node;
  if (frozen) return frozen.finalHeight;
  if (lag === 0) return chain.finalHeight;
  const behind = chain.store.heightAtOrBelow(Math.max(0, chain.head.height - lag - 2));
  return Math.min(behind, chain.finalHeight);
}

function nearFinalHeight(node: Node): number {
  const { chain, lag, frozen } = node;
  if (!frozen && lag === 0) return chain.nearFinalHeight;
  return Math.max(finalHeight(node), chain.block(headHeight(node))?.prevHeight ?? 0);
}

function heightOfFinality(node: Node, finality: unknown): number {
  if (finality === "optimistic") return headHeight(node);
  if (finality === "near-final") return nearFinalHeight(node);
  if (finality === "final") return finalHeight(node);
  throw parseError(
    `Failed parsing args: unknown variant \`${finality}\`, expected one of \`optimistic\`, \`near-final\`, \`final\``,
  );
}

/** The block named by `block_id`, `finality` or `sync_checkpoint`. @throws a parse error if there is none. */
export function referencedBlock(node: Node, params: Params): Block {
  const { chain } = node;
  const { block_id: id, finality, sync_checkpoint: checkpoint } = params;
  if (finality !== undefined && finality !== null)
    return known(node, heightOfFinality(node, finality), finality);
  if (checkpoint === "genesis") return chain.genesis;
  if (checkpoint === "earliest_available") return known(node, chain.tailHeight, checkpoint);
  return blockById(node, id);
}

/** A block by height or hash. */
export function blockById(node: Node, id: unknown): Block {
  if (typeof id === "number") return known(node, id, { block_id: id });
  if (typeof id === "string") {
    const height = node.chain.store.heightOf(id);
    if (height !== undefined) return known(node, height, { block_id: id });
    // A node keeps the block of a fork, and shows it to anyone who knows its hash.
    const orphaned = node.chain.orphanedBlock(id);
    if (!orphaned) throw unknownBlock({ block_id: id });
    return orphaned;
  }
  throw parseError("Failed parsing args: expected a block_id, a finality or a sync_checkpoint");
}

function known(node: Node, height: number, reference: unknown): Block {
  if (height > headHeight(node)) throw unknownBlock(reference);
  const block = node.chain.block(height);
  if (!block) throw unknownBlock(reference);
  return block;
}

/** Like `referencedBlock`, for state: that of blocks below the tail and of dropped blocks is gone. */
export function stateBlock(node: Node, params: Params): Block {
  const block = referencedBlock(node, params);
  if (node.chain.orphanedBlock(block.hash)) throw unknownBlock({ block_id: block.hash });
  if (block.height < node.chain.tailHeight)
    throw garbageCollected({ block_height: block.height, block_hash: block.hash });
  return block;
}
