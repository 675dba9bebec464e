/** Blocks, chunks, prices, validators, configuration and state of the node. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { BLOCK_GAS_LIMIT, type Block, MAX_GAS_PRICE, MIN_GAS_PRICE } from "../blocks/block.ts";
import { encodeHash, sha256, ZERO_HASH } from "../protocol/hash.ts";
import { parseError, unknownChunk } from "./errors.ts";
import { blockById, finalHeight, headHeight, type Node, type Params, referencedBlock } from "./reference.ts";
import { chunkHeaderView, epochId, headerView, receiptView, transactionView } from "./views.ts";

const VERSION = { version: "devchain", build: "devchain", commit: "devchain", rustc_version: "none" };

/** The validator's key: derived from its name, since it signs nothing. */
function validatorKey(accountId: string): string {
  return `ed25519:${encodeHash(ed25519.getPublicKey(sha256(Buffer.from(accountId))))}`;
}

function header(node: Node, block: Block) {
  const { chain } = node;
  const { prevHeight, prevHash } = block;
  const parent = prevHeight === null ? undefined : chain.block(prevHeight);
  return headerView(block, {
    epochHeight: chain.epochHeight(block.height),
    protocolVersion: chain.config.protocolVersion,
    lastFinal: parent?.prevHeight ? parent.prevHash : ZERO_HASH,
    lastNearFinal: prevHeight ? prevHash : ZERO_HASH,
  });
}

export function block(node: Node, params: unknown): unknown {
  const found = Array.isArray(params) ? blockById(node, params[0]) : referencedBlock(node, params as Params);
  const [author] = node.chain.validators.keys();
  return { author, header: header(node, found), chunks: [chunkHeaderView(found)] };
}

/** A chunk by its hash, or by its block and shard. */
export function chunk(node: Node, params: unknown): unknown {
  const { block_id, shard_id, chunk_id } = (Array.isArray(params) ? arrayChunk(params) : params) as Params;
  const found = chunk_id === undefined ? blockById(node, block_id) : blockOfChunk(node, String(chunk_id));
  if (chunk_id === undefined && shard_id !== 0)
    throw parseError(`Failed parsing args: this chain has the one shard 0, not ${String(shard_id)}`);
  const { chain } = node;
  const [author] = chain.validators.keys();
  return {
    author,
    header: chunkHeaderView(found),
    transactions: found.transactions.flatMap((hash) => {
      const stored = chain.transaction(hash);
      return stored ? [transactionView(stored.tx)] : [];
    }),
    receipts: found.receipts.flatMap((id) => {
      const receipt = chain.receipt(id);
      return receipt ? [receiptView(receipt)] : [];
    }),
  };
}

function arrayChunk([first, second]: unknown[]): Params {
  if (Array.isArray(first)) return { block_id: first[0], shard_id: first[1] };
  return second === undefined ? { chunk_id: first } : { block_id: first, shard_id: second };
}

function blockOfChunk(node: Node, hash: string): Block {
  const height = node.chain.store.item<number>("chunk", hash);
  if (height === undefined || height > headHeight(node)) throw unknownChunk(hash);
  return blockById(node, height);
}

export function gasPrice(node: Node, params: unknown): unknown {
  const id = Array.isArray(params) ? params[0] : (params as Params | null)?.block_id;
  const found = id === null || id === undefined ? node.chain.block(headHeight(node))! : blockById(node, id);
  return { gas_price: `${found.gasPrice}` };
}

export function status(node: Node): unknown {
  const { chain } = node;
  const head = chain.block(headHeight(node))!;
  const [validator] = [...chain.validators.keys()];
  const time = (block: Block) => new Date(Number(block.timestamp / 1_000_000n)).toISOString();
  const tail = chain.block(chain.tailHeight) ?? chain.genesis;
  const publicKey = validatorKey(validator!);
  return {
    version: VERSION,
    chain_id: chain.options.chainId,
    protocol_version: chain.config.protocolVersion,
    latest_protocol_version: chain.config.protocolVersion,
    rpc_addr: "0.0.0.0:3030",
    validators: [...chain.validators.keys()].map((account_id) => ({ account_id })),
    sync_info: {
      latest_block_hash: head.hash,
      latest_block_height: head.height,
      latest_state_root: chunkHeaderView(head).prev_state_root,
      latest_block_time: time(head),
      syncing: false,
      earliest_block_hash: tail.hash,
      earliest_block_height: tail.height,
      earliest_block_time: time(tail),
      epoch_id: epochId(chain.epochHeight(head.height)),
      epoch_start_height: epochStart(node, head.height),
    },
    validator_account_id: validator,
    validator_public_key: publicKey,
    node_public_key: publicKey,
    node_key: null,
    uptime_sec: Math.floor((Date.now() - node.startedAt) / 1000),
    genesis_hash: chain.genesis.hash,
    detailed_debug_status: null,
  };
}

function epochStart(node: Node, height: number): number {
  const length = node.chain.options.epochLength;
  return Math.floor(height / length) * length;
}

export function validators(node: Node): unknown {
  const { chain } = node;
  const height = finalHeight(node);
  const epoch = chain.epochHeight(height);
  const start = epochStart(node, height);
  const produced = height - start;
  const list = [...chain.validators].map(([account_id, stake]) => ({
    account_id,
    public_key: validatorKey(account_id),
    stake: `${stake}`,
    shards: [0],
  }));
  return {
    current_validators: list.map((validator) => ({
      ...validator,
      is_slashed: false,
      num_produced_blocks: produced,
      num_expected_blocks: produced,
      num_produced_chunks: produced,
      num_expected_chunks: produced,
      num_produced_chunks_per_shard: [produced],
      num_expected_chunks_per_shard: [produced],
      num_produced_endorsements: 0,
      num_expected_endorsements: 0,
      num_produced_endorsements_per_shard: [],
      num_expected_endorsements_per_shard: [],
      shards_endorsed: [],
    })),
    next_validators: list,
    current_fishermen: [],
    next_fishermen: [],
    current_proposals: [],
    prev_epoch_kickout: [],
    epoch_start_height: start,
    epoch_height: epoch,
    validator_reward_paid_prev_epoch: {},
  };
}

/** The protocol's settings. The runtime's part is what this chain charges by. */
export function protocolConfig(node: Node, params: Params): unknown {
  referencedBlock(node, params);
  const { chain } = node;
  const { options } = chain;
  return {
    protocol_version: chain.config.protocolVersion,
    genesis_time: new Date(Number(chain.genesis.timestamp / 1_000_000n)).toISOString(),
    chain_id: options.chainId,
    genesis_height: 0,
    num_block_producer_seats: 1,
    dynamic_resharding: false,
    protocol_upgrade_stake_threshold: [4, 5],
    epoch_length: options.epochLength,
    gas_limit: BLOCK_GAS_LIMIT,
    min_gas_price: `${MIN_GAS_PRICE}`,
    max_gas_price: `${MAX_GAS_PRICE}`,
    block_producer_kickout_threshold: 0,
    chunk_producer_kickout_threshold: 0,
    chunk_validator_only_kickout_threshold: 0,
    target_validator_mandates_per_shard: 1,
    online_min_threshold: [9, 10],
    online_max_threshold: [99, 100],
    gas_price_adjustment_rate: [1, 100],
    runtime_config: chain.config.view,
    transaction_validity_period: options.transactionValidityPeriod,
    protocol_reward_rate: [0, 1],
    max_inflation_rate: [0, 1],
    num_blocks_per_year: 31_536_000,
    protocol_treasury_account: [...chain.validators.keys()][0],
    fishermen_threshold: "340282366920938463463374607431768211455",
    minimum_stake_divisor: 10,
    max_kickout_stake_perc: 0,
    minimum_stake_ratio: [1, 6250],
    shuffle_shard_assignment_for_chunk_producers: false,
    minimum_validators_per_shard: 1,
    shard_layout: { V0: { num_shards: 1, version: 0 } },
  };
}
