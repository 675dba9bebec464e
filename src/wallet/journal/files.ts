import type { Uuid } from "../../domain/ids.ts";
import type { SnapshotPosition } from "../interface.ts";

/** A file in R2 with operations that were removed from the journal. */
export interface JournalFile {
  /** Sequence number; later files have higher ones. */
  readonly number: number;
  readonly key: string;
  /** Generation of all its operations. */
  readonly generation: number;
  /** The lowest and highest row number and uuid. */
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstId: Uuid;
  readonly lastId: Uuid;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
}

const FIELDS = `number, key, generation, first_row AS firstRow, last_row AS lastRow, first_id AS firstId, last_id AS lastId,
  written_at AS writtenAt`;

/** The index of files with operations removed from the journal. Milliseconds since the epoch. */
export class FileJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Adds a file stored in R2. */
  add(file: Omit<JournalFile, "number">): void {
    this.#sql.exec(
      `INSERT INTO files (key, generation, first_row, last_row, first_id, last_id, written_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      file.key,
      file.generation,
      file.firstRow,
      file.lastRow,
      file.firstId,
      file.lastId,
      file.writtenAt,
    );
  }

  /** Files written since a time that may contain an operation. */
  around(operation: Uuid, since: number): JournalFile[] {
    return this.#sql
      .exec<Record<string, SqlStorageValue>>(
        `SELECT ${FIELDS} FROM files WHERE last_id >= ? AND first_id <= ? AND written_at >= ? ORDER BY last_id`,
        operation,
        operation,
        since,
      )
      .toArray() as unknown as JournalFile[];
  }

  /**
   * Files written since a time with operations after a position, ordered by their first operation.
   * @param last the previously read file; null to start
   */
  behind(
    place: SnapshotPosition | null,
    since: number,
    last: JournalFile | null,
    limit: number,
  ): JournalFile[] {
    return this.#sql
      .exec<Record<string, SqlStorageValue>>(
        `SELECT ${FIELDS} FROM files INDEXED BY files_order
         WHERE (generation, first_row, number) > (?, ?, ?) AND (generation, last_row) > (?, ?) AND written_at >= ?
         ORDER BY generation, first_row, number LIMIT ?`,
        last?.generation ?? -1,
        last?.firstRow ?? -1,
        last?.number ?? -1,
        place?.generation ?? -1,
        place?.rowNumber ?? -1,
        since,
        limit,
      )
      .toArray() as unknown as JournalFile[];
  }

  /** When the oldest file was written; null if there is none. */
  firstWritten(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT min(written_at) AS at FROM files").one().at;
  }

  /** Removes files written before a time from the index. The scheduled job deletes them. */
  forget(before: number): void {
    this.#sql.exec("DELETE FROM files WHERE written_at < ?", before);
  }
}
