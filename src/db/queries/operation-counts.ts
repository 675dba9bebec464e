import { and, gt, lt, sql } from "drizzle-orm";
import { uuidToBytes } from "../../domain/ids.ts";
import { bucketOf, DAYS_KEPT, dayOf } from "../../domain/operation-counts.ts";
import type { Database } from "../client.ts";
import type { Ledger } from "../ledger.ts";
import { operationCounts } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { isOpen, type OperationRow } from "./operations.ts";

const added = {
  target: [
    operationCounts.integrationId,
    operationCounts.day,
    operationCounts.kind,
    operationCounts.state,
    operationCounts.bucket,
  ],
  set: { count: sql`operation_counts.count + excluded.count` },
};

/** Counts the end of an operation that is open: a statement of the batch that ends it, before the one that does. */
export const countEnd = (
  db: Ledger,
  { id, integrationId, kind, createdAt }: Pick<OperationRow, "id" | "integrationId" | "kind" | "createdAt">,
  state: "succeeded" | "failed",
  at: Date,
): Statement => {
  const bucket = bucketOf(at.getTime() - createdAt.getTime());
  return db
    .insert(operationCounts)
    .select(
      sql`SELECT ${uuidToBytes(integrationId)}, ${dayOf(at)}, ${kind}, ${state}, ${bucket}, 1, 0 WHERE ${isOpen(id)}`,
    )
    .onConflictDoUpdate(added);
};

/** Adds the counts of old days up, so that totals stay and the table doesn't grow: statements of one batch. */
export const addUpOldDays = (db: Database, now: Date): [Statement, Statement] => {
  const first = dayOf(now) - DAYS_KEPT + 1;
  return [
    db
      .insert(operationCounts)
      .select(
        sql`SELECT integration_id, 0, kind, state, bucket, sum(count), max(ledger_version) FROM operation_counts
          WHERE day > 0 AND day < ${first} GROUP BY integration_id, kind, state, bucket`,
      )
      .onConflictDoUpdate(added),
    db.delete(operationCounts).where(and(gt(operationCounts.day, 0), lt(operationCounts.day, first))),
  ];
};
