import { is, type SQL } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, SQLiteSyncDialect, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as tables from "./tables.ts";

/** Tables whose rows are found by their whole key alone. Drizzle has no word for it. */
const WITHOUT_ROWID: readonly SQLiteTable[] = [
  tables.forgotten,
  tables.carried,
  tables.budgetIntents,
  tables.budgets,
];

const dialect = new SQLiteSyncDialect();

const textOf = (expression: SQL): string => dialect.sqlToQuery(expression).sql;

const listOf = (columns: readonly { readonly name: string }[]): string =>
  columns.map(({ name }) => name).join(", ");

const columnText = (column: SQLiteColumn): string =>
  [
    column.name,
    column.getSQLType(),
    column.primary && "PRIMARY KEY",
    "autoIncrement" in column && column.autoIncrement === true && "AUTOINCREMENT",
    column.notNull && "NOT NULL",
    column.default !== undefined &&
      `DEFAULT ${typeof column.default === "string" ? `'${column.default}'` : column.default}`,
    column.isUnique && "UNIQUE",
  ]
    .filter(Boolean)
    .join(" ");

/** The statements that make a table and its indexes. */
const statementsOf = (table: SQLiteTable): string[] => {
  const { name, columns, primaryKeys, uniqueConstraints, foreignKeys, checks, indexes } =
    getTableConfig(table);
  const parts = [
    ...columns.map(columnText),
    ...primaryKeys.map((key) => `PRIMARY KEY (${listOf(key.columns)})`),
    ...uniqueConstraints.map((key) => `UNIQUE (${listOf(key.columns)})`),
    ...foreignKeys.map((key) => {
      const { columns: own, foreignTable, foreignColumns } = key.reference();
      const other = getTableConfig(foreignTable as SQLiteTable).name;
      return `FOREIGN KEY (${listOf(own)}) REFERENCES ${other} (${listOf(foreignColumns)})`;
    }),
    ...checks.map(({ value }) => `CHECK (${textOf(value)})`),
  ];
  const end = WITHOUT_ROWID.includes(table) ? " WITHOUT ROWID" : "";
  return [
    `CREATE TABLE ${name} (${parts.join(", ")})${end}`,
    ...indexes.map(({ config: { name: index, columns: on, where } }) => {
      const condition = where === undefined ? "" : ` WHERE ${textOf(where)}`;
      return `CREATE INDEX ${index} ON ${name} (${listOf(on as SQLiteColumn[])})${condition}`;
    }),
  ];
};

/** Creates the tables of a new object. Safe to run at every start of the object. */
export const createSchema = (storage: DurableObjectStorage): void => {
  const made = storage.sql.exec("PRAGMA table_info(wallet)").toArray();
  if (made.length > 0) return;
  storage.transactionSync(() => {
    for (const table of Object.values(tables).filter((each) => is(each, SQLiteTable)))
      for (const statement of statementsOf(table)) storage.sql.exec(statement);
    storage.sql.exec("INSERT INTO database (id) VALUES (1)");
  });
};
