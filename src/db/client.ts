import { type SQL, sql } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { within } from "../waiting.ts";
import type { SentStatement } from "./statements.ts";
import { failure, type Statement, unanswered } from "./statements.ts";

declare const IS_D1: unique symbol;

/** D1, which all integrations share. */
export type Database = DrizzleD1Database & { readonly [IS_D1]: true };

/**
 * Timeout of a D1 call, milliseconds. Outages of 60 to 80 s were observed. Of `SYNC_WAIT_MS`, 25 s, two timeouts leave five:
 * the write, and the read whether it was committed. D1 itself ends a query after 30 s.
 */
const DEADLINE_MS = 10_000;

/** The statements that were wrapped, which a batch takes as they were. */
const originals = new WeakMap<object, D1PreparedStatement>();

/**
 * D1 with a timeout for each call. A call may be committed after it, so every write must depend on conditions of the database.
 * @throws Error as of `unanswered` and `failure`
 */
const withDeadline = (d1: Pick<D1Database, "prepare" | "batch">): D1Database => {
  const bounded = (statement: D1PreparedStatement): D1PreparedStatement => {
    // The methods that Drizzle calls.
    const calls = {
      bind: (...values: unknown[]) => bounded(statement.bind(...values)),
      all: () => answered(statement.all()),
      run: () => answered(statement.run()),
      raw: () => answered(statement.raw()),
    };
    originals.set(calls, statement);
    return calls as unknown as D1PreparedStatement;
  };
  const database = {
    prepare: (query: string) => bounded(d1.prepare(query)),
    batch: (statements: D1PreparedStatement[]) =>
      answered(d1.batch(statements.map((statement) => originals.get(statement) ?? statement))),
  };
  return database as unknown as D1Database;
};

const answered = async <T>(call: Promise<T>): Promise<T> => {
  const answer = await within(
    DEADLINE_MS,
    call.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
  );
  if (answer === null) throw unanswered(DEADLINE_MS);
  if ("error" in answer) throw failure(answer.error);
  return answer.value;
};

const opened = new WeakMap<D1Database, Database>();

/** Opens the database for calls to its primary, once for each binding: it has no state of a request. */
export const openDatabase = (d1: D1Database): Database => {
  const known = opened.get(d1);
  if (known) return known;
  const database = drizzle(withDeadline(d1)) as unknown as Database;
  opened.set(d1, database);
  return database;
};

export type Results<Statements extends readonly Statement[]> = {
  [Index in keyof Statements]: Statements[Index]["_"]["result"];
};

/** Runs statements that were made for D1 elsewhere as one transaction, with the same timeout. */
export const runSentBatch = (d1: D1Database, statements: readonly SentStatement[]): Promise<D1Result[]> =>
  answered(d1.batch(statements.map(({ sql: text, params }) => d1.prepare(text).bind(...params))));

/** Runs statements as one transaction, in one trip. Without statements there is no trip. */
export const runBatch = async <const Statements extends readonly Statement[]>(
  db: DrizzleD1Database,
  statements: Statements,
): Promise<Results<Statements>> => {
  const [first, ...others] = statements;
  return (first === undefined ? [] : await db.batch([first, ...others])) as Results<Statements>;
};

export const holds = async (db: DrizzleD1Database, condition: SQL): Promise<boolean> =>
  (await db.get<{ holds: number }>(sql`SELECT ${condition} AS holds`)).holds === 1;

/** Opens the database for reads from the nearest replica, which may be seconds behind. */
export const openReplicas = (d1: D1Database): Database =>
  drizzle(withDeadline(d1.withSession("first-unconstrained"))) as unknown as Database;
