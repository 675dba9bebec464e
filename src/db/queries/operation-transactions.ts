import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { type Ledger, template } from "../ledger.ts";
import { collections, operations, transactions } from "../schema/ledger.ts";
import type { Statement } from "../statements.ts";
import { isOpen, type OperationRow } from "./operations.ts";

/** Bytes of a transaction's hash. A longer key is a further operation's record of the same transaction. */
export const HASH_BYTES = 32;
const UUID_BYTES = 16;

export interface NewTransaction {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  readonly step: string;
  readonly result: unknown;
}

/** A further record of a transaction that says the same as the first: JSON, which no result is. */
const SAME = "null";

/**
 * The key of a transaction's record, and its result. Operations that share a transaction have a record each: the first under
 * its hash, with the result; others under the hash and their own uuid, with a result only if it differs. A record that is
 * written again stays where it is, though the first may be archived by then.
 */
const recordOf = ({
  hash,
  own,
  result,
  operation,
}: Readonly<Record<"hash" | "own" | "result" | "operation", SQL>>) => {
  const first = sql`FROM transactions WHERE hash = ${hash} AND operation_id <> ${operation}`;
  const isFurther = sql`EXISTS (SELECT 1 ${first}) OR EXISTS (SELECT 1 FROM transactions WHERE hash = ${own})`;
  return {
    hash: sql`CASE WHEN ${isFurther} THEN ${own} ELSE ${hash} END`,
    result: sql`coalesce(nullif(${result}, (SELECT result ${first})), ${SAME})`,
  };
};

/** The result of a row of `transactions`, JSON: its own, or that of the first record of its transaction. */
export const RESULT = sql<string>`CASE transactions.result WHEN ${sql.raw(`'${SAME}'`)}
  THEN (SELECT first.result FROM transactions AS first WHERE first.hash = substr(transactions.hash, 1, ${sql.raw(`${HASH_BYTES}`)}))
  ELSE transactions.result END`;

/** Condition: a record of a transaction, of another operation. */
const ofOthers = (hash: Uint8Array, operationId: Uuid): SQL => sql`transactions.hash BETWEEN ${hash}
  AND ${Buffer.concat([hash, Buffer.alloc(UUID_BYTES, 0xff)])} AND transactions.operation_id <> ${uuidToBytes(operationId)}`;

/** What other operations than one that isn't over have of a transaction. */
export interface TakenElsewhere {
  readonly operations: readonly Uuid[];
  /** Tokens that their answers name. */
  readonly tokens: ReadonlySet<string>;
}

/** An answer in the row. One in R2 is of a mint that shares no transaction. */
const NAMED = sql<string | null>`iif(json_valid(operations.answer_body), operations.answer_body, NULL)`;

export const takenElsewhere = async (
  ledger: Ledger,
  operationId: Uuid,
  hash: Uint8Array,
): Promise<TakenElsewhere> => {
  const rows = await ledger
    .select({ id: operations.id, answerBody: NAMED })
    .from(transactions)
    .innerJoin(operations, eq(operations.id, transactions.operationId))
    .where(ofOthers(hash, operationId));
  const tokens = rows.flatMap(({ answerBody }) => {
    const { tokens: named = [] } = JSON.parse(answerBody ?? "{}") as { tokens?: { token_id: string }[] };
    return named.map(({ token_id: token }) => token);
  });
  return { operations: rows.map(({ id }) => id), tokens: new Set(tokens) };
};

/** Makes the batch fail (`isNotAsRead`) if other operations on the collection have got something of a transaction since. */
export const requireTaken = (
  ledger: Ledger,
  { id, subjectId }: Pick<OperationRow, "id" | "subjectId">,
  hash: Uint8Array,
  { operations: known }: TakenElsewhere,
): Statement =>
  ledger
    .update(collections)
    .set({ total: sql`NULL` })
    .where(
      and(
        eq(collections.id, subjectId),
        sql`(SELECT count(*) FROM transactions WHERE ${ofOthers(hash, id)}) <> ${known.length}`,
        isOpen(id),
      ),
    );

const insertTransaction = template(
  ["hash", "own", "result", "operation", "integrationId", "step", "createdAt"],
  (ledger, { operation, integrationId, step, createdAt, ...record }) =>
    ledger
      .insert(transactions)
      .values({
        ...recordOf({ ...record, operation }),
        operationId: operation,
        integrationId,
        step,
        createdAt,
      })
      .onConflictDoUpdate({
        target: transactions.hash,
        set: { result: sql`excluded.result` },
        setWhere: isOpen(operation),
      }),
);

/** Stores the transactions of an operation that is over, if its end isn't stored yet. */
export const insertTransactions = (
  { id, integrationId }: Pick<OperationRow, "id" | "integrationId">,
  records: readonly NewTransaction[],
  now: Date,
): Statement[] => {
  const operation = uuidToBytes(id);
  return records.map(({ hash, step, result }) =>
    insertTransaction({
      hash,
      own: Buffer.concat([hash, operation]),
      result: JSON.stringify(result),
      operation,
      integrationId: uuidToBytes(integrationId),
      step,
      createdAt: now.getTime(),
    }),
  );
};

/** Behind a hash and a uuid, and before any other hash. */
const AFTER_KEYS = sql.raw(`x'${"ff".repeat(17)}'`);

/** Copies the result of records that are deleted (`gone`) to further records of their transactions (`others`). */
export const copySharedResult = (ledger: Ledger, others: SQL, gone: SQL): Statement =>
  ledger
    .update(transactions)
    .set({ result: sql`kept.result` })
    .from(sql`(SELECT hash, result FROM transactions WHERE ${gone} AND length(hash) = ${HASH_BYTES}) AS kept`)
    .where(sql`transactions.hash > kept.hash AND transactions.hash < CAST(kept.hash || ${AFTER_KEYS} AS BLOB)
      AND transactions.result = ${SAME} AND ${others}`);

const transactionRows = (ledger: Ledger, operationId: Uuid) =>
  ledger
    .select({ step: transactions.step, result: RESULT.mapWith(transactions.result) })
    .from(transactions)
    .where(eq(transactions.operationId, operationId))
    .orderBy(sql`rowid`);

export type TransactionResult = Awaited<ReturnType<typeof transactionRows>>[number];

/** The results of an operation's transactions, in the order of its steps. */
export const resultsOfOperation = (ledger: Ledger, operationId: Uuid): Promise<TransactionResult[]> =>
  transactionRows(ledger, operationId).all();

/** An operation with the results of its transactions. */
export type WholeOperation = OperationRow & { readonly results: readonly TransactionResult[] };

/** An operation with the results of its transactions, in one trip; undefined if there is none. */
export const findOperationWhole = async (ledger: Ledger, id: Uuid): Promise<WholeOperation | undefined> => {
  const found = ledger.select().from(operations).where(eq(operations.id, id));
  const [[operation], results] = await ledger.batch([found, transactionRows(ledger, id)]);
  return operation && { ...operation, results };
};
