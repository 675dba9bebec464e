import { sql } from "drizzle-orm";
import { openDatabase } from "../db/client.ts";
import { sentOf } from "../db/ledger.ts";
import { COUNTED } from "../db/queries/operation-counts.ts";
import { collections, operationCounts } from "../db/schema/ledger.ts";
import type { SentStatement } from "../db/statements.ts";

/** Rows of which D1 has copies, and which have changed. */
export interface ChangedRows {
  readonly rows: readonly (typeof collections.$inferSelect)[];
  readonly counts: readonly (typeof operationCounts.$inferSelect)[];
}

/** All columns of a table as an upsert sets them. */
const excluded = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, sql.raw(`excluded.${snake(name)}`)]));

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names the first row. */
export const firstOf = ({ rows: [row], counts: [count] }: ChangedRows): string =>
  row === undefined
    ? `operation_counts ${count?.day} ${count?.kind} ${count?.state} ${count?.bucket}`
    : `collections ${row.id}`;

/** Statements that copy rows to D1 where it has older ones. */
export const copyStatements = (d1: D1Database, { rows, counts }: ChangedRows): SentStatement[] => {
  const db = openDatabase(d1);
  return [
    ...rows.map((row) =>
      db
        .insert(collections)
        .values(row)
        .onConflictDoUpdate({
          target: collections.id,
          set: excluded(Object.keys(row)),
          setWhere: sql`excluded.ledger_version > ${collections.ledgerVersion}`,
        }),
    ),
    ...counts.map((row) =>
      db
        .insert(operationCounts)
        .values(row)
        .onConflictDoUpdate({
          target: COUNTED,
          set: excluded(["count", "ledgerVersion"]),
          setWhere: sql`excluded.ledger_version > ${operationCounts.ledgerVersion}`,
        }),
    ),
  ].map(sentOf);
};
