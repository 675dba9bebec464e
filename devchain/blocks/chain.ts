/** The chain: takes transactions, makes blocks of them one after another, and says what is in which. */
import { randomBytes } from "node:crypto";
import { isAccountId } from "../protocol/accounts.ts";
import { type ProtocolConfig, protocolConfig } from "../protocol/config.ts";
import { parseKey } from "../protocol/keys.ts";
import type { ActionReceipt, Outcome, Receipt, Transaction } from "../protocol/types.ts";
import type { BlockFacts } from "../runtime/function-call.ts";
import { chargeTransaction, type InvalidTx, validateTransaction } from "../runtime/transactions.ts";
import { Store } from "../state/store.ts";
import { TrieShape } from "../state/trie.ts";
import { Snapshot } from "../state/workspace.ts";
import { type Block, chunkHash, genesisBlock } from "./block.ts";
import type { GenesisAccount, KeyDeletion, Order } from "./order.ts";
import { TransactionPool } from "./pool.ts";
import { produceBlock } from "./produce.ts";

export interface ChainOptions {
  /** SQLite file, or `:memory:`. */
  path: string;
  chainId: string;
  protocolVersion: 84 | 88;
  /** Blocks after its base block during which a transaction can get in. */
  transactionValidityPeriod: number;
  epochLength: number;
  /** Blocks after which transactions, outcomes and old state are forgotten: 5 epochs on a node. */
  gcBlocks: number;
  /** Blocks after which only the newest contract data is kept: pages of it are written again with every mint. */
  dataBlocks: number;
  /** Milliseconds since 1970, in place of the machine's clock. */
  clock?: (() => number) | undefined;
}

/** Where a transaction is: stored with its block once it is in one. */
export interface StoredTransaction {
  tx: Transaction;
  height: number;
}

/** A transaction of a dropped block, as a node remembers it for good. */
export interface OrphanedTransaction extends StoredTransaction {
  outcome: Outcome;
}

/** How blocks are dropped. */
export interface Orphaning {
  /** The newest blocks that go, at most those that aren't final: 1 by default. */
  blocks?: number;
  /** Whether other blocks take the heights of the dropped ones (the default), or heights go on above them. */
  heights?: "same" | "next";
}

const VALIDATOR = "validator.devchain";
/** Blocks above the newest final one. */
const MOST_DROPPED = 2;
const VALIDATOR_STAKE = 50_000n * 10n ** 24n;

export class Chain {
  readonly options: ChainOptions;
  readonly config: ProtocolConfig;
  readonly store: Store;
  readonly pool = new TransactionPool();
  readonly trie = new TrieShape();
  readonly validators: ReadonlyMap<string, bigint> = new Map([[VALIDATOR, VALIDATOR_STAKE]]);
  /** Receipts for the next block: delayed ones first. */
  receipts: Receipt[] = [];
  head: Block;
  #finalHeight: number;
  /** Orders for the next block, and those of blocks that may yet be dropped. */
  #orders: Order[] = [];
  #carriedOut: { height: number; order: Order }[] = [];
  /** Height of the next block, where it isn't the one above the head. */
  #nextHeight: number | null = null;
  /** Transactions whose block is to be dropped once it is made. */
  readonly #doomed = new Map<string, Orphaning>();
  /** Milliseconds that this chain's clock is ahead, after time was advanced. */
  #clockAhead: number;
  #listeners = new Set<() => void>();
  #producing: Promise<unknown> = Promise.resolve();
  readonly genesis: Block;
  isClosed = false;

  constructor(options: ChainOptions) {
    this.options = options;
    this.config = protocolConfig(options.protocolVersion);
    this.store = new Store(options.path);
    const known = this.store.meta<Block>("genesis");
    this.genesis = known ?? genesisBlock(options.chainId, randomBytes(32), BigInt(Date.now()) * 1_000_000n);
    if (!known)
      this.store.atomically(() => {
        this.store.addBlock(0, this.genesis.hash, this.genesis);
        this.store.addItem("chunk", chunkHash(this.genesis), 0, 0);
        this.store.setMeta("genesis", this.genesis);
        this.store.setMeta("head", { height: 0, receipts: [], final: 0 });
      });
    const head = this.store.meta<{ height: number; receipts: string[]; final?: number }>("head")!;
    this.head = this.store.blockAt<Block>(head.height)!;
    this.#finalHeight = head.final ?? Math.max(0, head.height - 2);
    this.receipts = head.receipts.map((id) => this.store.item<Receipt>("receipt", id)!);
    this.#clockAhead = this.store.meta<number>("clockAhead") ?? 0;
    for (const key of this.store.keys(head.height)) this.trie.add(key);
  }

  /** Height of the newest block that can't be undone; two blocks behind the head, as finality takes. Never falls. */
  get finalHeight(): number {
    return this.#finalHeight;
  }

  /** What `finalHeight` is once `block` is the head. */
  finalHeightAfter(block: Block): number {
    const parent = block.prevHeight === null ? undefined : this.block(block.prevHeight);
    return Math.max(this.#finalHeight, parent?.prevHeight ?? 0);
  }

  /** Height of the newest block that is built upon (doomslug finality). */
  get nearFinalHeight(): number {
    return Math.max(this.#finalHeight, this.head.prevHeight ?? 0);
  }

  /** Makes a block the head. */
  follow(block: Block, receipts: Receipt[]): void {
    this.#finalHeight = this.finalHeightAfter(block);
    this.head = block;
    this.receipts = receipts;
    this.#carriedOut = this.#carriedOut.filter(({ height }) => height > this.#finalHeight);
  }

  /** The height that the next block gets. */
  takeHeight(): number {
    const height = Math.max(this.#nextHeight ?? 0, this.head.height + 1);
    this.#nextHeight = null;
    return height;
  }

  /** Skips heights, as a network does when producers are missing. */
  skipHeights(heights: number): void {
    this.#nextHeight = this.head.height + 1 + heights;
  }

  /** What the block of this height carries out. */
  takeOrders(height: number): Order[] {
    const orders = this.#orders.splice(0);
    this.#carriedOut.push(...orders.map((order) => ({ height, order })));
    return orders;
  }

  /** The oldest block that is still known. */
  get tailHeight(): number {
    return Math.max(0, Math.min(this.head.height - this.options.gcBlocks, this.#finalHeight));
  }

  /** The oldest block whose contract data is still known. */
  get dataTailHeight(): number {
    const kept = Math.min(this.head.height - this.options.dataBlocks, this.#finalHeight);
    return Math.max(this.tailHeight, kept);
  }

  epochHeight(height: number): number {
    return Math.floor(height / this.options.epochLength) + 1;
  }

  block(height: number): Block | undefined {
    return height === this.head.height ? this.head : this.store.blockAt<Block>(height);
  }

  stateAt(height: number): Snapshot {
    return new Snapshot(this.store, height);
  }

  facts(block: Pick<Block, "height" | "timestamp" | "randomValue">): BlockFacts {
    return {
      height: block.height,
      timestamp: block.timestamp,
      epochHeight: this.epochHeight(block.height),
      randomValue: block.randomValue,
      chainId: this.options.chainId,
      validators: this.validators,
    };
  }

  /** Nanoseconds since 1970 by this chain's clock, later than any block's. */
  now(): bigint {
    const { clock = Date.now } = this.options;
    const now = BigInt(Math.floor(clock()) + this.#clockAhead) * 1_000_000n;
    return now > this.head.timestamp ? now : this.head.timestamp + 1n;
  }

  advanceClock(ms: number): void {
    this.#clockAhead += ms;
    this.store.setMeta("clockAhead", this.#clockAhead);
  }

  /** What a unit of gas costs in the next block. From there on it changes with what blocks burn, as ever. */
  setGasPrice(price: bigint): void {
    this.head.nextGasPrice = price;
  }

  /** Why a transaction can't get into the next block, or undefined. Looks at the state of the head, or of a block below. */
  check(tx: Transaction, height = this.head.height): InvalidTx | undefined {
    const invalid = validateTransaction(this.config, tx) ?? this.#checkValidity(tx);
    if (invalid) return invalid;
    const { nextGasPrice } = this.block(height) ?? this.head;
    const charged = chargeTransaction(this.config, this.stateAt(height), tx, nextGasPrice, height + 1);
    return "InvalidTxError" in charged ? charged : undefined;
  }

  /** A base block that is unknown or too old answers alike: Expired. */
  #checkValidity(tx: Transaction): InvalidTx | undefined {
    return this.isExpired(tx) ? { InvalidTxError: "Expired" } : undefined;
  }

  isExpired(tx: Transaction): boolean {
    const base = this.store.heightOf(tx.blockHash);
    return base === undefined || this.head.height - base > this.options.transactionValidityPeriod;
  }

  /** Puts a transaction into the pool if it is valid; says why not otherwise. */
  submit(tx: Transaction): InvalidTx | undefined {
    const invalid = this.check(tx);
    if (!invalid) this.pool.add(tx);
    return invalid;
  }

  transaction(hash: string): StoredTransaction | undefined {
    return this.store.item<StoredTransaction>("transaction", hash);
  }

  outcome(id: string): Outcome | undefined {
    return this.store.item<Outcome>("outcome", id);
  }

  receipt(id: string): Receipt | undefined {
    return this.store.item<Receipt>("receipt", id);
  }

  isRefund(receipt: Receipt | undefined): boolean {
    return receipt?.kind === "action" && (receipt as ActionReceipt).predecessorId === "system";
  }

  /** Makes an account with the next block, without a transaction: for setting up. @throws if its id or key is invalid. */
  createAccount(account: GenesisAccount): void {
    if (!isAccountId(account.accountId)) throw new Error(`'${account.accountId}' is not an account id`);
    parseKey(account.publicKey);
    if (BigInt(account.balance) < 0n) throw new Error("the balance must not be negative");
    this.#orders.push({ kind: "account", account });
  }

  /** Takes a key off its account with the next block, without a transaction. @throws if the key is invalid. */
  deleteKey(deletion: KeyDeletion): void {
    parseKey(deletion.publicKey);
    this.#orders.push({ kind: "delete_key", ...deletion });
  }

  /** What is remembered of a transaction whose block was dropped, until it is in another. */
  orphan(hash: string): OrphanedTransaction | undefined {
    return this.store.item<OrphanedTransaction>("orphan", hash);
  }

  orphanedBlock(hash: string): Block | undefined {
    return this.store.item<Block>("orphan_block", hash);
  }

  /** Drops the newest blocks that aren't final. @returns the hashes of the transactions that are undone */
  dropBlocks(how: Orphaning = {}): Promise<string[]> {
    return this.#inTurn(() => this.#drop(how));
  }

  /** Drops the block that a transaction gets into, once `blocks` blocks were made from it on. */
  doom(hash: string, how: Orphaning): void {
    this.#doomed.set(hash, how);
  }

  #dropDoomed(): void {
    for (const [hash, how] of this.#doomed) {
      const stored = this.transaction(hash);
      if (!stored) continue;
      const newest = Math.min(how.blocks ?? 1, MOST_DROPPED);
      if (newest > 1 && this.head.height === stored.height) continue;
      this.#doomed.delete(hash);
      this.#drop({ ...how, blocks: newest });
    }
  }

  #drop({ blocks = 1, heights = "same" }: Orphaning): string[] {
    const dropped: Block[] = [];
    let head = this.head;
    while (dropped.length < blocks && head.height > this.#finalHeight && head.prevHeight !== null) {
      const prev = this.block(head.prevHeight);
      if (!prev?.pending) break;
      dropped.push(head);
      head = prev;
    }
    if (dropped.length === 0) return [];
    const top = this.head.height;
    const undone = dropped.flatMap(({ transactions }) => transactions);
    const orphans = undone.map((hash) => ({ ...this.transaction(hash)!, outcome: this.outcome(hash)! }));
    const pending = head.pending!.map((id) => this.receipt(id)!);
    this.store.atomically(() => {
      const written = this.store.dropAbove(head.height);
      for (const key of written) {
        if (this.store.read(key, head.height) === undefined) this.trie.remove(key);
        else this.trie.add(key);
      }
      for (const orphan of orphans) this.store.addItem("orphan", orphan.tx.hash, orphan.height, orphan);
      for (const block of dropped) this.store.addItem("orphan_block", block.hash, block.height, block);
      this.store.setMeta("head", { height: head.height, receipts: head.pending, final: this.#finalHeight });
    });
    const redone = this.#carriedOut.filter(({ height }) => height > head.height);
    this.#carriedOut = this.#carriedOut.filter(({ height }) => height <= head.height);
    this.#orders.unshift(...redone.map(({ order }) => order));
    this.head = head;
    this.receipts = pending;
    if (heights === "next") this.#nextHeight = top + 1;
    return undone;
  }

  /** Makes a block. Calls at the same time wait for each other. */
  async produce(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.isClosed) return;
      await produceBlock(this);
      this.#dropDoomed();
    });
    for (const listener of [...this.#listeners]) listener();
  }

  /** Blocks are made and dropped one after another. */
  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#producing.then(work);
    this.#producing = turn.catch(() => undefined);
    return turn;
  }

  /** Waits for a block to come, or for `ms`. */
  async nextBlock(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#listeners.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#listeners.delete(resolve);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.#producing;
    for (const listener of [...this.#listeners]) listener();
    this.store.close();
  }
}
