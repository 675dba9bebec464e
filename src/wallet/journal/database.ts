import { Column, getTableColumns, is, type SQL, sql } from "drizzle-orm";
import { type DrizzleSqliteDODatabase, drizzle } from "drizzle-orm/durable-sqlite";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { TABLES } from "./tables.ts";

export type JournalDatabase = DrizzleSqliteDODatabase;

/** Opens a wallet object's database. Creates the tables of a new object. */
export const openDatabase = (storage: DurableObjectStorage): JournalDatabase => {
  if (storage.sql.exec("PRAGMA table_info(wallet)").toArray().length === 0) {
    storage.transactionSync(() => {
      for (const statement of TABLES) storage.sql.exec(statement);
    });
  }
  return drizzle(storage);
};

/** A part of the journal. */
export class JournalPart {
  protected readonly db: JournalDatabase;

  constructor(db: JournalDatabase) {
    this.db = db;
  }
}

/** The values of a call, by the names of their placeholders. */
type Values = Record<string, unknown>;

/** Returns a query of drizzle's builder. */
type Build<Args extends unknown[], Query> = (...values: Args) => { prepare(): Query };

/** Stands for a value of each call; if that is a row, its fields stand for the row's. */
const standIn = (position: number): unknown =>
  new Proxy(sql.placeholder(String(position)), {
    get: (placeholder, key) => {
      if (key === Symbol.toPrimitive)
        throw new Error("a statement can't compute with the values of its calls");
      const isOwn = typeof key === "symbol" || key in placeholder;
      return isOwn ? Reflect.get(placeholder, key) : sql.placeholder(key);
    },
  });

const isRow = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

/**
 * Builds a statement at its first use and keeps it, because building takes longer than SQLite. `build` gets placeholders
 * instead of values: it may put them into the query, not compute with them. They are up to four values, or one row.
 */
const prepared = <Args extends unknown[], Query, Result>(
  build: Build<Args, Query>,
  execute: (query: Query, values: Values) => Result,
): ((...values: Args) => Result) => {
  let query: Query | undefined;
  return (...values) => {
    query ??= build(...(Array.from({ length: build.length }, (_, at) => standIn(at)) as Args)).prepare();
    return execute(query, (isRow(values[0]) ? values[0] : values) as Values);
  };
};

const same = (row: unknown) => row;

/** A statement without results. */
export const run = <Args extends unknown[]>(build: Build<Args, { run(values: Values): unknown }>) =>
  prepared(build, (query, values): void => void query.run(values));

/** A statement that returns all rows. */
export const all = <Args extends unknown[], Row, Item = Row>(
  build: Build<Args, { all(values: Values): Row[] }>,
  map = same as (row: Row) => Item,
) => prepared(build, (query, values) => query.all(values).map(map));

/** A statement that returns the first row; null if there is none. */
export const first = <Args extends unknown[], Row, Item = Row>(
  build: Build<Args, { get(values: Values): Row | undefined }>,
  map = same as (row: Row) => Item,
) =>
  prepared(build, (query, values) => {
    const row = query.get(values);
    return row === undefined ? null : map(row);
  });

/** A statement that returns one row. @throws Error if there is none */
export const one = <Args extends unknown[], Row, Item = Row>(
  build: Build<Args, { get(values: Values): Row | undefined }>,
  map = same as (row: Row) => Item,
) =>
  prepared(build, (query, values) => {
    const row = query.get(values);
    if (row === undefined) throw new Error("the journal doesn't have the row");
    return map(row);
  });

/** Whether a statement returns a row. */
export const exists = <Args extends unknown[]>(build: Build<Args, { get(values: Values): unknown }>) =>
  prepared(build, (query, values) => query.get(values) !== undefined);

/** What `exists` selects. */
export const ANY = { any: sql`1` };

/** Whether a column has one of the values of a list, which is a value of the call. */
export const among = (column: Column, list: readonly unknown[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${sql.param(list, { mapToDriverValue: JSON.stringify })}))`;

/** Fields of a table that is named with an index to use: behind that, Drizzle doesn't see whose columns they are. */
export const hinted = <Fields extends Record<string, Column | SQL>>(fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      is(field, Column) ? sql`${field}`.mapWith(field) : field,
    ]),
  ) as Fields;

/** A row's values of the columns that a new row must have. */
export const required = <Row extends object>(table: SQLiteTable, row: Row): Row =>
  Object.fromEntries(
    Object.entries(getTableColumns(table))
      .filter(([, { notNull, hasDefault }]) => notNull && !hasDefault)
      .map(([name]) => [name, row[name as keyof Row]]),
  ) as Row;
