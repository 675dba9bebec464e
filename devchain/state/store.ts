/**
 * What the chain remembers, in one SQLite file: every version of every state record, the blocks, and what happened to
 * each transaction and receipt. A block is written in one SQLite transaction, so that a process killed at any moment
 * starts again at the end of a block.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { deserialize, serialize } from "node:v8";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS state (
    key BLOB NOT NULL, height INTEGER NOT NULL, value BLOB, PRIMARY KEY (key, height)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS state_height ON state (height);
  CREATE TABLE IF NOT EXISTS code (hash TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS blocks (height INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, body BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS items (
    kind TEXT NOT NULL, id TEXT NOT NULL, height INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS items_height ON items (height);
`;

/** What is kept by id: transactions, receipts, their outcomes, the block of a chunk; and what dropped blocks had. */
export type ItemKind = "transaction" | "receipt" | "outcome" | "chunk" | "orphan" | "orphan_block";

/** Kinds that stay when the block that wrote them is dropped. */
const OF_DROPPED: readonly ItemKind[] = ["orphan", "orphan_block"];

/** Key of a state record; bytes as a latin-1 string, so that it can be a Map's key. */
export type StateKey = string;

const CACHED_CODES = 20;

/** Versions of records that a block wrote again. */
const SUPERSEDED = `DELETE FROM state WHERE (key, height) IN (
  SELECT old.key, old.height FROM state AS newer
  JOIN state AS old ON old.key = newer.key AND old.height < newer.height WHERE newer.height = ?`;

const keyBlob = (key: StateKey) => Buffer.from(key, "latin1");
const keyText = (blob: Uint8Array): StateKey => Buffer.from(blob).toString("latin1");

export class Store {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Code that was read lately: every call needs its contract's, and code never changes under its hash. */
  readonly #code = new Map<string, Uint8Array>();

  /** @param path a file, or `:memory:`. */
  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;");
    this.#db.exec(SCHEMA);
  }

  #sql(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs `write` in one SQLite transaction: all of it is kept, or none. */
  atomically(write: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      write();
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  meta<T>(name: string): T | undefined {
    const row = this.#sql("SELECT value FROM meta WHERE name = ?").get(name);
    return row && (deserialize(row.value as Uint8Array) as T);
  }

  setMeta(name: string, value: unknown): void {
    this.#sql("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value").run(
      name,
      serialize(value),
    );
  }

  /** The record as it was at the end of a block; undefined if there was none. */
  read(key: StateKey, height: number): Uint8Array | undefined {
    const row = this.#sql(
      "SELECT value FROM state WHERE key = ? AND height <= ? ORDER BY height DESC LIMIT 1",
    ).get(keyBlob(key), height);
    return (row?.value as Uint8Array | null | undefined) ?? undefined;
  }

  /** Writes a record's version of a block; null if the block deleted it. */
  write(key: StateKey, height: number, value: Uint8Array | null): void {
    this.#sql("INSERT OR REPLACE INTO state VALUES (?, ?, ?)").run(keyBlob(key), height, value);
  }

  /** All records whose key begins with `prefix`, in key order, as they were at the end of a block. */
  *scan(prefix: StateKey, height: number): Generator<[StateKey, Uint8Array]> {
    const from = keyBlob(prefix);
    const until = Buffer.concat([from, Buffer.alloc(2100, 0xff)]);
    const rows = this.#db
      .prepare(
        "SELECT key, value, max(height) FROM state WHERE key >= ? AND key <= ? AND height <= ? GROUP BY key ORDER BY key",
      )
      .iterate(from, until, height);
    for (const row of rows) {
      if (row.value !== null) yield [keyText(row.key as Uint8Array), row.value as Uint8Array];
    }
  }

  /** The keys of all records at a height, without reading what may be long values. */
  *keys(height: number): Generator<StateKey> {
    const rows = this.#db
      .prepare("SELECT key, value IS NULL AS gone, max(height) FROM state WHERE height <= ? GROUP BY key")
      .iterate(height);
    for (const row of rows) if (!row.gone) yield keyText(row.key as Uint8Array);
  }

  code(hash: string): Uint8Array | undefined {
    let bytes = this.#code.get(hash);
    if (!bytes) {
      bytes = this.#sql("SELECT bytes FROM code WHERE hash = ?").get(hash)?.bytes as Uint8Array | undefined;
      if (bytes) {
        if (this.#code.size >= CACHED_CODES) this.#code.clear();
        this.#code.set(hash, bytes);
      }
    }
    return bytes;
  }

  addCode(hash: string, bytes: Uint8Array): void {
    this.#sql("INSERT OR IGNORE INTO code VALUES (?, ?)").run(hash, bytes);
  }

  addBlock(height: number, hash: string, body: unknown): void {
    this.#sql("INSERT INTO blocks VALUES (?, ?, ?)").run(height, hash, serialize(body));
  }

  blockAt<T>(height: number): T | undefined {
    const row = this.#sql("SELECT body FROM blocks WHERE height = ?").get(height);
    return row && (deserialize(row.body as Uint8Array) as T);
  }

  /** The height of the newest block that isn't above `height`: heights may be passed over. */
  heightAtOrBelow(height: number): number {
    const row = this.#sql("SELECT max(height) AS height FROM blocks WHERE height <= ?").get(height);
    return (row?.height as number | null | undefined) ?? 0;
  }

  /** Takes back what blocks above `height` wrote. The keys of the records that they wrote. */
  dropAbove(height: number): StateKey[] {
    const written = this.#sql("SELECT DISTINCT key FROM state WHERE height > ?").all(height);
    this.#sql("DELETE FROM state WHERE height > ?").run(height);
    this.#sql("DELETE FROM blocks WHERE height > ?").run(height);
    this.#sql("DELETE FROM items WHERE height > ? AND kind NOT IN (?, ?)").run(height, ...OF_DROPPED);
    return written.map(({ key }) => keyText(key as Uint8Array));
  }

  heightOf(hash: string): number | undefined {
    return this.#sql("SELECT height FROM blocks WHERE hash = ?").get(hash)?.height as number | undefined;
  }

  addItem(kind: ItemKind, id: string, height: number, body: unknown): void {
    this.#sql("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)").run(kind, id, height, serialize(body));
  }

  item<T>(kind: ItemKind, id: string): T | undefined {
    const row = this.#sql("SELECT body FROM items WHERE kind = ? AND id = ?").get(kind, id);
    return row && (deserialize(row.body as Uint8Array) as T);
  }

  /** Forgets the contract data that a block superseded; called for every block in turn. */
  forgetData(height: number): void {
    this.#sql(`${SUPERSEDED} AND newer.key >= x'09' AND newer.key < x'0a')`).run(height);
  }

  /**
   * Forgets what happened up to a block, and the state that this block superseded. Called for every block in turn, so
   * that only the records the block wrote have to be looked at.
   */
  forgetUntil(height: number): void {
    this.#sql("DELETE FROM items WHERE height <= ?").run(height);
    this.#sql("DELETE FROM blocks WHERE height <= ?").run(height);
    this.#sql(`${SUPERSEDED})`).run(height);
    this.#sql("DELETE FROM state WHERE height = ? AND value IS NULL").run(height);
  }
}
