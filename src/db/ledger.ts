import { fillPlaceholders, type SQL, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Bindings } from "../env.ts";
import { retry } from "../waiting.ts";
import type { Results } from "./client.ts";
import { isOfSqlite, ledgerFailure, type SentStatement, type Statement } from "./statements.ts";

declare const OF_ONE_INTEGRATION: unique symbol;

/**
 * What one integration has of writes to the chain, in the SQLite of its object: operations with their transactions, keys and
 * events, and the live state of its collections. Its statements are made like those of D1; a batch is one transaction.
 */
export type Ledger = DrizzleD1Database & { readonly [OF_ONE_INTEGRATION]: true };

type Method = "run" | "all" | "values" | "get";

/** Rows of a statement in the order of their columns. */
export interface SentRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlStorageValue[])[];
}

/** Drizzle's own statements have lower-case keywords; it gives back rows of others as they are. */
const IS_BUILT = /^(?:select|insert|update|delete|with) /;

/** Rows as Drizzle expects them: in the order of the columns, and of a statement that is SQL text with names too. */
const shaped = (sql: string, method: Method, { columns, rows }: SentRows): { rows: never } => {
  const named = IS_BUILT.test(sql)
    ? rows
    : rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]])));
  return { rows: (method === "get" ? named[0] : named) as never };
};

/** Opens a ledger. @param run runs statements as one transaction */
export const openLedger = (run: (statements: readonly SentStatement[]) => Promise<SentRows[]>): Ledger =>
  drizzle(
    async (sql, params, method) => shaped(sql, method, (await run([{ sql, params }]))[0]!),
    async (queries) => {
      const answers = await run(queries.map(({ sql, params }) => ({ sql, params })));
      return answers.map((rows, index) => shaped(queries[index]!.sql, queries[index]!.method, rows));
    },
  ) as unknown as Ledger;

/** What Drizzle makes of a statement before it runs. */
interface Prepared {
  getQuery(): SentStatement & { readonly method: Method };
  mapResult(rows: unknown, isFromBatch: boolean): unknown;
}

const prepared = (statement: Statement): Prepared =>
  (statement as unknown as { _prepare(): Prepared })._prepare();

/** A statement as it is sent. */
export const sentOf = (statement: Statement): SentStatement => {
  const { sql, params } = prepared(statement).getQuery();
  return { sql, params };
};

/** Builds statements that run nowhere. */
const builder = openLedger(() => Promise.reject(new Error("a template's statement was run by itself")));

/**
 * A statement of batches that Drizzle builds once, because that takes longer than SQLite takes to run it.
 * @param names of its values, which are given as SQLite stores them
 * @param build makes it, with placeholders for the values
 */
export const template = <const Name extends string>(
  names: readonly Name[],
  build: (ledger: Ledger, value: Readonly<Record<Name, SQL>>) => Statement,
): ((values: Readonly<Record<Name, Uint8Array | string | number | null>>) => Statement) => {
  let made: Prepared | null = null;
  const make = () => {
    const placeholders = names.map((name) => [name, sql`${sql.placeholder(name)}`]);
    return prepared(build(builder, Object.fromEntries(placeholders) as Record<Name, SQL>));
  };
  return (values) => {
    made ??= make();
    const statement = made;
    const { params, ...query } = statement.getQuery();
    const getQuery = () => ({ ...query, params: fillPlaceholders([...params], values) });
    const mapResult = statement.mapResult.bind(statement);
    return { _prepare: (): Prepared => ({ getQuery, mapResult }) } as unknown as Statement;
  };
};

/** Maps rows that were sent back, of statements that return the same columns as this one. */
export const mapperOf = <One extends Statement>(statement: One): ((rows: SentRows) => Results<[One]>[0]) => {
  const made = prepared(statement);
  const { sql, method } = made.getQuery();
  return (rows) => made.mapResult(shaped(sql, method, rows), true) as Results<[One]>[0];
};

const toBinding = (value: unknown): SqlStorageValue => {
  if (typeof value === "boolean") return value ? 1 : 0;
  return (typeof value === "bigint" ? Number(value) : value) as SqlStorageValue;
};

/** Runs a statement on an object's SQLite. */
export const runSent = (sql: SqlStorage, { sql: text, params }: SentStatement): SentRows => {
  const cursor = sql.exec(text, ...params.map(toBinding));
  return { columns: cursor.columnNames, rows: Array.from(cursor.raw()) };
};

/** The part of a context by which a ledger is found. */
export interface LedgerContext {
  readonly env: Bindings;
  /** The ledger of the object that the work runs in; absent in the Worker. */
  readonly ledger?: { readonly integrationId: Uuid; readonly own: Ledger };
}

/** Message of a ledger that was emptied or set back: an error keeps only its message on the way to the Worker. */
export const FORGOTTEN = "the ledger has forgotten something, and is being restored";

const forgotten = (cause: Error): ServiceError =>
  new ServiceError(
    "wallet_inactive",
    "Try again later: the wallet is being restored, and the operator has to activate it first. Nothing was sent.",
    { outcome: "not_submitted", retryable: true, retryAfter: 60, cause },
  );

/** Whether a statement's ledger was emptied or set back, and isn't activated yet. */
export const isForgotten = (error: unknown): boolean =>
  error instanceof Error && (error.message.includes(FORGOTTEN) || isForgotten(error.cause));

const IS_READ = /^\s*select /i;

/** Whether a statement changes nothing. */
export const isRead = ({ sql }: SentStatement): boolean => IS_READ.test(sql);

/** Retry policy of reads, but where the object has an answer, or too much to do. */
const READS = {
  tries: 3,
  firstPauseMs: 50,
  isLasting: (error: unknown) =>
    (error as { readonly overloaded?: boolean }).overloaded === true ||
    (error instanceof Error && error.message.includes(FORGOTTEN)) ||
    isOfSqlite(error),
};

/** What a ledger's object does with statements. A call that is repeated runs them again, unlike those of the wallet. */
export interface LedgerObject {
  /** Runs statements as one transaction. */
  run(integrationId: Uuid, statements: readonly SentStatement[]): Promise<SentRows[]>;
}

/** The ledger of an integration. */
export const ledgerOf = ({ env, ledger }: LedgerContext, integrationId: Uuid): Ledger =>
  ledger?.integrationId === integrationId
    ? ledger.own
    : openLedger(async (statements) => {
        // An exception breaks a stub.
        const call = () =>
          (env.WALLET.getByName(integrationId) as unknown as LedgerObject).run(integrationId, statements);
        try {
          // Each deployment resets all objects: what only reads is asked again.
          return await (statements.every(isRead) ? retry(READS, call) : call());
        } catch (error) {
          if (error instanceof Error && error.message.includes(FORGOTTEN)) throw forgotten(error);
          throw ledgerFailure(error);
        }
      });
