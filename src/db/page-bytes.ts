import { type SQL, sql } from "drizzle-orm";

/** Bytes of large texts after which a query of a list reads no further row. */
const MOST_BYTES = 1_048_576;

/** The next rows of a list, at most as many as requested, before their large texts are read. */
export interface Candidates {
  /** Selects `place`, the key of a row, and `bytes`, the length of its large text; with its own LIMIT. */
  readonly rows: SQL;
  readonly order: SQL;
}

/** Limits a query of a list by the bytes of its large texts; the first row may exceed them. */
export const withinBytes = ({ rows, order }: Candidates) => ({
  /** The places of the rows to read, for `IN`. */
  places: sql`(SELECT place FROM (
    SELECT place, sum(bytes) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - bytes AS before FROM (${rows}))
    WHERE before < ${MOST_BYTES})`,
  /** Number of rows without the limit of bytes. */
  candidates: sql<number>`(SELECT count(*) FROM (${rows}))`,
});
