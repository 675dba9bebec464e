import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { resumePause } from "./timing.ts";

/** The part of the journal that records which operations must be resumed and which may be removed. */
export class OperationJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** An operation has a new row: it isn't due until that row is over. */
  begin(operation: string, internal: boolean): void {
    this.#sql.exec(
      `INSERT INTO drives (operation, internal) VALUES (?, ?)
       ON CONFLICT (operation) DO UPDATE SET resume_at = NULL, resume_tries = 0, acknowledged_at = NULL`,
      operation,
      internal ? 1 : 0,
    );
  }

  /** An operation was accepted: if no step of it is journaled by then, it is driven again. */
  accepted(operation: string, now: number): void {
    this.#sql.exec(
      "INSERT INTO drives (operation, internal, resume_at) VALUES (?, 0, ?) ON CONFLICT DO NOTHING",
      operation,
      now + resumePause(0),
    );
  }

  /** Closes an operation to further steps. An operation without rows is removed after the retention time. */
  withdraw(operation: string, rows: number, now: number): void {
    this.#sql.exec(
      `INSERT INTO drives (operation, internal, acknowledged_at, withdrawn_at) VALUES (?, 0, ?, ?)
       ON CONFLICT (operation) DO UPDATE SET withdrawn_at = excluded.withdrawn_at,
         acknowledged_at = coalesce(drives.acknowledged_at, excluded.acknowledged_at)`,
      operation,
      rows === 0 ? now : null,
      now,
    );
  }

  /** Whether the operation was withdrawn. */
  isWithdrawn(operation: string): boolean {
    const sql = "SELECT 1 FROM drives WHERE operation = ? AND withdrawn_at IS NOT NULL";
    return this.#sql.exec(sql, operation).toArray().length > 0;
  }

  /**
   * Whether a step of this name is journaled, or else the operation accepts no more steps: it was withdrawn or, in this object's
   * ledger, has its answer. null: neither.
   */
  stepState(operation: Uuid, step: string): "journaled" | "closed" | null {
    const found = this.#sql
      .exec<{ state: "journaled" | "closed" }>(
        `SELECT 'journaled' AS state FROM intents WHERE operation = ? AND step = ?
         UNION ALL SELECT 'closed' FROM drives WHERE operation = ? AND withdrawn_at IS NOT NULL
         UNION ALL SELECT 'closed' FROM operations WHERE id = ? AND state IN ('succeeded', 'failed')`,
        operation,
        step,
        operation,
        uuidToBytes(operation),
      )
      .toArray()
      .map(({ state }) => state);
    return found.includes("journaled") ? "journaled" : (found[0] ?? null);
  }

  /** Records that all rows of operations are over. The wallet's own operations end here. */
  rowsOver(operations: readonly string[], now: number): void {
    this.#sql.exec(
      `UPDATE drives SET
         resume_at = CASE WHEN internal = 0 AND acknowledged_at IS NULL THEN ? END,
         resume_tries = 0,
         acknowledged_at = CASE WHEN internal = 1 THEN ? ELSE acknowledged_at END
       WHERE operation IN (SELECT value FROM json_each(?))`,
      now + resumePause(0),
      now,
      JSON.stringify(operations),
    );
  }

  /** Operations to resume now; each is rescheduled before it is tried. */
  takeDue(now: number, most: number): Uuid[] {
    const due = this.#sql
      .exec<{ operation: Uuid; resume_tries: number }>(
        "SELECT operation, resume_tries FROM drives WHERE resume_at <= ? ORDER BY resume_at LIMIT ?",
        now,
        most,
      )
      .toArray();
    for (const { operation, resume_tries } of due) {
      this.#sql.exec(
        "UPDATE drives SET resume_at = ?, resume_tries = ? WHERE operation = ?",
        now + resumePause(resume_tries + 1),
        resume_tries + 1,
        operation,
      );
    }
    return due.map(({ operation }) => operation);
  }

  /** When the next operation is due to be resumed; null if there is none. */
  nextResume(): number | null {
    // SQLite uses a partial index only if the query repeats its condition; otherwise it would read all operations.
    return this.#sql
      .exec<{ at: number | null }>("SELECT min(resume_at) AS at FROM drives WHERE resume_at IS NOT NULL")
      .one().at;
  }

  /** When the first acknowledged operation was acknowledged; null if there is none. */
  firstAcknowledged(): number | null {
    return this.#sql
      .exec<{ at: number | null }>(
        "SELECT min(acknowledged_at) AS at FROM drives WHERE acknowledged_at IS NOT NULL",
      )
      .one().at;
  }

  /** Operations acknowledged before a time, including those settled by the operator, oldest acknowledgement first. */
  acknowledgedBefore(before: number, most: number): { operation: Uuid; at: number }[] {
    return this.#sql
      .exec<{ operation: Uuid; at: number }>(
        `SELECT operation, acknowledged_at AS at FROM drives WHERE acknowledged_at < ?
         ORDER BY acknowledged_at LIMIT ?`,
        before,
        most,
      )
      .toArray();
  }

  /** Removes operations that were acknowledged before a time and are over, at most so many. @returns whether there are more */
  forgetOld(before: number, now: number, most: number): boolean {
    const old = this.acknowledgedBefore(before, most);
    for (const { operation } of old) {
      if (this.isNeeded(operation)) this.acknowledge(operation, now);
      else this.forget(operation);
    }
    return old.length === most;
  }

  /** Records that the operation's effects are written. */
  acknowledge(operation: string, now: number): void {
    this.#sql.exec(
      "UPDATE drives SET resume_at = NULL, acknowledged_at = ? WHERE operation = ?",
      now,
      operation,
    );
  }

  /** Whether the operation has something to sign or to prove, or is a shared transaction that one of its parts reads. */
  isNeeded(operation: string): boolean {
    const open = this.#sql.exec(
      `SELECT 1 FROM intents WHERE operation = ?
       AND (state IN ('queued', 'open') OR EXISTS (
         SELECT 1 FROM carried JOIN intents AS part ON part.id = carried.intent WHERE carried.shared = intents.id))
       LIMIT 1`,
      operation,
    );
    return open.toArray().length > 0;
  }

  /** Removes all rows of an operation. */
  forget(operation: string): void {
    this.#sql.exec(
      "DELETE FROM signed WHERE intent_id IN (SELECT id FROM intents WHERE operation = ?)",
      operation,
    );
    // The positions of all parts are needed to assign tokens until the shared transaction itself is removed.
    this.#sql.exec(
      `DELETE FROM carried WHERE intent IN (SELECT id FROM intents WHERE operation = ?)
         AND NOT EXISTS (SELECT 1 FROM intents WHERE id = carried.shared)`,
      operation,
    );
    this.#sql.exec(
      "DELETE FROM carried WHERE shared IN (SELECT id FROM intents WHERE operation = ?)",
      operation,
    );
    this.#sql.exec("DELETE FROM intents WHERE operation = ?", operation);
    this.#sql.exec("DELETE FROM drives WHERE operation = ?", operation);
  }
}
