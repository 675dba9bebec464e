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
}

export interface GenesisAccount {
  accountId: string;
  /** Its full-access key, `ed25519:…`. */
  publicKey: string;
  /** yoctoNEAR. */
  balance: string | bigint;
}

/** Where a transaction is: stored with its block once it is in one. */
export interface StoredTransaction {
  tx: Transaction;
  height: number;
}

const VALIDATOR = "validator.devchain";
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
  newAccounts: GenesisAccount[] = [];
  head: Block;
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
        this.store.setMeta("head", { height: 0, receipts: [] });
      });
    const head = this.store.meta<{ height: number; receipts: string[] }>("head")!;
    this.head = this.store.blockAt<Block>(head.height)!;
    this.receipts = head.receipts.map((id) => this.store.item<Receipt>("receipt", id)!);
    this.#clockAhead = this.store.meta<number>("clockAhead") ?? 0;
    for (const key of this.store.keys(head.height)) this.trie.add(key);
  }

  /** Height of the newest block that can't be undone; two blocks behind the head, as finality takes. */
  get finalHeight(): number {
    return Math.max(0, this.head.height - 2);
  }

  /** Height of the newest block that is built upon (doomslug finality). */
  get nearFinalHeight(): number {
    return Math.max(0, this.head.height - 1);
  }

  /** The oldest block that is still known. */
  get tailHeight(): number {
    return Math.max(0, this.head.height - this.options.gcBlocks);
  }

  /** The oldest block whose contract data is still known. */
  get dataTailHeight(): number {
    return Math.max(this.tailHeight, this.head.height - this.options.dataBlocks);
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
    const now = BigInt(Date.now() + this.#clockAhead) * 1_000_000n;
    return now > this.head.timestamp ? now : this.head.timestamp + 1n;
  }

  advanceClock(ms: number): void {
    this.#clockAhead += ms;
    this.store.setMeta("clockAhead", this.#clockAhead);
  }

  /** Why a transaction can't get into the next block, or undefined. Looks at the head's state. */
  check(tx: Transaction): InvalidTx | undefined {
    const invalid = validateTransaction(this.config, tx) ?? this.#checkValidity(tx);
    if (invalid) return invalid;
    const state = this.stateAt(this.head.height);
    const charged = chargeTransaction(this.config, state, tx, this.head.nextGasPrice, this.head.height + 1);
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
    this.newAccounts.push(account);
  }

  /** Makes a block. Blocks are made one after another, however often this is called. */
  produce(): Promise<void> {
    const next = this.#producing.then(() => (this.isClosed ? undefined : produceBlock(this)));
    this.#producing = next.catch(() => undefined);
    return next.then(() => {
      for (const listener of [...this.#listeners]) listener();
    });
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
