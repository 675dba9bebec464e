/** Which block a request means: by finality, height, hash, or a checkpoint. */
import type { Block } from "../blocks/block.ts";
import type { Chain } from "../blocks/chain.ts";
import { garbageCollected, parseError, unknownBlock } from "./errors.ts";

export type Params = Record<string, unknown>;

/** A node's view of the chain; one that lags answers as if its head were some blocks back. */
export interface Node {
  chain: Chain;
  /** Blocks by which this node is behind. */
  lag: number;
  /** How long a request waits for a transaction's status, in milliseconds: 10 s on a node. */
  pollingTimeoutMs: number;
  startedAt: number;
}

export function headHeight({ chain, lag }: Node): number {
  return Math.max(0, chain.head.height - lag);
}

export function finalHeight(node: Node): number {
  return Math.max(0, headHeight(node) - 2);
}

function heightOfFinality(node: Node, finality: unknown): number {
  if (finality === "optimistic") return headHeight(node);
  if (finality === "near-final") return Math.max(0, headHeight(node) - 1);
  if (finality === "final") return finalHeight(node);
  throw parseError(
    `Failed parsing args: unknown variant \`${finality}\`, expected one of \`optimistic\`, \`near-final\`, \`final\``,
  );
}

/** The block named by `block_id`, `finality` or `sync_checkpoint`. @throws a parse error where there is none of them. */
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
    if (height === undefined) throw unknownBlock({ block_id: id });
    return known(node, height, { block_id: id });
  }
  throw parseError("Failed parsing args: expected a block_id, a finality or a sync_checkpoint");
}

function known(node: Node, height: number, reference: unknown): Block {
  if (height > headHeight(node)) throw unknownBlock(reference);
  const block = node.chain.block(height);
  if (!block) throw unknownBlock(reference);
  return block;
}

/** As `referencedBlock`, for state: what is older than the tail is gone. */
export function stateBlock(node: Node, params: Params): Block {
  const block = referencedBlock(node, params);
  if (block.height < node.chain.tailHeight)
    throw garbageCollected({ block_height: block.height, block_hash: block.hash });
  return block;
}
