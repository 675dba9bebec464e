import { and, asc, desc, eq, gt, gte, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { type Uuid, uuidAt } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { collections, integrations, operations } from "../schema/index.ts";
import { OPEN } from "./operations.ts";

/** Operations by kind and state. */
export interface OperationCount {
  readonly kind: string;
  readonly state: string;
  readonly count: number;
}

const counted = { kind: operations.kind, state: operations.state, count: sql<number>`count(*)` };

/** Operations that are not over. The index of open ones has no others. */
export const countOpen = (db: Database): Promise<OperationCount[]> =>
  db.select(counted).from(operations).where(OPEN).groupBy(operations.kind, operations.state).all();

/** Operations that were accepted since a moment; ids sort by when they were made. */
export const countSince = (db: Database, since: Date): Promise<OperationCount[]> =>
  db
    .select(counted)
    .from(operations)
    .where(gte(operations.id, uuidAt(since)))
    .groupBy(operations.kind, operations.state)
    .all();

/** How long some operations took. */
export interface Durations {
  readonly kind: string;
  /** How many took at most each of the bounds that were asked for, in their order. */
  readonly atMost: readonly number[];
  readonly count: number;
  /** Sum, milliseconds. */
  readonly sum: number;
}

/**
 * How long operations took that were accepted since a moment and are over.
 * @param bounds milliseconds, rising
 */
export const durationsSince = async (
  db: Database,
  since: Date,
  bounds: readonly number[],
): Promise<Durations[]> => {
  const took = sql`(${operations.finishedAt} - ${operations.createdAt})`;
  const counts = Object.fromEntries(
    bounds.map((bound, index) => [`b${index}`, sql<number>`sum(${took} <= ${sql.raw(String(bound))})`]),
  );
  const rows = await db
    .select({
      kind: operations.kind,
      count: sql<number>`count(*)`,
      sum: sql<number>`sum(${took})`,
      ...counts,
    })
    .from(operations)
    .where(and(gte(operations.id, uuidAt(since)), isNotNull(operations.finishedAt)))
    .groupBy(operations.kind)
    .all();
  return rows.map((row) => ({
    kind: row.kind,
    count: row.count,
    sum: row.sum,
    atMost: bounds.map((_, index) => (row as unknown as Record<string, number>)[`b${index}`] ?? 0),
  }));
};

/**
 * How long operations have been going on that were accepted before a moment and are not over. Unknown ones are left out:
 * they wait for the operator.
 */
export const pendingBefore = (
  db: Database,
  before: Date,
  now: Date,
): Promise<{ readonly kind: string; readonly count: number; readonly sum: number }[]> =>
  db
    .select({
      kind: operations.kind,
      count: sql<number>`count(*)`,
      sum: sql<number>`sum(${now.getTime()} - ${operations.createdAt})`,
    })
    .from(operations)
    .where(and(OPEN, eq(operations.state, "pending"), lt(operations.createdAt, before)))
    .groupBy(operations.kind)
    .all();

/**
 * Tokens of some collections, as last read from the chain, in the order of their ids behind one.
 * @returns `last`: the last of them; null: there are no more
 */
export const countMinted = async (
  db: Database,
  after: Uuid | null,
  limit: number,
): Promise<{ readonly minted: number; readonly last: Uuid | null }> => {
  const rows = await db
    .select({ id: collections.id, minted: collections.minted })
    .from(collections)
    .where(after === null ? undefined : gt(collections.id, after))
    .orderBy(asc(collections.id))
    .limit(limit)
    .all();
  const minted = rows.reduce((sum, row) => sum + row.minted, 0);
  return { minted, last: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
};

/** Wallets as the scheduled job last saw them, the oldest integrations first. */
export const seenWallets = (db: Database, limit: number) =>
  db
    .select({ id: integrations.id, accountId: integrations.walletAccountId, seen: integrations.walletSeen })
    .from(integrations)
    .where(
      and(
        isNotNull(integrations.walletSeen),
        isNotNull(integrations.walletAccountId),
        isNull(integrations.deletedAt),
      ),
    )
    .orderBy(asc(integrations.id))
    .limit(limit)
    .all();

/** Integrations with most open operations. */
export const busiestIntegrations = (db: Database, limit: number) => {
  const open = sql<number>`count(*)`;
  return db
    .select({ id: operations.integrationId, open })
    .from(operations)
    .where(OPEN)
    .groupBy(operations.integrationId)
    .orderBy(desc(open))
    .limit(limit)
    .all();
};
