import { and, eq, gt, lt, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { bucketOf, DAYS_KEPT, dayOf } from "../../domain/operation-counts.ts";
import type { Database } from "../client.ts";
import { type Ledger, template } from "../ledger.ts";
import { postToD1 } from "../outbox.ts";
import { operationCounts } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { isOpen, type OperationRow } from "./operations.ts";

/** What a row counts: its key. */
export const COUNTED = [
  operationCounts.integrationId,
  operationCounts.day,
  operationCounts.kind,
  operationCounts.state,
  operationCounts.bucket,
];

const added = {
  target: COUNTED,
  set: { count: sql`operation_counts.count + excluded.count` },
};

const addToCount = template(
  ["id", "integrationId", "day", "kind", "state", "bucket"],
  (ledger, { id, integrationId, day, kind, state, bucket }) =>
    ledger
      .insert(operationCounts)
      .select(sql`SELECT ${integrationId}, ${day}, ${kind}, ${state}, ${bucket}, 1, 0 WHERE ${isOpen(id)}`)
      .onConflictDoUpdate(added),
);

/** Counts the end of an operation that is open: a statement of the batch that ends it, before the one that does. */
export const countEnd = (
  { id, integrationId, kind, createdAt }: Pick<OperationRow, "id" | "integrationId" | "kind" | "createdAt">,
  state: "succeeded" | "failed",
  at: Date,
): Statement =>
  addToCount({
    id: uuidToBytes(id),
    integrationId: uuidToBytes(integrationId),
    day: dayOf(at),
    kind,
    state,
    bucket: bucketOf(at.getTime() - createdAt.getTime()),
  });

/**
 * Adds the counts of a ledger's old days up, so that totals stay and the table doesn't grow: statements of one batch. D1, which has
 * copies, forgets these days.
 */
export const addUpOldDays = (db: Database, ledger: Ledger, integrationId: Uuid, now: Date): Statement[] => {
  const first = dayOf(now) - DAYS_KEPT + 1;
  const old = (counts: typeof operationCounts) => and(gt(counts.day, 0), lt(counts.day, first));
  const own = eq(operationCounts.integrationId, integrationId);
  const hasOld = sql`EXISTS (SELECT 1 FROM operation_counts WHERE day > 0 AND day < ${first})`;
  return [
    ...postToD1(ledger, [db.delete(operationCounts).where(and(own, old(operationCounts)))], hasOld, now),
    ledger
      .insert(operationCounts)
      .select(
        sql`SELECT integration_id, 0, kind, state, bucket, sum(count), 0 FROM operation_counts
          WHERE day > 0 AND day < ${first} GROUP BY integration_id, kind, state, bucket`,
      )
      .onConflictDoUpdate(added),
    ledger.delete(operationCounts).where(old(operationCounts)),
  ];
};
