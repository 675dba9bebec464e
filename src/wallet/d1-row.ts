import { sql } from "drizzle-orm";
import { openDatabase, runSentBatch } from "../db/client.ts";
import { sentOf } from "../db/ledger.ts";
import { integrations, ledgers } from "../db/schema/index.ts";
import type { meta } from "../db/schema/ledger.ts";
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

/** Operations that R2 doesn't have yet, of which D1 names so many at most: the latest. */
const MOST_UNSHIPPED = 250;

/** A call of D1. */
interface D1Call {
  /** The last entry of the outbox and the version that D1 has after it. */
  readonly entry: number;
  readonly version: number;
  readonly tag: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** The first statement of a call, which fails on `ledgers.entry` unless D1's last call is the one that was answered last. */
export const writeD1Row = (
  storage: DurableObjectStorage,
  { integrationId, sentFlush, sentTag, eventsSeq, unpaidSales }: Meta,
  { entry, version, tag, now }: D1Call,
): SentStatement => {
  const { refused } = storage.sql
    .exec<{ refused: number }>("SELECT count(*) AS refused FROM outbox WHERE refusal IS NOT NULL AND id > 0")
    .one();
  const unshipped = storage.sql
    .exec<{ id: string; key: string | null; fingerprint: string | null }>(
      `SELECT lower(hex(unshipped.operation_id)) AS id, unshipped.key, iif(fingerprint IS NULL, NULL, lower(hex(fingerprint))) AS fingerprint
       FROM unshipped LEFT JOIN idempotency_keys AS used ON used.integration_id = ? AND used.key = unshipped.key
       WHERE unshipped.operation_id > x'' ORDER BY unshipped.operation_id DESC LIMIT ?`,
      uuidToBytes(integrationId!),
      MOST_UNSHIPPED,
    )
    .toArray();
  const lost = storage.sql
    .exec<{ id: string; key: string | null; fingerprint: string | null }>(
      `SELECT lower(hex(id)) AS id, key, iif(fingerprint IS NULL, NULL, lower(hex(fingerprint))) AS fingerprint
       FROM lost_operations WHERE id > x'' AND expires_at > ? ORDER BY lost_operations.id DESC LIMIT ?`,
      now,
      MOST_UNSHIPPED,
    )
    .toArray();
  const notInR2 = [...unshipped, ...lost].map(({ id, key, fingerprint }) => [id, key, fingerprint]);
  const { pending, unknown, openSince } = storage.sql
    .exec<{ pending: number; unknown: number; openSince: number | null }>(
      `SELECT coalesce(sum(state = 'pending'), 0) AS pending, coalesce(sum(state = 'unknown'), 0) AS unknown,
         min(created_at) AS openSince FROM operations WHERE state IN ('pending', 'unknown')`,
    )
    .one();
  const id = uuidToBytes(integrationId!);
  return {
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
        unshipped = excluded.unshipped, refused = excluded.refused`,
    params: [
      ...[id, sentFlush, id, entry, version, eventsSeq],
      ...[pending, unknown, openSince, unpaidSales, now, sentFlush + 1, tag],
      ...[JSON.stringify(notInR2), refused],
      ...[sentFlush, sentTag],
    ],
  };
};

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
