import { and, asc, eq, gt, isNull, or, sql } from "drizzle-orm";
import { type Database, openDatabase, runSentBatch } from "../db/client.ts";
import { sentOf } from "../db/ledger.ts";
import { integrations, ledgers, unshippedOperations } from "../db/schema/index.ts";
import type { meta } from "../db/schema/ledger.ts";
import type { UnshippedOperation } from "../db/schema/ledgers.ts";
import type { SentStatement } from "../db/statements.ts";
import { type Uuid, uuidToBytes } from "../domain/ids.ts";

/** D1's row of a ledger: the number and the tag of the last call, and what the operator and a restoration need. */

/** What a ledger knows of itself. */
export type Meta = typeof meta.$inferSelect;

/** How far D1 has followed a ledger. */
export interface KnownToD1 {
  readonly entry: number;
  readonly version: number;
  readonly eventsSeq: number;
  readonly flush: number;
  readonly flushTag: string;
}

/** What D1 knows of a ledger that it has no row of. */
const NOTHING: KnownToD1 = { entry: 0, version: 0, eventsSeq: 0, flush: 0, flushTag: "" };

/** D1's row of the ledger, and each row of `unshipped_operations`, names at most this many operations that R2 doesn't have. */
const NAMED = 1_000;
/** Rows of `unshipped_operations` that one call writes at most. */
const NAMING_ROWS = 5;

/** A call of D1. */
interface D1Call {
  /** The last entry of the outbox and the version that D1 has after it. */
  readonly entry: number;
  readonly version: number;
  readonly tag: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** What a call says of the ledger itself. */
export interface D1Row {
  /** The first fails on `ledgers.entry` unless D1's last call is the one that was answered last. */
  readonly statements: readonly SentStatement[];
  /** Operations that the call writes to `unshipped_operations`, in hexadecimal. */
  readonly named: readonly string[];
  /** Whether there are more that the call doesn't name. */
  readonly isCut: boolean;
}

/** The statements that write D1's row of the ledger and name the operations that R2 doesn't have. */
export const writeD1Row = (
  storage: DurableObjectStorage,
  { integrationId, sentFlush, sentTag, eventsSeq, unpaidSales }: Meta,
  { entry, version, tag, now }: D1Call,
): D1Row => {
  const id = uuidToBytes(integrationId!);
  const { inRow, ...naming } = nameUnshipped(storage.sql, id, now);
  const { refused } = storage.sql
    .exec<{ refused: number }>("SELECT count(*) AS refused FROM outbox WHERE refusal IS NOT NULL AND id > 0")
    .one();
  const { pending, unknown, openSince } = storage.sql
    .exec<{ pending: number; unknown: number; openSince: number | null }>(
      `SELECT coalesce(sum(state = 'pending'), 0) AS pending, coalesce(sum(state = 'unknown'), 0) AS unknown,
         min(created_at) AS openSince FROM operations WHERE state IN ('pending', 'unknown')`,
    )
    .one();
  const row = {
    sql: `INSERT INTO ledgers (id, entry, version, events_seq, pending, unknown, open_since, unpaid_sales, updated_at,
        flush, flush_tag, unshipped, refused)
      SELECT ?, CASE WHEN ? = 0 OR EXISTS (SELECT 1 FROM ledgers WHERE id = ?) THEN ? END, ?, ?, ?, ?, ?, ?, ?, ?, ?,
        ?, ?
      WHERE true
      ON CONFLICT (id) DO UPDATE SET
        entry = CASE WHEN ledgers.flush = ? AND ledgers.flush_tag = ? THEN excluded.entry END,
        version = excluded.version, events_seq = excluded.events_seq, pending = excluded.pending,
        unknown = excluded.unknown, open_since = excluded.open_since, unpaid_sales = excluded.unpaid_sales,
        updated_at = excluded.updated_at, flush = excluded.flush, flush_tag = excluded.flush_tag,
        unshipped = iif(?, ledgers.unshipped, excluded.unshipped), refused = excluded.refused`,
    params: [
      ...[id, sentFlush, id, entry, version, eventsSeq],
      ...[pending, unknown, openSince, unpaidSales, now, sentFlush + 1, tag],
      ...[JSON.stringify(inRow), refused],
      ...[sentFlush, sentTag],
      // Until the last of several calls, the row keeps the operations that nothing else names.
      Number(naming.isCut),
    ],
  };
  return { ...naming, statements: [row, ...naming.statements] };
};

/** An operation that D1 names; `expiresAt` is set for lost ones. */
interface NamedOperation extends Record<string, SqlStorageValue> {
  readonly id: string;
  readonly key: string | null;
  readonly fingerprint: string | null;
  readonly expiresAt: number | null;
}

/** When the last of them expires, milliseconds since the Unix epoch; null: never. */
const latest = (row: readonly NamedOperation[]): number | null =>
  row[0]!.expiresAt === null ? null : Math.max(...row.map(({ expiresAt }) => expiresAt ?? 0));

const shown = ({ id, key, fingerprint }: NamedOperation): UnshippedOperation => [id, key, fingerprint];

/**
 * Lists the operations that R2 doesn't have: up to 1,000 in the ledger's row, which each call writes, and older and lost ones in
 * `unshipped_operations`, which are written once. These rows are deleted when R2 has their operations, or when lost ones have expired.
 */
const nameUnshipped = (
  sql: SqlStorage,
  ledgerId: Uint8Array,
  now: number,
): D1Row & { readonly inRow: readonly UnshippedOperation[] } => {
  const unshipped = sql
    .exec<NamedOperation>(
      `SELECT lower(hex(unshipped.operation_id)) AS id, unshipped.key,
         iif(fingerprint IS NULL, NULL, lower(hex(fingerprint))) AS fingerprint, NULL AS expiresAt
       FROM unshipped LEFT JOIN idempotency_keys AS used ON used.integration_id = ? AND used.key = unshipped.key
       WHERE unshipped.operation_id > x'' AND NOT is_named ORDER BY unshipped.operation_id LIMIT ?`,
      ledgerId,
      NAMED * (NAMING_ROWS + 1) + 1,
    )
    .toArray();
  const lost = sql
    .exec<NamedOperation>(
      `SELECT lower(hex(id)) AS id, key, iif(fingerprint IS NULL, NULL, lower(hex(fingerprint))) AS fingerprint,
         expires_at AS expiresAt
       FROM lost_operations WHERE id > x'' AND NOT is_named AND expires_at > ? ORDER BY lost_operations.id LIMIT ?`,
      now,
      NAMED + 1,
    )
    .toArray();
  const rows: NamedOperation[][] = lost.length === 0 ? [] : [lost.slice(0, NAMED)];
  let from = 0;
  while (unshipped.length - from > NAMED && rows.length < NAMING_ROWS) {
    rows.push(unshipped.slice(from, from + NAMED));
    from += NAMED;
  }
  const statements = rows.map((row) => ({
    sql: `INSERT INTO unshipped_operations (ledger_id, last_id, operations, expires_at) VALUES (?, unhex(?), ?, ?)
      ON CONFLICT (ledger_id, last_id) DO UPDATE SET operations = excluded.operations, expires_at = excluded.expires_at`,
    params: [ledgerId, row.at(-1)!.id, JSON.stringify(row.map(shown)), latest(row)],
  }));
  // After a restoration, earlier rows are deleted only when later ones name their lost operations.
  if (lost.length === 0) {
    const { oldest } = sql
      .exec<{ oldest: ArrayBuffer }>(
        "SELECT coalesce(min(operation_id), x'ff') AS oldest FROM unshipped WHERE operation_id > x''",
      )
      .one();
    statements.push({
      sql: `DELETE FROM unshipped_operations
        WHERE ledger_id = ? AND iif(expires_at IS NULL, last_id < ?, expires_at < ?)`,
      params: [ledgerId, new Uint8Array(oldest), now],
    });
  }
  return {
    inRow: unshipped.slice(from, from + NAMED).map(shown),
    statements,
    named: rows.flat().map(({ id }) => id),
    isCut: lost.length > NAMED || unshipped.length - from > NAMED,
  };
};

/** The operations that D1 names of a ledger, without lost ones that have expired. Reads one row of D1 at a time. */
export async function* namedByD1(db: Database, id: Uuid, now: Date): AsyncGenerator<UnshippedOperation> {
  const row = await db.select({ unshipped: ledgers.unshipped }).from(ledgers).where(eq(ledgers.id, id)).get();
  yield* row?.unshipped ?? [];
  const { ledgerId, lastId, operations, expiresAt } = unshippedOperations;
  const isNamed = or(isNull(expiresAt), gt(expiresAt, now));
  for (let after: Uuid | null = null; ; ) {
    const [next]: { lastId: Uuid; operations: readonly UnshippedOperation[] }[] = await db
      .select({ lastId, operations })
      .from(unshippedOperations)
      .where(and(eq(ledgerId, id), isNamed, after === null ? undefined : gt(lastId, after)))
      .orderBy(asc(lastId))
      .limit(1);
    if (next === undefined) return;
    yield* next.operations;
    after = next.lastId;
  }
}

/**
 * What D1 knows of a ledger.
 * @param isEmpty an empty ledger may be one of no integration at all
 * @throws Error if D1 doesn't have the integration: a database that was set back to before it was made gets nothing until the
 *   operator has inserted it again
 */
export const readD1Row = async (
  d1: D1Database,
  integrationId: Uuid,
  isEmpty: boolean,
): Promise<KnownToD1> => {
  const db = openDatabase(d1);
  const own = sql`id = ${uuidToBytes(integrationId)}`;
  const statements = [
    db
      .select({
        entry: ledgers.entry,
        version: ledgers.version,
        events_seq: ledgers.eventsSeq,
        flush: ledgers.flush,
        flush_tag: ledgers.flushTag,
      })
      .from(ledgers)
      .where(own),
    db.select({ id: integrations.id }).from(integrations).where(own),
  ];
  const [answer, owner] = await runSentBatch(d1, statements.map(sentOf));
  if (owner?.results.length === 0 && !isEmpty) throw new Error("D1 does not have the integration");
  const [row] = (answer?.results ?? []) as (Omit<KnownToD1, "eventsSeq" | "flushTag"> & {
    events_seq: number;
    flush_tag: string;
  })[];
  if (!row) return NOTHING;
  const { entry, version, events_seq: eventsSeq, flush, flush_tag: flushTag } = row;
  return { entry, version, eventsSeq, flush, flushTag };
};
