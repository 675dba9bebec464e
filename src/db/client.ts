// db/: D1, and the texts of its rows that are so large that they lie in R2.

import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

/** D1 through Drizzle. */
export type Database = DrizzleD1Database;

const opened = new WeakMap<D1Database, Database>();

/** Opens the database for calls that all go to its primary, once for each binding: it holds nothing of a request. */
export const openDatabase = (d1: D1Database): Database => {
  const known = opened.get(d1);
  if (known) return known;
  const database = drizzle(d1);
  opened.set(d1, database);
  return database;
};

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
  // D1DatabaseSession has of D1Database all that Drizzle calls.
  return { db: drizzle(session as unknown as D1Database), bookmark: () => session.getBookmark() };
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
  return { db: drizzle(client as unknown as D1Database), bookmark };
};
