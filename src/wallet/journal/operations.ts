import type { Uuid } from "../../domain/ids.ts";
import type { SnapshotJournal } from "./snapshots.ts";
import { resumePause } from "./timing.ts";

/** The part of the journal that knows which operations still have to be resumed, and which may be forgotten. */
export class OperationJournal {
  readonly #sql: SqlStorage;
  readonly #snapshots: SnapshotJournal;

  constructor(sql: SqlStorage, snapshots: SnapshotJournal) {
    this.#sql = sql;
    this.#snapshots = snapshots;
  }

  /** An operation has a new row: it is not due before that row is over. */
  begin(operation: string, internal: boolean): void {
    this.#sql.exec(
      `INSERT INTO operations (operation, internal) VALUES (?, ?)
       ON CONFLICT (operation) DO UPDATE SET resume_at = NULL, resume_tries = 0, acknowledged_at = NULL`,
      operation,
      internal ? 1 : 0,
    );
  }

  /** Seals an operation against further steps. One that has no row at all is forgotten after a while. */
  withdraw(operation: string, rows: number, now: number): void {
    this.#sql.exec(
      `INSERT INTO operations (operation, internal, acknowledged_at, withdrawn_at) VALUES (?, 0, ?, ?)
       ON CONFLICT (operation) DO UPDATE SET withdrawn_at = excluded.withdrawn_at`,
      operation,
      rows === 0 ? now : null,
      now,
    );
  }

  /** Whether the operation was withdrawn, also where only the name of one without a row is left. */
  isWithdrawn(operation: string): boolean {
    const found = this.#sql.exec(
      "SELECT 1 FROM operations WHERE operation = ? AND withdrawn_at IS NOT NULL",
      operation,
    );
    return found.toArray().length > 0 || this.#snapshots.isNamedWithdrawn(operation as Uuid);
  }

  /** Whether the operation was withdrawn before its first step. */
  #isRefused(operation: string): boolean {
    const found = this.#sql.exec(
      `SELECT 1 FROM operations WHERE operation = ?1 AND withdrawn_at IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM intents WHERE operation = ?1)`,
      operation,
    );
    return found.toArray().length > 0;
  }

  /** All rows of the operation are over. The wallet's own operations end here. */
  rowsOver(operation: string, now: number): void {
    this.#sql.exec(
      `UPDATE operations SET
         resume_at = CASE WHEN internal = 0 AND acknowledged_at IS NULL THEN ? END,
         resume_tries = 0,
         acknowledged_at = CASE WHEN internal = 1 THEN ? ELSE acknowledged_at END
       WHERE operation = ?`,
      now + resumePause(0),
      now,
      operation,
    );
  }

  /** Operations to resume now; each is put off before it is tried. */
  takeDue(now: number, most: number): string[] {
    const due = this.#sql
      .exec<{ operation: string; resume_tries: number }>(
        "SELECT operation, resume_tries FROM operations WHERE resume_at <= ? ORDER BY resume_at LIMIT ?",
        now,
        most,
      )
      .toArray();
    for (const { operation, resume_tries } of due) {
      this.#sql.exec(
        "UPDATE operations SET resume_at = ?, resume_tries = ? WHERE operation = ?",
        now + resumePause(resume_tries + 1),
        resume_tries + 1,
        operation,
      );
    }
    return due.map(({ operation }) => operation);
  }

  /** When the next operation wants to be resumed; null if none does. */
  nextResume(): number | null {
    // A partial index is used only by a query that repeats its condition; without it all operations are read.
    return this.#sql
      .exec<{ at: number | null }>("SELECT min(resume_at) AS at FROM operations WHERE resume_at IS NOT NULL")
      .one().at;
  }

  /** When the first of the acknowledged operations, without one, was acknowledged; null if none was. */
  firstAcknowledged(without: string | null): number | null {
    const first = this.#sql
      .exec<{ at: number }>(
        `SELECT acknowledged_at AS at FROM operations WHERE acknowledged_at IS NOT NULL AND operation <> ?
         ORDER BY acknowledged_at LIMIT 1`,
        without ?? "",
      )
      .toArray()[0];
    return first?.at ?? null;
  }

  /** When the operation was acknowledged; null: it wasn't, or has no row. */
  acknowledgedAt(operation: string): number | null {
    const row = this.#sql
      .exec<{ at: number | null }>(
        "SELECT acknowledged_at AS at FROM operations WHERE operation = ?",
        operation,
      )
      .toArray()[0];
    return row?.at ?? null;
  }

  /** Whether so many operations were acknowledged before a time. */
  hasAcknowledged(before: number, count: number): boolean {
    const last = this.#sql.exec(
      "SELECT 1 FROM operations WHERE acknowledged_at < ? ORDER BY acknowledged_at LIMIT 1 OFFSET ?",
      before,
      count - 1,
    );
    return last.toArray().length > 0;
  }

  /** Operations that were acknowledged before a time, the operator's settled ones among them, the first ones first. */
  acknowledgedBefore(before: number, most: number): { operation: Uuid; at: number }[] {
    return this.#sql
      .exec<{ operation: Uuid; at: number }>(
        `SELECT operation, acknowledged_at AS at FROM operations WHERE acknowledged_at < ?
         ORDER BY acknowledged_at LIMIT ?`,
        before,
        most,
      )
      .toArray();
  }

  /** The operation's effects are written. */
  acknowledge(operation: string, now: number): void {
    this.#sql.exec(
      "UPDATE operations SET resume_at = NULL, acknowledged_at = ? WHERE operation = ?",
      now,
      operation,
    );
  }

  /** Whether the operation's effects are written, as far as this wallet was told. */
  isAcknowledged(operation: string): boolean {
    const found = this.#sql.exec(
      "SELECT 1 FROM operations WHERE operation = ? AND acknowledged_at IS NOT NULL",
      operation,
    );
    return found.toArray().length > 0;
  }

  /** Whether the operation still has something to sign or to prove. */
  isOpen(operation: string): boolean {
    // A shared transaction that can't be proven is kept as long as anything that it carries.
    const open = this.#sql.exec(
      `SELECT 1 FROM intents WHERE operation = ?
       AND (state IN ('queued', 'open') OR EXISTS (
         SELECT 1 FROM carried JOIN intents AS part ON part.id = carried.intent WHERE carried.shared = intents.id))
       LIMIT 1`,
      operation,
    );
    return open.toArray().length > 0;
  }

  /** Forgets an operation: all of its rows. Its snapshot leaves a name, and so does one that was refused without any row. */
  forget(operation: string): void {
    const isRefused = this.#isRefused(operation);
    this.#sql.exec(
      "DELETE FROM signed WHERE intent_id IN (SELECT id FROM intents WHERE operation = ?)",
      operation,
    );
    // What else the transaction carried is told apart by the places of all, until the transaction is forgotten too.
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
    this.#sql.exec("DELETE FROM operations WHERE operation = ?", operation);
    this.#snapshots.forget(operation);
    if (isRefused) this.#snapshots.nameWithdrawn(operation as Uuid);
  }
}
