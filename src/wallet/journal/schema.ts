import { is, SQL } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, SQLiteSyncDialect, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as ledger from "../../db/schema/ledger.ts";
import * as journal from "./tables.ts";

/** Tables whose rows are found by their whole key alone. Drizzle has no word for it. */
const WITHOUT_ROWID: readonly SQLiteTable[] = [
  journal.carried,
  journal.budgetIntents,
  journal.budgets,
  ledger.events,
  ledger.claims,
  ledger.unshipped,
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
    column.default !== undefined && `DEFAULT ${defaultOf(column.default)}`,
    column.isUnique && "UNIQUE",
  ]
    .filter(Boolean)
    .join(" ");

const defaultOf = (value: unknown): string => {
  if (is(value, SQL)) return textOf(value);
  return typeof value === "string" ? `'${value}'` : String(Number(value));
};

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
    ...indexes.map(({ config: { name: index, columns: on, where, unique } }) => {
      const condition = where === undefined ? "" : ` WHERE ${textOf(where)}`;
      const columns = on.map((each) => (is(each, SQL) ? textOf(each) : each.name)).join(", ");
      return `CREATE ${unique ? "UNIQUE " : ""}INDEX ${index} ON ${name} (${columns})${condition}`;
    }),
  ];
};

/**
 * The ledger's version rises with each change of what D1 has a copy of or counts, and the last event's number is kept when
 * events are deleted.
 */
const RAISE = "UPDATE meta SET version = version + 1;";
const copied = (table: string, key: string): string[] =>
  ["INSERT", "UPDATE"].map(
    (change) => `CREATE TRIGGER ${table}_${change.toLowerCase()}d AFTER ${change} ON ${table}
      ${change === "UPDATE" ? "WHEN NEW.ledger_version = OLD.ledger_version" : ""}
      BEGIN ${RAISE} UPDATE ${table} SET ledger_version = (SELECT version FROM meta) WHERE ${key}; END`,
  );
// Not OR IGNORE: in a trigger, the conflict clause of the statement that fires it applies instead.
const unshipped = (
  at: string,
): string => `INSERT INTO unshipped (operation_id, changed_at) SELECT NEW.id, NEW.${at}
    WHERE NOT EXISTS (SELECT 1 FROM unshipped WHERE operation_id = NEW.id);`;
const TRIGGERS = [
  ...copied("collections", "id = NEW.id"),
  ...copied(
    "operation_counts",
    "day = NEW.day AND kind = NEW.kind AND state = NEW.state AND bucket = NEW.bucket",
  ),
  `CREATE TRIGGER operations_accepted AFTER INSERT ON operations BEGIN ${RAISE}
    ${unshipped("created_at")} END`,
  // The end's events are the last row before it.
  `CREATE TRIGGER operations_ended AFTER UPDATE OF state ON operations WHEN NEW.state <> OLD.state BEGIN ${RAISE}
    ${unshipped("updated_at")}
    UPDATE unshipped SET event_seq = (SELECT seq FROM events, meta
        WHERE events.integration_id = NEW.integration_id AND seq = events_seq AND operation_id = NEW.id)
      WHERE operation_id = NEW.id; END`,
  ...["INSERT", "UPDATE"].map(
    (change) => `CREATE TRIGGER key_${change.toLowerCase()}d AFTER ${change} ON idempotency_keys
      WHEN NEW.operation_id IS NOT NULL
      BEGIN UPDATE unshipped SET key = coalesce(key, NEW.key), is_named = iif(key IS NULL, 0, is_named)
        WHERE operation_id = NEW.operation_id; END`,
  ),
  // Those of a ledger that was set back come back with the numbers that they had.
  `CREATE TRIGGER events_numbered AFTER INSERT ON events
    BEGIN UPDATE meta SET version = version + 1, events_seq = max(events_seq, NEW.seq); END`,
];

/** Creates the tables of a new object. Safe to run at every start of the object. */
export const createSchema = (storage: DurableObjectStorage): void => {
  const made = storage.sql.exec("PRAGMA table_info(wallet)").toArray();
  if (made.length > 0) return;
  const tables = [...Object.values(journal), ...Object.values(ledger)].filter((each) =>
    is(each, SQLiteTable),
  );
  storage.transactionSync(() => {
    for (const table of tables) for (const statement of statementsOf(table)) storage.sql.exec(statement);
    for (const statement of TRIGGERS) storage.sql.exec(statement);
    storage.sql.exec("INSERT INTO meta (id) VALUES (1)");
  });
};
