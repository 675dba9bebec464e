import { and, getTableColumns, gte, lt, lte, min, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { SnapshotPosition } from "../interface.ts";
import { hinted, JournalPart, required } from "./database.ts";
import { files } from "./schema.ts";

/** A file in R2 with operations that were removed from the journal. */
export type JournalFile = Readonly<typeof files.$inferSelect>;

/** The index of files with operations removed from the journal. Milliseconds since the epoch. */
export class FileJournal extends JournalPart {
  /** Adds a file stored in R2. */
  readonly add = this.run((file: Omit<JournalFile, "number">) =>
    this.db.insert(files).values(required(files, file)),
  );

  /** Files written since a time that may contain an operation. */
  readonly around = this.rows((operation: Uuid, since: number) =>
    this.db
      .select()
      .from(files)
      .where(and(gte(files.lastId, operation), lte(files.firstId, operation), gte(files.writtenAt, since)))
      .orderBy(files.lastId),
  );

  readonly #behind = this.rows(
    (
      from: {
        readonly [Name in
          | "generation"
          | "row"
          | "number"
          | "placed"
          | "placedRow"
          | "since"
          | "limit"]: number;
      },
    ) =>
      this.db
        .select(hinted(getTableColumns(files)))
        .from(sql`${files} INDEXED BY files_order`)
        .where(
          sql`(generation, first_row, number) > (${from.generation}, ${from.row}, ${from.number})
            AND (generation, last_row) > (${from.placed}, ${from.placedRow}) AND written_at >= ${from.since}`,
        )
        .orderBy(files.generation, files.firstRow, files.number)
        .limit(from.limit),
  );

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
    const { generation, firstRow, number } = last ?? { generation: -1, firstRow: -1, number: -1 };
    const { generation: placed, rowNumber: placedRow } = place ?? { generation: -1, rowNumber: -1 };
    return this.#behind({ generation, row: firstRow, number, placed, placedRow, since, limit });
  }

  /** When the oldest file was written; null if there is none. */
  readonly firstWritten = this.one(
    () => this.db.select({ at: min(files.writtenAt) }).from(files),
    ({ at }) => at,
  );

  /** Removes files written before a time from the index. The scheduled job deletes them. */
  readonly forget = this.run((before: number) => this.db.delete(files).where(lt(files.writtenAt, before)));
}
