import { eq, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { operations, transactions } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import type { OperationRow } from "./operations.ts";

/** A transaction's final record. */
export interface NewTransaction {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  readonly step: string;
  readonly result: unknown;
}

/**
 * The key of a transaction's record. Several operations may share a transaction, and each has a record of it: the first
 * under its hash, each other under the hash and its own uuid.
 */
const transactionKey = (hash: Uint8Array, operationId: Uuid): SQL => {
  const operation = uuidToBytes(operationId);
  const own = Buffer.concat([hash, operation]);
  return sql`CASE WHEN EXISTS (SELECT 1 FROM transactions WHERE hash = ${hash} AND operation_id <> ${operation})
    THEN ${own} ELSE ${hash} END`;
};

/** Stores the transactions of an operation that is over. */
export const insertTransactions = (
  db: Database,
  operation: Pick<OperationRow, "id" | "integrationId">,
  records: readonly NewTransaction[],
  now: Date,
): Statement[] =>
  records.map(({ hash, step, result }) =>
    db
      .insert(transactions)
      .values({
        hash: transactionKey(hash, operation.id),
        operationId: operation.id,
        integrationId: operation.integrationId,
        step,
        result,
        createdAt: now,
      })
      .onConflictDoUpdate({ target: transactions.hash, set: { result } }),
  );

const transactionRows = (db: Database, operationId: Uuid) =>
  db
    .select({ step: transactions.step, result: transactions.result })
    .from(transactions)
    .where(eq(transactions.operationId, operationId))
    .orderBy(sql`rowid`);

/** A transaction of an operation that is over. */
export type TransactionResult = Awaited<ReturnType<typeof transactionRows>>[number];

/** An operation with the results of its transactions, in one trip; undefined if there is none. */
export const findOperationWhole = async (
  db: Database,
  id: Uuid,
): Promise<{ readonly operation: OperationRow; readonly results: TransactionResult[] } | undefined> => {
  const found = db.select().from(operations).where(eq(operations.id, id));
  const [[operation], results] = await db.batch([found, transactionRows(db, id)]);
  return operation && { operation, results };
};
