import { eq, lt, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidFromBytes } from "../../domain/ids.ts";
import { SLOT_MS, type SlotCount } from "../../domain/overview.ts";
import type { Database } from "../client.ts";
import { countedOpen, mintedCounts, operationCounts, operations, sweeps } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { unhexed } from "./blobs.ts";
import { OPEN } from "./operations.ts";
import { isSweptTo } from "./sweeps.ts";

/**
 * Counters of operations, exact: each operation is counted when the scheduled job passes over its row, in the order of row
 * numbers, which is that in which operations were accepted. Counters and cursor change in one batch that is bound to the
 * cursor, so that a run that is killed or meets another counts nothing twice. An operation that was still open is
 * remembered (`counted_open`), and its end is counted in the batch that forgets it.
 */

/** Where the counters have come to: JSON of a row number and, in hexadecimal, the id of the operation that had it. */
const SWEEP = "operation_counts";

/**
 * The number of the last row that was counted. Row numbers change where the database is exported and imported, so that it
 * is that which the operation has now. The archive takes no operation before a later one is there.
 */
const position = sql`coalesce((SELECT coalesce(
    (SELECT o.rowid FROM operations AS o WHERE o.id = unhex(json_extract(cursor, '$.id'))),
    json_extract(cursor, '$.row'))
  FROM sweeps WHERE name = ${SWEEP}), 0)`;

const slot = sql`operations.created_at / ${sql.raw(String(SLOT_MS))}`;
/** What is known of operations once they are over. */
const ended = sql`sum(operations.state = 'succeeded') AS succeeded, sum(operations.state = 'failed') AS failed,
  coalesce(sum(CASE WHEN operations.state = 'succeeded' THEN operations.finished_at - operations.created_at END), 0)
    AS took`;
const isOver = sql`operations.state IN ('succeeded', 'failed')`;
const tokens = sql`sum(json_array_length(operations.request, '$.receivers')
  * json_extract(operations.request, '$.quantity'))`;
const hasMinted = sql`operations.kind = 'mint' AND operations.state = 'succeeded'`;
/** Keeps SQLite from beginning with the collections. */
const withCollections = sql`operations CROSS JOIN collections ON collections.id = operations.subject_id`;

const addCounts = (db: Database, rows: SQL): Statement =>
  db
    .insert(operationCounts)
    .select(rows)
    .onConflictDoUpdate({
      target: operationCounts.slot,
      set: {
        accepted: sql`operation_counts.accepted + excluded.accepted`,
        succeeded: sql`operation_counts.succeeded + excluded.succeeded`,
        failed: sql`operation_counts.failed + excluded.failed`,
        took: sql`operation_counts.took + excluded.took`,
      },
    });

const addMinted = (db: Database, rows: SQL): Statement =>
  db
    .insert(mintedCounts)
    .select(rows)
    .onConflictDoUpdate({
      target: [mintedCounts.contractId, mintedCounts.slot],
      set: { tokens: sql`minted_counts.tokens + excluded.tokens` },
    });

/** An operation whose row follows those that were counted. */
export interface Uncounted {
  readonly row: number;
  /** Hexadecimal. */
  readonly id: string;
  /** When it was accepted, milliseconds since the epoch. */
  readonly at: number;
}

/** What there is to count. */
export interface Countable {
  readonly cursor: string | null;
  readonly position: number;
  /** Rows behind the cursor, in their order. */
  readonly rows: readonly Uncounted[];
  /** Ids, in hexadecimal, of operations that were open when they were counted, and are over or not there any more. */
  readonly ends: readonly string[];
}

/** Reads what there is to count, in one trip, at most so much of each. */
export const countable = async (db: Database, limit: number): Promise<Countable> => {
  const [[place], rows, ends] = await db.batch([
    db
      .select({ cursor: sql<string | null>`cursor`, position: sql<number>`position` })
      .from(
        sql`(SELECT (SELECT cursor FROM sweeps WHERE name = ${SWEEP}) AS cursor, ${position} AS position) AS place`,
      ),
    db
      .select({ row: sql<number>`rowid`, id: sql<string>`lower(hex(id))`, at: sql<number>`created_at` })
      .from(operations)
      .where(sql`rowid > ${position}`)
      .orderBy(sql`rowid`)
      .limit(limit),
    db
      .select({ id: sql<string>`lower(hex(${countedOpen.operationId}))` })
      .from(countedOpen)
      .leftJoin(operations, eq(operations.id, countedOpen.operationId))
      .where(sql`operations.id IS NULL OR ${isOver}`)
      .limit(limit),
  ]);
  return {
    cursor: place?.cursor ?? null,
    position: place?.position ?? 0,
    rows,
    ends: ends.map(({ id }) => id),
  };
};

/**
 * Counts the rows from a position to another one, unless somebody has counted since the cursor was read.
 * @param to the last row that is counted
 * @param before slots below this one are forgotten
 */
export const countRows = async (
  db: Database,
  { cursor, position: from }: Pick<Countable, "cursor" | "position">,
  to: Pick<Uncounted, "row" | "id">,
  { before, now }: { readonly before: number; readonly now: Date },
): Promise<void> => {
  const those = sql`operations.rowid > ${from} AND operations.rowid <= ${to.row} AND ${isSweptTo(SWEEP, cursor)}`;
  const next = JSON.stringify({ row: to.row, id: to.id });
  await db.batch([
    addCounts(db, sql`SELECT ${slot}, count(*), ${ended} FROM operations WHERE ${those} GROUP BY 1`),
    addMinted(
      db,
      sql`SELECT collections.contract_id, ${slot}, ${tokens} FROM ${withCollections}
        WHERE ${those} AND ${hasMinted} GROUP BY 1, 2`,
    ),
    db
      .insert(countedOpen)
      .select(sql`SELECT operations.id FROM operations WHERE ${those} AND ${OPEN}`)
      .onConflictDoNothing(),
    db.delete(operationCounts).where(lt(operationCounts.slot, before)),
    db.delete(mintedCounts).where(sql`(contract_id, slot) IN (
      SELECT contract_id, slot FROM minted_counts WHERE slot < ${before} LIMIT ${FORGOTTEN})`),
    db
      .insert(sweeps)
      .select(sql`SELECT ${SWEEP}, ${next}, ${now.getTime()} WHERE ${isSweptTo(SWEEP, cursor)}`)
      .onConflictDoUpdate({ target: sweeps.name, set: { cursor: next, updatedAt: now } }),
  ]);
};

/** Old rows of `minted_counts` that one batch deletes. */
const FORGOTTEN = 2_000;

/** Counts the ends of operations that were open when they were counted; of each once, whoever counts beside this. */
export const countEnds = async (db: Database, ids: readonly string[]): Promise<void> => {
  const named = unhexed(JSON.stringify(ids));
  const those = sql`operations.id IN (SELECT operation_id FROM counted_open WHERE operation_id IN ${named})`;
  await db.batch([
    addCounts(db, sql`SELECT ${slot}, 0, ${ended} FROM operations WHERE ${those} AND ${isOver} GROUP BY 1`),
    addMinted(
      db,
      sql`SELECT collections.contract_id, ${slot}, ${tokens} FROM ${withCollections}
        WHERE ${those} AND ${hasMinted} GROUP BY 1, 2`,
    ),
    db.delete(countedOpen).where(sql`operation_id IN ${named}
      AND NOT EXISTS (SELECT 1 FROM operations WHERE id = counted_open.operation_id AND ${OPEN})`),
  ]);
};

/** Rows that were not counted yet, and ends that were not. */
const rest = sql`operations.rowid > ${position}`;
const openThen = sql`counted_open CROSS JOIN operations ON operations.id = counted_open.operation_id`;

/** Operations that were accepted since the beginning of a slot, by slot, each slot perhaps in several parts. */
export const countsSince = async (db: Database, since: number): Promise<SlotCount[]> => {
  const from = sql`operations.created_at >= ${since * SLOT_MS}`;
  const counts = (rows: SQL) =>
    db
      .select({
        slot: sql<number>`slot`,
        accepted: sql<number>`accepted`,
        succeeded: sql<number>`succeeded`,
        failed: sql<number>`failed`,
        took: sql<number>`took`,
      })
      .from(sql`(${rows}) AS part`);
  const parts = await db.batch([
    counts(sql`SELECT * FROM operation_counts WHERE slot >= ${since}`),
    counts(sql`SELECT ${slot} AS slot, count(*) AS accepted, ${ended}
      FROM operations WHERE ${rest} AND ${from} GROUP BY 1`),
    counts(sql`SELECT ${slot} AS slot, 0 AS accepted, ${ended}
      FROM ${openThen} WHERE ${isOver} AND ${from} GROUP BY 1`),
  ]);
  return parts.flat();
};

/** Tokens that the API has minted since the beginning of a slot, by contract, of some contracts. */
export const mintedSince = async (
  db: Database,
  contracts: readonly Uuid[],
  since: number,
): Promise<ReadonlyMap<Uuid, number>> => {
  const from = sql`operations.created_at >= ${since * SLOT_MS} AND ${hasMinted}`;
  const named = unhexed(JSON.stringify(contracts.map((id) => id.replaceAll("-", ""))));
  const own = sql`collections.contract_id IN ${named}`;
  const minted = (rows: SQL) =>
    db.select({ contract: sql<string>`contract`, tokens: sql<number>`tokens` }).from(sql`(${rows}) AS part`);
  const parts = await db.batch([
    minted(sql`SELECT lower(hex(contract_id)) AS contract, sum(tokens) AS tokens FROM minted_counts
      WHERE contract_id IN ${named} AND slot >= ${since} GROUP BY contract_id`),
    minted(sql`SELECT lower(hex(collections.contract_id)) AS contract, ${tokens} AS tokens
      FROM ${withCollections} WHERE ${rest} AND ${from} AND ${own} GROUP BY 1`),
    minted(sql`SELECT lower(hex(collections.contract_id)) AS contract, ${tokens} AS tokens
      FROM ${openThen} CROSS JOIN collections ON collections.id = operations.subject_id
      WHERE ${from} AND ${own} GROUP BY 1`),
  ]);
  const sum = new Map<Uuid, number>();
  for (const { contract, tokens } of parts.flat()) {
    const id = uuidFromBytes(Buffer.from(contract, "hex"));
    sum.set(id, (sum.get(id) ?? 0) + tokens);
  }
  return sum;
};
