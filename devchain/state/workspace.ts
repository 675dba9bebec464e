/**
 * State while a block is made: reads fall through to the last block, writes stay here until the block is stored, and
 * those of a receipt are kept or dropped together.
 */
import { deserialize, serialize } from "node:v8";
import { isAccountId } from "../protocol/accounts.ts";
import { keyBytes } from "../protocol/keys.ts";
import type { AccessKey, Account } from "../protocol/types.ts";
import type { StateKey, Store } from "./store.ts";
import type { TrieShape } from "./trie.ts";

/** Why a record changed, as `EXPERIMENTAL_changes` tells it. */
export type ChangeCause =
  | { type: "transaction_processing"; tx_hash: string }
  | { type: "receipt_processing"; receipt_hash: string }
  | { type: "initial_state" };

/** One change of a block, in the order made. The value of contract data is looked up in the state. */
export interface Change {
  cause: ChangeCause;
  key: StateKey;
  value: unknown;
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/** State keys begin with the columns of nearcore's trie, so that they fork where a node's do. */
export const stateKey = {
  account: (id: string): StateKey => `\x00${id}`,
  code: (id: string): StateKey => `\x01${id}`,
  accessKeys: (id: string): StateKey => `\x02${id}\x02`,
  accessKey: (id: string, publicKey: string): StateKey => `\x02${id}\x02${latin1(keyBytes(publicKey))}`,
  receivedData: (id: string, dataId: string): StateKey => `\x03${id},${dataId}`,
  postponedId: (id: string, dataId: string): StateKey => `\x04${id},${dataId}`,
  pendingCount: (id: string, receiptId: string): StateKey => `\x05${id},${receiptId}`,
  postponed: (id: string, receiptId: string): StateKey => `\x06${id},${receiptId}`,
  allData: (id: string): StateKey => `\x09${id},`,
  data: (id: string, key: Uint8Array): StateKey => `\x09${id},${latin1(key)}`,
  yieldTimeouts: "\x0b",
  yieldTimeout: (id: string, dataId: string): StateKey => `\x0b${id},${dataId}`,
  globalCode: (id: string): StateKey => `\x11${id}`,
} as const;

/** Splits the key of contract data or of an access key into its account and the rest. */
export function splitKey(key: StateKey): { column: number; accountId: string; rest: Uint8Array } {
  const column = key.charCodeAt(0);
  const separator = column === 9 ? "," : "\x02";
  const end = key.indexOf(separator, 1);
  const accountId = key.slice(1, end === -1 ? undefined : end);
  if (!isAccountId(accountId)) throw new Error(`not the key of an account's record: ${JSON.stringify(key)}`);
  return { column, accountId, rest: Buffer.from(end === -1 ? "" : key.slice(end + 1), "latin1") };
}

const isData = (key: StateKey) => key.charCodeAt(0) === 9;

/** A record's form in the store: contract data as it is, everything else as a structured value. */
function decodeRecord(key: StateKey, value: Uint8Array): unknown {
  return isData(key) ? value : deserialize(value);
}

/** State as it was at the end of one block. */
export class Snapshot {
  readonly store: Store;
  readonly height: number;

  constructor(store: Store, height: number) {
    this.store = store;
    this.height = height;
  }

  get<T>(key: StateKey): T | undefined {
    const stored = this.store.read(key, this.height);
    return stored && (decodeRecord(key, stored) as T);
  }

  account(id: string): Account | undefined {
    return this.get<Account>(stateKey.account(id));
  }

  accessKey(id: string, publicKey: string): AccessKey | undefined {
    return this.get<AccessKey>(stateKey.accessKey(id, publicKey));
  }

  *scan(prefix: StateKey): Generator<[StateKey, unknown]> {
    for (const [key, value] of this.store.scan(prefix, this.height)) yield [key, decodeRecord(key, value)];
  }

  code(hash: string): Uint8Array | undefined {
    return this.store.code(hash);
  }
}

export class Workspace extends Snapshot {
  readonly #trie: TrieShape;
  /** Writes of the block so far; null is a deletion. */
  readonly #block = new Map<StateKey, unknown>();
  /** Writes of the transaction or receipt under way. */
  #pending = new Map<StateKey, unknown>();
  readonly changes: Change[] = [];
  readonly newCode = new Map<string, Uint8Array>();

  constructor(store: Store, height: number, trie: TrieShape) {
    super(store, height);
    this.#trie = trie;
  }

  override get<T>(key: StateKey): T | undefined {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return (pending as T | null) ?? undefined;
    const written = this.#block.get(key);
    if (written !== undefined) return (written as T | null) ?? undefined;
    return super.get<T>(key);
  }

  /** Values count as unchangeable once set: set a new one to change a record. */
  set(key: StateKey, value: unknown): void {
    this.#pending.set(key, value);
  }

  delete(key: StateKey): void {
    this.#pending.set(key, null);
  }

  setAccount(id: string, account: Account): void {
    this.set(stateKey.account(id), account);
  }

  setAccessKey(id: string, publicKey: string, key: AccessKey): void {
    this.set(stateKey.accessKey(id, publicKey), key);
  }

  /** Trie nodes that looking a key up for writing touches: none where this block wrote it already. */
  touchedNodes(key: StateKey): number {
    if (this.#pending.has(key) || this.#block.has(key)) return 0;
    return this.#trie.touchedNodes(key);
  }

  override *scan(prefix: StateKey): Generator<[StateKey, unknown]> {
    const seen = new Set<StateKey>();
    for (const writes of [this.#pending, this.#block]) {
      for (const [key, value] of writes) {
        if (!key.startsWith(prefix) || seen.has(key)) continue;
        seen.add(key);
        if (value !== null) yield [key, value];
      }
    }
    for (const [key, value] of super.scan(prefix)) if (!seen.has(key)) yield [key, value];
  }

  override code(hash: string): Uint8Array | undefined {
    return this.newCode.get(hash) ?? this.store.code(hash);
  }

  /** Keeps what was written since the last commit or discard, as changes with this cause. */
  commit(cause: ChangeCause): void {
    for (const [key, value] of this.#pending) {
      this.#block.set(key, value);
      this.changes.push({ cause, key, value: isData(key) && value !== null ? true : value });
    }
    this.#pending = new Map();
  }

  discard(): void {
    this.#pending = new Map();
  }

  /** Writes the block's records into the store as versions of `height`, and the trie's shape after it. */
  flush(height: number): void {
    for (const [hash, code] of this.newCode) this.store.addCode(hash, code);
    for (const [key, value] of this.#block) {
      if (value === null) {
        this.store.write(key, height, null);
        this.#trie.remove(key);
      } else {
        this.store.write(key, height, isData(key) ? (value as Uint8Array) : serialize(value));
        this.#trie.add(key);
      }
    }
  }
}
