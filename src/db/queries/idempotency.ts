import { and, eq, gte, notExists, type SQL, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import { keyInFlight, ServiceError } from "../../domain/errors.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Execution } from "../../domain/spending.ts";
import { type Database, runBatch } from "../client.ts";
import type { Ledger } from "../ledger.ts";
import { idempotencyKeys, operations, quotes } from "../schema/ledger.ts";
import { failedOn, type Statement } from "../statements.ts";
import { wasAccepted } from "./operations.ts";
import { hasRoom, keysWeight, weighed } from "./usage.ts";

export type KeyRow = typeof idempotencyKeys.$inferSelect;

/** A request's Idempotency-Key, which the batch of the request's effect inserts. */
export type NewKey = Pick<KeyRow, "integrationId" | "key" | "createdAt" | "expiresAt"> & {
  readonly fingerprint: Uint8Array;
};

export interface StoredResponse {
  readonly status: number;
  /** The body, or its location in R2 (`keepText`); null: none. */
  readonly body: string | null;
  /** Its bytes in R2; null: not in R2. */
  readonly bodyBytes: number | null;
}

/** A request's key with the response of its effect. */
export interface KeyWithResponse {
  readonly key: NewKey;
  readonly response: StoredResponse;
}

/**
 * Statuses of failed operations that free their key: the write had no effect and can succeed later, although a transaction that
 * failed on the chain may have burnt gas.
 */
const FREEING = [400, 401, 402, 403, 413, 415, 429, 503];

const isKey = (integrationId: Uuid, key: string): SQL =>
  and(eq(idempotencyKeys.integrationId, integrationId), eq(idempotencyKeys.key, key)) as SQL;

/** Condition: a stored key's operation, which has freed it. */
const IS_FREEING: SQL = sql`operations.id = idempotency_keys.operation_id AND state = 'failed'
    AND answer_status IN (SELECT value FROM json_each(${JSON.stringify(FREEING)}))`;

/** Condition: a stored key can be used again, because it has expired or its operation failed without an effect. */
const isFree = (now: Date): SQL => sql`((idempotency_keys.expires_at <= ${now.getTime()} AND NOT EXISTS (
    SELECT 1 FROM operations WHERE id = idempotency_keys.operation_id AND state IN ('pending', 'unknown')))
  OR EXISTS (SELECT 1 FROM operations WHERE ${IS_FREEING}))`;

/** Condition: a key in D1 can be used again. */
const hasExpired = (now: Date): SQL => sql`idempotency_keys.expires_at <= ${now.getTime()}`;

/** The operation of an execution that failed on the chain and so freed its key. */
const failedExecution = (ledger: Ledger, { integrationId, key, since }: Execution) =>
  ledger
    .select({ id: operations.id })
    .from(idempotencyKeys)
    .innerJoin(operations, IS_FREEING)
    .where(
      and(
        isKey(integrationId, key),
        gte(operations.createdAt, since),
        // That of a long success is in R2.
        sql`iif(json_valid(answer_body), json_extract(answer_body, '$.outcome'), NULL) = 'failed_on_chain'`,
      ),
    );

/** Condition, of a row of quotes: the write of its execution was refused before anything was sent, so it was none. */
export const WAS_REFUSED: SQL = sql`EXISTS (
  SELECT 1 FROM idempotency_keys JOIN operations ON ${IS_FREEING}
  WHERE idempotency_keys.integration_id = quotes.integration_id AND idempotency_keys.key = quotes.executed_by
  AND operations.created_at >= quotes.created_at
  AND iif(json_valid(answer_body), json_extract(answer_body, '$.outcome'), NULL) = 'not_submitted')`;

/** Condition: an execution's quote is still bound to its key. */
export const isBound = ({ quoteId, key }: Execution): SQL =>
  sql`EXISTS (SELECT 1 FROM quotes WHERE id = ${uuidToBytes(quoteId)} AND executed_by = ${key})`;

/** Frees the quote of an execution that was refused before it was accepted, for another key. One under way finds it unbound. */
export const unbind = (ledger: Ledger, { quoteId, key, integrationId }: Execution): Statement =>
  ledger
    .update(quotes)
    .set({ executedBy: null })
    .where(
      sql`${quotes.id} = ${uuidToBytes(quoteId)} AND ${quotes.executedBy} = ${key}
        AND NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE ${isKey(integrationId, key)})`,
    );

/** Condition: an execution hasn't failed on the chain. */
export const hasNotFailed = (ledger: Ledger, execution: Execution): SQL =>
  notExists(failedExecution(ledger, execution));

/**
 * Refuses the execution of a quote whose write failed on the chain, so that what it cost and what it may cost again isn't more
 * than one quote says. @throws ServiceError conflict
 */
export const refuseFailed = async (ledger: Ledger, execution: Execution): Promise<void> => {
  const failed = await failedExecution(ledger, execution).get();
  if (failed === undefined) return;
  const message = "This quote's write failed on the chain, which has cost gas. Request another quote.";
  throw new ServiceError("conflict", message, { outcome: "failed_on_chain", operationUuid: failed.id });
};

/** The row of a key of a write to the chain; undefined: unused or free. */
export const findKey = (
  ledger: Ledger,
  { integrationId, key, now }: { readonly integrationId: Uuid; readonly key: string; readonly now: Date },
): Promise<KeyRow | undefined> =>
  ledger
    .select()
    .from(idempotencyKeys)
    .where(and(isKey(integrationId, key), sql`NOT ${isFree(now)}`))
    .get();

/** Whether a row of the ledger says only that D1 has the key. */
export const isMark = ({ operationId, status }: KeyRow): boolean => operationId === null && status === null;

/** Notes that D1 has a key. */
export const markKey = async (ledger: Ledger, key: NewKey): Promise<void> => {
  const { integrationId, key: name, fingerprint, createdAt, expiresAt } = key;
  const row = { integrationId, key: name, fingerprint, createdAt, expiresAt };
  await ledger.insert(idempotencyKeys).values(row).onConflictDoNothing();
};

/** The row of a key of a write to D1 (undefined: unused or expired), and whether the integration has room in D1. */
export const findStoredKey = async (
  db: Database,
  { integrationId, key, now }: { readonly integrationId: Uuid; readonly key: string; readonly now: Date },
): Promise<{ readonly row: KeyRow | undefined; readonly hasRoom: boolean }> => {
  const [rows, [room]] = await db.batch([
    db
      .select()
      .from(idempotencyKeys)
      .where(and(isKey(integrationId, key), sql`NOT ${hasExpired(now)}`)),
    db.select({ has: sql<number>`${hasRoom(integrationId)}` }).from(sql`(SELECT 1)`),
  ]);
  return { row: rows[0], hasRoom: room?.has === 1 };
};

/**
 * Inserts a key in the batch of the request's effect. If another request has inserted it since, the row would get no
 * `created_at`, so the batch fails as `unlessTaken` recognizes. @param condition for the effect, at this point of the batch
 */
const insertKey = (
  db: DrizzleD1Database,
  { integrationId, key, fingerprint, createdAt, expiresAt }: NewKey,
  outcome: StoredResponse | { readonly operationId: Uuid },
  { condition, isUsable }: { readonly condition: SQL; readonly isUsable: SQL },
): Statement => {
  const { status, body, bodyBytes } =
    "status" in outcome ? outcome : { status: null, body: null, bodyBytes: null };
  const operationId = "operationId" in outcome ? outcome.operationId : null;
  return db
    .insert(idempotencyKeys)
    .select(sql`
      SELECT ${uuidToBytes(integrationId)}, ${key}, ${fingerprint}, ${operationId && uuidToBytes(operationId)},
        ${status}, ${body}, ${createdAt.getTime()}, ${expiresAt.getTime()}, ${bodyBytes}
      WHERE ${condition}`)
    .onConflictDoUpdate({
      target: [idempotencyKeys.integrationId, idempotencyKeys.key],
      set: {
        ...{ fingerprint, operationId, status, body, bodyBytes, expiresAt },
        createdAt: sql`CASE WHEN ${isUsable} THEN ${createdAt.getTime()} END`,
      },
    });
};

/** Inserts a key with its operation, which the same batch accepts or the request joins. */
export const insertOperationKey = (ledger: Ledger, key: NewKey, operationId: Uuid): Statement =>
  insertKey(
    ledger,
    key,
    { operationId },
    { condition: wasAccepted(operationId), isUsable: isFree(key.createdAt) },
  );

/** Inserts a key, if there is one, with its response in the ledger. @param condition for the effect, at this point of the batch */
export const keepInLedger = (
  ledger: Ledger,
  answered: KeyWithResponse | null,
  condition: SQL,
): readonly Statement[] =>
  answered === null
    ? []
    : [
        insertKey(ledger, answered.key, answered.response, {
          condition,
          isUsable: isFree(answered.key.createdAt),
        }),
      ];

/** The same in D1. */
export const keepWithEffect = (
  db: Database,
  answered: KeyWithResponse | null,
  condition: SQL,
): readonly Statement[] => {
  if (answered === null) return [];
  const { key, response } = answered;
  const insert = insertKey(db, key, response, { condition, isUsable: hasExpired(key.createdAt) });
  return weighed(db, key.integrationId, keysWeight(isKey(key.integrationId, key.key)), [insert]);
};

/** The error of a batch that inserts a key: keyInFlight if another request has inserted it first, else itself. */
export const unlessTaken = (error: unknown): unknown =>
  failedOn(error, "idempotency_keys.created_at") ? keyInFlight() : error;

/** Runs a batch that inserts a key. @throws ServiceError idempotency_key_in_flight */
export const runKeyedBatch = async <const Statements extends readonly Statement[]>(
  db: DrizzleD1Database,
  statements: Statements,
) => {
  try {
    return await runBatch(db, statements);
  } catch (error) {
    throw unlessTaken(error);
  }
};

/**
 * Runs an effect in one batch with its stored response, and returns the effect's result.
 * @param condition for the effect, before it @param before statements between the two
 * @throws ServiceError idempotency_key_in_flight
 */
export const runWithResponse = async <Effect extends Statement>(
  db: Database,
  { answered, condition }: { readonly answered: KeyWithResponse | null; readonly condition: SQL },
  effect: Effect,
  before: readonly Statement[] = [],
): Promise<Awaited<Effect>> => {
  const statements = [...keepWithEffect(db, answered, condition), ...before, effect];
  const results = await runKeyedBatch(db, statements);
  return results.at(-1) as Awaited<Effect>;
};
