import { Column, getTableColumns, is, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/durable-sqlite";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { TABLES } from "./tables.ts";

/** Creates the tables of a new object. Safe to run at every start of the object. */
export const createTables = (storage: DurableObjectStorage): void => {
  if (storage.sql.exec("PRAGMA table_info(wallet)").toArray().length > 0) return;
  storage.transactionSync(() => {
    for (const statement of TABLES) storage.sql.exec(statement);
  });
};

/** SQLite of the object whose statement is run. Statements are synchronous, so only one is run at a time. */
let current: SqlStorage;

/** Builds the statements of all objects, and runs each in `current`. */
const builder = drizzle({
  sql: { exec: (text: string, ...values: SqlStorageValue[]) => current.exec(text, ...values) },
} as DurableObjectStorage);

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

const same = (row: unknown) => row;

/** Statements of each class, in the order in which its fields make them. */
const built = new WeakMap<object, unknown[]>();

/**
 * A part of the journal. Its statements are fields. Each is built at its first use in the isolate and kept, because
 * building takes longer than SQLite. What builds it gets placeholders instead of values: it may put them into the query,
 * not compute with them. They are up to four values, or one row.
 */
export class JournalPart {
  protected readonly db = builder;
  readonly #sql: SqlStorage;
  readonly #built: unknown[];
  #made = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#built = built.get(this.constructor) ?? [];
    built.set(this.constructor, this.#built);
  }

  #prepared<Args extends unknown[], Query, Result>(
    build: Build<Args, Query>,
    execute: (query: Query, values: Values) => Result,
  ): (...values: Args) => Result {
    const place = this.#made++;
    const placeholders = () => Array.from({ length: build.length }, (_, at) => standIn(at)) as Args;
    return (...values) => {
      this.#built[place] ??= build(...placeholders()).prepare();
      current = this.#sql;
      return execute(this.#built[place] as Query, (isRow(values[0]) ? values[0] : values) as Values);
    };
  }

  /** A statement without results. */
  protected run<Args extends unknown[]>(build: Build<Args, { run(values: Values): unknown }>) {
    return this.#prepared(build, (query, values): void => void query.run(values));
  }

  /** A statement that returns all rows. */
  protected rows<Args extends unknown[], Row, Item = Row>(
    build: Build<Args, { all(values: Values): Row[] }>,
    map = same as (row: Row) => Item,
  ) {
    return this.#prepared(build, (query, values) => query.all(values).map((row) => map(row)));
  }

  /** A statement that returns the first row; null if there is none. */
  protected first<Args extends unknown[], Row, Item = Row>(
    build: Build<Args, { get(values: Values): Row | undefined }>,
    map = same as (row: Row) => Item,
  ) {
    return this.#prepared(build, (query, values) => {
      const row = query.get(values);
      return row === undefined ? null : map(row);
    });
  }

  /** A statement that returns one row. @throws Error if there is none */
  protected one<Args extends unknown[], Row, Item = Row>(
    build: Build<Args, { get(values: Values): Row | undefined }>,
    map = same as (row: Row) => Item,
  ) {
    return this.#prepared(build, (query, values) => {
      const row = query.get(values);
      if (row === undefined) throw new Error("the journal doesn't have the row");
      return map(row);
    });
  }

  /** Whether a statement returns a row. */
  protected exists<Args extends unknown[]>(build: Build<Args, { get(values: Values): unknown }>) {
    return this.#prepared(build, (query, values) => query.get(values) !== undefined);
  }
}

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
