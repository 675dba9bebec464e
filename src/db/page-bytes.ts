import { type SQL, sql } from "drizzle-orm";

/** Bytes of large texts that one query of a list reads, the row that reaches it included. */
const MOST_BYTES = 1_048_576;

/** A list's next rows, at most as many as are asked for, before anything large of them is read. */
export interface Candidates {
  /** Selects `place`, by which a row is found, and `bytes`, the length of its large text; with its own limit. */
  readonly rows: SQL;
  /** The order of the list, by columns of `rows`. */
  readonly order: SQL;
}

/** How much of a list one query reads: rows, and bytes of their large texts, of which the first row may have more. */
export const withinBytes = ({ rows, order }: Candidates) => ({
  /** The places of the rows to read, for `IN`. */
  places: sql`(SELECT place FROM (
    SELECT place, sum(bytes) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - bytes AS before FROM (${rows}))
    WHERE before < ${MOST_BYTES})`,
  /** How many rows there would be without the limit of bytes. */
  candidates: sql<number>`(SELECT count(*) FROM (${rows}))`,
});
