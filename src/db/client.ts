import { type SQL, sql } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { within } from "../waiting.ts";
import { failure, type Statement, unanswered } from "./statements.ts";

/** D1 through Drizzle. */
export type Database = DrizzleD1Database;

/**
 * How long a call of D1 is waited for. D1 has stopped answering for 60 to 80 s at a time, and then failed all calls. Of the 25 s
 * that a request waits (`SYNC_WAIT_MS`), two such calls leave five: a write, and the read that looks whether it was
 * committed. D1 itself ends a query after 30 s; those of the service take milliseconds. Milliseconds.
 */
export const DEADLINE_MS = 10_000;

/** Statements that are wrapped below, whichever session has made them: one may run a batch of another's. */
const originals = new WeakMap<object, D1PreparedStatement>();

/**
 * D1, with a deadline on each call. A call that was given up on may still be committed, even after its request was
 * answered: what it writes has to hold only under conditions of the database.
 * @throws Error as `unanswered` and `failure` make it
 */
const withDeadline = (d1: Pick<D1Database, "prepare" | "batch">): D1Database => {
  const bounded = (statement: D1PreparedStatement): D1PreparedStatement => {
    // What Drizzle calls of a statement.
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

/** Opens the database for calls that all go to its primary, once for each binding: it holds nothing of a request. */
export const openDatabase = (d1: D1Database): Database => {
  const known = opened.get(d1);
  if (known) return known;
  const database = drizzle(withDeadline(d1));
  opened.set(d1, database);
  return database;
};

/** The results of statements, in order. */
type Results<Statements extends readonly Statement[]> = {
  [Index in keyof Statements]: Statements[Index]["_"]["result"];
};

/** Runs statements as one transaction, in one trip. Without statements there is no trip. */
export const runBatch = async <const Statements extends readonly Statement[]>(
  db: Database,
  statements: Statements,
): Promise<Results<Statements>> => {
  const [first, ...others] = statements;
  return (first === undefined ? [] : await db.batch([first, ...others])) as Results<Statements>;
};

/** Whether a condition holds now. */
export const holds = async (db: Database, condition: SQL): Promise<boolean> =>
  (await db.get<{ holds: number }>(sql`SELECT ${condition} AS holds`)).holds === 1;

/** The database as one request sees it. */
export interface DatabaseSession {
  readonly db: Database;
  /** A state of the database that has all that the request has written and read; null: it has done neither. */
  readonly bookmark: () => string | null;
}

/** A bookmark by which D1 goes on: `D1DatabaseSession.getBookmark` of an earlier request. */
export type Bookmark = string;

/**
 * Opens the database for reads: the nearest replica that has come as far as the bookmark answers them. Without one any
 * replica does, which may be seconds behind.
 */
export const openReplicas = (d1: D1Database, bookmark: Bookmark | null): DatabaseSession => {
  const session = d1.withSession(bookmark ?? "first-unconstrained");
  return { db: drizzle(withDeadline(session)), bookmark: () => session.getBookmark() };
};

/**
 * Opens the database for calls that all go to its primary, as `openDatabase` does, and notes the state in which they
 * leave it. A session asks the primary first and may ask replicas then, so that each call has a session of its own.
 */
export const openPrimary = (d1: D1Database): DatabaseSession => {
  const sessions: D1DatabaseSession[] = [];
  const begin = (): D1DatabaseSession => {
    const session = d1.withSession("first-primary");
    sessions.push(session);
    return session;
  };
  const client = {
    prepare: (query: string) => begin().prepare(query),
    batch: (statements: D1PreparedStatement[]) => begin().batch(statements),
  };
  // Bookmarks sort by their age (https://developers.cloudflare.com/d1/reference/glossary/).
  const bookmark = () =>
    sessions
      .map((session) => session.getBookmark())
      .filter((each) => each !== null)
      .sort()
      .at(-1) ?? null;
  return { db: drizzle(withDeadline(client as unknown as D1Database)), bookmark };
};
