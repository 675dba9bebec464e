import { type SQL, sql } from "drizzle-orm";

/** Bytes of large texts after which a query of a list reads no further row. */
const MOST_BYTES = 1_048_576;

/**
 * Limits a query of a list by the bytes of its large texts; the first row may exceed them.
 * @param rows selects `place`, the key of a row, and `bytes`, the length of its text; with its own LIMIT @param order of `rows`
 */
export const withinBytes = ({ rows, order }: { readonly rows: SQL; readonly order: SQL }) => ({
  /** The places of the rows to read, for `IN`. */
  places: sql`(SELECT place FROM (
    SELECT place, sum(bytes) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - bytes AS before FROM (${rows}))
    WHERE before < ${MOST_BYTES})`,
  /** Number of rows without the limit of bytes. */
  candidates: sql<number>`(SELECT count(*) FROM (${rows}))`,
});
