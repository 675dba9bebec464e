import type { RowState } from "./machine.ts";

/** A signed transaction as the rules see it. Heights are block heights, times milliseconds since the epoch. */
export interface SignedRow {
  readonly nonce: number;
  /** Height of the base block: the key's nonce was below the row's there, and its validity counts from it. */
  readonly baseHeight: number;
  readonly signedAt: number;
  /** Height by which it was seen in a block that a fork can still drop; null if not seen. */
  readonly includedBy: number | null;
  /** Its inclusion in a final block is proven, and only its outcome is missing. */
  readonly landed: boolean;
  /** A no-op with the same nonce is journaled. */
  readonly raced: boolean;
  /** `InvalidTxError` variant returned by a node, if it is permanent. */
  readonly refusal: string | null;
  /** Checks that ended without a proof because blocks or the outcome were unavailable. */
  readonly unproven: number;
}

/** A signed transaction as the journal stores it. */
export interface SignedTransactionRow extends SignedRow {
  readonly id: number;
  readonly intentId: number;
  readonly laneId: string;
  readonly hash: string;
  readonly state: RowState;
  readonly tries: number;
  /** The final height from which its outcome is polled. */
  readonly dueHeight: number;
  /** Not polled before then, milliseconds since the epoch. */
  readonly askAt: number;
}

/** New signed bytes for the journal. */
export interface NewSignedRow {
  readonly intentId: number;
  readonly laneId: string;
  readonly nonce: number;
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly baseHeight: number;
  readonly dueHeight: number;
  readonly now: number;
}

/** A row as SQLite returns it. */
type Row = Omit<SignedTransactionRow, "raced" | "landed"> & { raced: number; landed: number };

const FIELDS = `id, intent_id AS intentId, lane_id AS laneId, nonce, hash, noop_hash IS NOT NULL AS raced,
  base_height AS baseHeight, signed_at AS signedAt, state, included_by AS includedBy, landed, refusal, unproven, tries,
  due_height AS dueHeight, ask_at AS askAt`;

/** The part of the journal that holds signed bytes. */
export class SignedJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Adds signed bytes and returns the row's id. */
  add(row: NewSignedRow): number {
    return this.#sql
      .exec<{ id: number }>(
        `INSERT INTO signed (intent_id, lane_id, nonce, hash, bytes, base_height, signed_at, state, due_height, ask_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?) RETURNING id`,
        row.intentId,
        row.laneId,
        row.nonce,
        row.hash,
        row.bytes,
        row.baseHeight,
        row.now,
        row.dueHeight,
        row.now,
      )
      .one().id;
  }

  /** Adds the no-op that races a row. Both have the same nonce, so at most one of them lands. */
  race(id: number, hash: string, bytes: Uint8Array): void {
    this.#sql.exec("UPDATE signed SET noop_hash = ?, noop_bytes = ? WHERE id = ?", hash, bytes, id);
  }

  /** All open rows, oldest first. */
  open(): SignedTransactionRow[] {
    return this.#sql
      .exec<Row>(`SELECT ${FIELDS} FROM signed WHERE state = 'open' ORDER BY id`)
      .toArray()
      .map(toRow);
  }

  /** The distinct due heights and times of open rows. @param asked rows being polled, which are left out */
  due(asked: ReadonlySet<number>): Pick<SignedTransactionRow, "dueHeight" | "askAt">[] {
    return this.#sql
      .exec<Pick<Row, "dueHeight" | "askAt">>(
        `SELECT DISTINCT due_height AS dueHeight, ask_at AS askAt FROM signed
         WHERE state = 'open' AND id NOT IN (SELECT value FROM json_each(?))`,
        JSON.stringify([...asked]),
      )
      .toArray();
  }

  /** One row if it is open or was given up. */
  find(id: number): SignedTransactionRow | null {
    const found = this.#sql
      .exec<Row>(`SELECT ${FIELDS} FROM signed WHERE id = ? AND state IN ('open', 'unknown')`, id)
      .toArray()[0];
    return found ? toRow(found) : null;
  }

  /** Some rows that were given up and whose operation isn't settled, in random order. */
  givenUp(most: number): SignedTransactionRow[] {
    return this.#sql
      .exec<Row>(
        `WITH unsettled AS (
           SELECT intents.id FROM intents LEFT JOIN drives ON drives.operation = intents.operation
           WHERE intents.state = 'unknown' AND drives.acknowledged_at IS NULL)
         SELECT ${FIELDS} FROM signed WHERE state = 'unknown' AND intent_id IN (
           SELECT id FROM unsettled UNION SELECT shared FROM carried WHERE intent IN (SELECT id FROM unsettled))
         ORDER BY random() LIMIT ?`,
        most,
      )
      .toArray()
      .map(toRow);
  }

  /** The last signed row of an intent, open or over. */
  lastOf(intentId: number): { hash: string; nonce: number } | null {
    const sql = "SELECT hash, nonce FROM signed WHERE intent_id = ? ORDER BY id DESC LIMIT 1";
    return this.#sql.exec<{ hash: string; nonce: number }>(sql, intentId).toArray()[0] ?? null;
  }

  /** Rows that belong to an operation, directly or shared, and are proven neither landed nor dead. */
  undecided(operation: string): Pick<SignedTransactionRow, "laneId" | "nonce" | "baseHeight">[] {
    return this.#sql
      .exec<Pick<Row, "laneId" | "nonce" | "baseHeight">>(
        `WITH own AS (SELECT id FROM intents WHERE operation = ?)
         SELECT lane_id AS laneId, nonce, base_height AS baseHeight FROM signed
         WHERE state IN ('open', 'unknown') AND intent_id IN (
           SELECT id FROM own UNION SELECT shared FROM carried WHERE intent IN (SELECT id FROM own))`,
        operation,
      )
      .toArray();
  }

  /** Bytes to send for a row: its own, and the no-op's if there is one. */
  bytesOf(id: number): { own: Uint8Array; noop: Uint8Array | null } {
    const row = this.#sql
      .exec<{ bytes: ArrayBuffer; noop_bytes: ArrayBuffer | null }>(
        "SELECT bytes, noop_bytes FROM signed WHERE id = ?",
        id,
      )
      .one();
    return {
      own: new Uint8Array(row.bytes),
      noop: row.noop_bytes === null ? null : new Uint8Array(row.noop_bytes),
    };
  }

  /** Records that the rows are in blocks up to a height. An earlier recorded height is kept. */
  markIncluded(height: number, ...ids: readonly number[]): void {
    if (ids.length === 0) return;
    const sql = `UPDATE signed SET included = 1, included_by = coalesce(included_by, ?)
      WHERE id IN (SELECT value FROM json_each(?))`;
    this.#sql.exec(sql, height, JSON.stringify(ids));
  }

  /** Records that a fork dropped the rows' blocks. */
  markDropped(...ids: readonly number[]): void {
    if (ids.length === 0) return;
    const sql = `UPDATE signed SET included = 0, included_by = NULL
      WHERE id IN (SELECT value FROM json_each(?))`;
    this.#sql.exec(sql, JSON.stringify(ids));
  }

  /** Records the proof that the row's transaction is in a final block; its outcome isn't known yet. */
  markLanded(id: number): void {
    this.#sql.exec("UPDATE signed SET landed = 1, included = 1 WHERE id = ?", id);
  }

  markRefused(id: number, reason: string): void {
    this.#sql.exec("UPDATE signed SET refusal = ? WHERE id = ? AND refusal IS NULL", reason, id);
  }

  markUnproven(id: number): void {
    this.#sql.exec("UPDATE signed SET unproven = unproven + 1 WHERE id = ?", id);
  }

  /** Postpones the next poll of the row to a final height and a time. */
  putOff(id: number, dueHeight: number, askAt: number): void {
    this.#sql.exec(
      "UPDATE signed SET tries = tries + 1, due_height = ?, ask_at = ? WHERE id = ?",
      dueHeight,
      askAt,
      id,
    );
  }

  /** Sets the state of a row that a move ends, and deletes its bytes. */
  close(id: number, state: RowState): void {
    this.#sql.exec(
      "UPDATE signed SET state = ?, bytes = x'', noop_bytes = NULL WHERE id = ? AND state IN ('open', 'unknown')",
      state,
      id,
    );
  }
}

const toRow = (row: Row): SignedTransactionRow => ({
  ...row,
  raced: row.raced === 1,
  landed: row.landed === 1,
});
