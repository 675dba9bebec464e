/** Makes one block: accounts that were asked for, transactions, receipts; then all of it is stored at once. */
import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { ProtocolConfig } from "../protocol/config.ts";
import type { Outcome, Receipt, Transaction } from "../protocol/types.ts";
import type { BlockFacts } from "../runtime/function-call.ts";
import { applyReceipt, type RuntimeBlock } from "../runtime/receipts.ts";
import { accessKeyBytes } from "../runtime/storage-stake.ts";
import { convertTransaction } from "../runtime/transactions.ts";
import type { Store } from "../state/store.ts";
import type { TrieShape } from "../state/trie.ts";
import { stateKey, Workspace } from "../state/workspace.ts";
import {
  BLOCK_GAS_LIMIT,
  BLOCK_TRANSACTION_GAS,
  type Block,
  blockHash,
  chunkHash,
  nextGasPrice,
} from "./block.ts";
import type { GenesisAccount, KeyDeletion, Order } from "./order.ts";
import type { TransactionPool } from "./pool.ts";

/** What a block is made from. */
export interface Growing {
  readonly options: { readonly gcBlocks: number; readonly dataBlocks: number };
  readonly config: ProtocolConfig;
  readonly store: Store;
  readonly trie: TrieShape;
  readonly pool: TransactionPool;
  readonly head: Block;
  /** Receipts that wait for this block: delayed ones first. */
  readonly receipts: readonly Receipt[];
  readonly finalHeight: number;
  takeHeight(): number;
  takeOrders(height: number): Order[];
  /** Nanoseconds since 1970. */
  now(): bigint;
  facts(block: Pick<Block, "height" | "timestamp" | "randomValue">): BlockFacts;
  isExpired(tx: Transaction): boolean;
  finalHeightAfter(block: Block): number;
  follow(block: Block, receipts: Receipt[]): void;
}

/** Work goes on this long before requests get their turn. Milliseconds. */
const SLICE_MS = 8;

interface Draft {
  block: RuntimeBlock;
  state: Workspace;
  transactions: Transaction[];
  outcomes: Outcome[];
  newReceipts: Receipt[];
  /** Receipts for this block, then for the next. */
  local: Receipt[];
  outgoing: Receipt[];
  done: string[];
  compute: number;
  gasUsed: number;
  burnt: bigint;
  minted: bigint;
}

/** Gives requests a turn whenever a slice of time is used up. */
function pacer(): () => Promise<void> {
  let until = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < until) return;
    await setImmediate();
    until = performance.now() + SLICE_MS;
  };
}

export async function produceBlock(chain: Growing): Promise<void> {
  const prev = chain.head;
  const height = chain.takeHeight();
  const timestamp = chain.now();
  const randomValue = randomBytes(32);
  const hash = blockHash(prev.hash, height, timestamp, randomValue);
  const draft: Draft = {
    block: { ...chain.facts({ height, timestamp, randomValue }), hash, gasPrice: prev.nextGasPrice },
    state: new Workspace(chain.store, prev.height, chain.trie),
    transactions: [],
    outcomes: [],
    newReceipts: [],
    local: [],
    outgoing: [],
    done: [],
    compute: 0,
    gasUsed: 0,
    burnt: 0n,
    minted: 0n,
  };
  const pause = pacer();
  for (const order of chain.takeOrders(height)) carryOut(chain, draft, order);
  await includeTransactions(chain, draft, pause);
  timeOutYields(draft);
  const delayed = await executeReceipts(chain, draft, pause);
  const waiting = [...delayed, ...draft.outgoing];
  const block: Block = {
    height,
    hash,
    prevHash: prev.hash,
    prevHeight: prev.height,
    timestamp,
    randomValue,
    gasPrice: prev.nextGasPrice,
    nextGasPrice: nextGasPrice(prev.nextGasPrice, draft.gasUsed),
    gasUsed: draft.gasUsed,
    balanceBurnt: draft.burnt,
    totalSupply: prev.totalSupply + draft.minted - draft.burnt,
    transactions: draft.transactions.map((tx) => tx.hash),
    receipts: draft.done,
    changes: draft.state.changes,
    pending: waiting.map(({ id }) => id),
  };
  save(chain, draft, block, waiting);
}

function carryOut(chain: Growing, draft: Draft, order: Order): void {
  if (order.kind === "account") addAccount(chain, draft, order.account);
  else deleteKey(chain, draft, order);
}

/** Removes a key from its account without a transaction. Does nothing if the account lacks it. */
function deleteKey(chain: Growing, draft: Draft, { accountId, publicKey }: KeyDeletion): void {
  const { state } = draft;
  const account = state.account(accountId);
  const key = state.accessKey(accountId, publicKey);
  if (!account || !key) return;
  const storageUsage = account.storageUsage - accessKeyBytes(chain.config, publicKey, key);
  state.delete(stateKey.accessKey(accountId, publicKey));
  state.setAccount(accountId, { ...account, storageUsage });
  state.commit({ type: "initial_state" });
}

/** Makes an account without a transaction. An existing one stays as it is. */
function addAccount(chain: Growing, draft: Draft, { accountId, publicKey, balance }: GenesisAccount): void {
  const { state } = draft;
  if (state.account(accountId)) return;
  const accessKey = { nonce: 0, permission: "FullAccess" as const };
  const { num_bytes_account } = chain.config.view.transaction_costs.storage_usage_config;
  state.setAccessKey(accountId, publicKey, accessKey);
  state.setAccount(accountId, {
    amount: BigInt(balance),
    locked: 0n,
    storageUsage: num_bytes_account + accessKeyBytes(chain.config, publicKey, accessKey),
    contract: { type: "none" },
  });
  state.commit({ type: "initial_state" });
  draft.minted += BigInt(balance);
}

/** Turns waiting transactions into receipts while the block has room; invalid ones leave the pool without a trace. */
async function includeTransactions(chain: Growing, draft: Draft, pause: () => Promise<void>): Promise<void> {
  const { view } = chain.config;
  const sizeLimit = view.witness_config.combined_transactions_size_limit;
  let bytes = 0;
  for (const tx of chain.pool.ordered()) {
    if (draft.gasUsed >= BLOCK_TRANSACTION_GAS) break;
    if (bytes + tx.size > sizeLimit) continue;
    await pause();
    chain.pool.remove(tx.hash);
    if (chain.isExpired(tx)) continue;
    const converted = convertTransaction(chain.config, draft.state, tx, draft.block);
    if ("InvalidTxError" in converted) continue;
    const { outcome, receipt } = converted;
    bytes += tx.size;
    draft.transactions.push(tx);
    draft.newReceipts.push(receipt);
    (receipt.receiverId === tx.signerId ? draft.local : draft.outgoing).push(receipt);
    count(draft, outcome, outcome.gasBurnt, outcome.tokensBurnt);
  }
}

function count(draft: Draft, outcome: Outcome, compute: number, burnt: bigint): void {
  draft.outcomes.push(outcome);
  draft.gasUsed += outcome.gasBurnt;
  draft.compute += compute;
  draft.burnt += burnt;
}

/** Yielded promises that nobody resumed in time get a failed result. */
function timeOutYields(draft: Draft): void {
  const { state, block } = draft;
  for (const [key, expires] of [...state.scan(stateKey.yieldTimeouts)]) {
    if ((expires as number) > block.height) continue;
    const [accountId = "", dataId = ""] = key.slice(1).split(",");
    state.delete(key);
    state.commit({ type: "receipt_processing", receipt_hash: dataId });
    const body = {
      predecessorId: accountId,
      receiverId: accountId,
      dataId,
      data: null,
      isPromiseResume: true,
    };
    const receipt: Receipt = { kind: "data", id: dataId, ...body };
    draft.newReceipts.push(receipt);
    draft.local.push(receipt);
  }
}

/** Executes local and waiting receipts until the block is full; the rest is returned, for the next block. */
async function executeReceipts(chain: Growing, draft: Draft, pause: () => Promise<void>): Promise<Receipt[]> {
  const queue = [...draft.local, ...chain.receipts];
  for (let index = 0; index < queue.length; index++) {
    if (draft.compute >= BLOCK_GAS_LIMIT) return queue.slice(index);
    await pause();
    const receipt = queue[index]!;
    const applied = applyReceipt(chain.config, draft.state, draft.block, receipt);
    draft.done.push(receipt.id);
    if (!applied) continue;
    count(draft, applied.outcome, applied.compute, applied.burnt);
    draft.newReceipts.push(...applied.receipts);
    draft.outgoing.push(...applied.receipts);
  }
  return [];
}

function save(chain: Growing, draft: Draft, block: Block, receipts: Receipt[]): void {
  const { store } = chain;
  const { height } = block;
  store.atomically(() => {
    draft.state.flush(height);
    for (const tx of draft.transactions) store.addItem("transaction", tx.hash, height, { tx, height });
    for (const receipt of draft.newReceipts) store.addItem("receipt", receipt.id, height, receipt);
    for (const outcome of draft.outcomes) store.addItem("outcome", outcome.id, height, outcome);
    store.addBlock(height, block.hash, block);
    store.addItem("chunk", chunkHash(block), height, height);
    store.setMeta("head", { height, receipts: block.pending, final: chain.finalHeightAfter(block) });
    const { gcBlocks, dataBlocks } = chain.options;
    if (height > dataBlocks) store.forgetData(height - dataBlocks);
    // The blocks that finality depends on stay, even if heights jump.
    const tail = Math.min(height - gcBlocks, chain.finalHeight - 1);
    if (tail > 0) store.forgetUntil(tail);
  });
  chain.follow(block, receipts);
}
