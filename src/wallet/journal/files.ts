import type { Uuid } from "../../domain/ids.ts";
import type { SnapshotPosition } from "../interface.ts";

/** A file in R2 that has operations which are forgotten here. */
export interface JournalFile {
  /** Its number: a later file has a higher one. */
  readonly number: number;
  readonly key: string;
  /** What its operations have in common. */
  readonly generation: number;
  /** The least and the greatest of their row numbers, and of their uuids. */
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstId: Uuid;
  readonly lastId: Uuid;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
}

const FIELDS = `number, key, generation, first_row AS firstRow, last_row AS lastRow, first_id AS firstId, last_id AS lastId,
  written_at AS writtenAt`;

/** The part of the journal that knows which files have what it has forgotten. Milliseconds since the epoch. */
export class FileJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Enters a file that R2 has. */
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

  /** Files that may have an operation, of those written since a time. */
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
   * Files that have something behind a place, of those written since a time, in the order of where they begin.
   * @param last the file that was read before; null: from the first on
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

  /** When the oldest file was written; null: there is none. */
  firstWritten(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT min(written_at) AS at FROM files").one().at;
  }

  /** Forgets files that were written before a time. The scheduled job deletes them. */
  forget(before: number): void {
    this.#sql.exec("DELETE FROM files WHERE written_at < ?", before);
  }
}
