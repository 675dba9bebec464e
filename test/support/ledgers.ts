import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { type LedgerObject, openLedger, type SentRows } from "../../src/db/ledger.ts";
import type { SentStatement } from "../../src/db/statements.ts";
import { type Uuid, uuidFromBytes } from "../../src/domain/ids.ts";
import { retry } from "../../src/waiting.ts";

// Inside: no request shows a ledger's rows, or changes them behind its back.

type Row = Readonly<Record<string, unknown>>;

const named = ({ columns, rows }: SentRows): Row[] =>
  rows.map((row) =>
    Object.fromEntries(
      columns.map((name, index) => {
        const value = row[index];
        // As D1 returns bytes.
        return [name, value instanceof ArrayBuffer ? Array.from(new Uint8Array(value)) : value];
      }),
    ),
  );

/** Each try of a call has a stub of its own: tests end objects. */
const TRIES = { tries: 5, firstPauseMs: 50 };

/** Runs statements on the ledger of an integration. */
export const runOn = (integration: string, statements: readonly SentStatement[]): Promise<SentRows[]> =>
  retry(TRIES, () =>
    (env.WALLET.getByName(integration) as unknown as LedgerObject).run(integration as Uuid, statements),
  );

/** Runs a statement on the ledger of an integration. */
export const inLedger = async <T = Row>(
  integration: string,
  sql: string,
  ...params: readonly unknown[]
): Promise<T[]> => {
  const [rows] = await runOn(integration, [{ sql, params }]);
  return named(rows!) as T[];
};

/** Runs a statement on the ledgers of all integrations, and returns the rows of all. */
export const inLedgers = async <T = Row>(sql: string, ...params: readonly unknown[]): Promise<T[]> => {
  const { results } = await env.DB.prepare("SELECT hex(id) AS id FROM integrations").all<{
    id: string;
  }>();
  const found: T[] = [];
  for (const { id } of results) {
    found.push(...(await inLedger<T>(uuidFromBytes(Buffer.from(id, "hex")), sql, ...params)));
  }
  return found;
};

/** The ledger of an integration. */
export const testLedger = (integration: string) => openLedger((statements) => runOn(integration, statements));

/** What happens at a call of an object: before it, or instead of it. */
type Happening = (
  method: string,
  call: () => Promise<unknown>,
  parameters: readonly unknown[],
) => Promise<unknown>;

/** The objects' namespace, whose calls a test takes part in. */
export const watchedLedgers = (happen: Happening): typeof env.WALLET =>
  new Proxy(env.WALLET, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name !== "getByName") return typeof value === "function" ? value.bind(target) : value;
      return (wallet: string) =>
        new Proxy(target.getByName(wallet), {
          get: (stub, method) => {
            const call: unknown = Reflect.get(stub, method);
            if (typeof call !== "function") return call;
            const methods = stub as unknown as Record<PropertyKey, (...all: unknown[]) => Promise<unknown>>;
            return (...parameters: unknown[]) =>
              happen(String(method), async () => methods[method]!(...parameters), parameters);
          },
        });
    },
  });

/** The same, where an integration's ledger fails at events that no operation has caused, or its answer to them is lost. */
export const failingAtEvents = (failure: "before" | "after"): typeof env.WALLET =>
  watchedLedgers(async (method, call, [, statements]) => {
    const isEvent =
      method === "run" && (statements as SentStatement[]).some(({ sql }) => sql.includes('into "events"'));
    if (!isEvent) return call();
    if (failure === "after") await call();
    throw new Error("its object was reset");
  });

/** The same, where something happens before a write reaches a ledger. */
export const beforeWrites = (first: () => Promise<void>): typeof env.WALLET =>
  watchedLedgers(async (method, call) => {
    if (method === "write") await first();
    return call();
  });

/** The same, where an operation is accepted before its first step is known, as that of a draft of several pages is. */
export const acceptingFirst = (): typeof env.WALLET =>
  watchedLedgers((method, call, [write]) => {
    if (method === "write") Object.assign(write as object, { acceptFirst: true });
    return call();
  });

/** Tables that archiving changes, those that refer to others behind them. */
const ARCHIVED = ["operations", "transactions", "archives"] as const;

type LedgerCopy = readonly {
  readonly name: string;
  readonly rows: readonly Record<string, SqlStorageValue>[];
}[];

/** Rows of tables of a ledger, by default of those that archiving changes. */
export const takeLedger = (
  integration: string,
  names: readonly string[] | "all" = ARCHIVED,
): Promise<LedgerCopy> =>
  runInDurableObject(env.WALLET.getByName(integration), (_, { storage: { sql } }) =>
    (names === "all" ? tablesOf(sql) : names).map((name) => ({
      name,
      rows: sql.exec(`SELECT ${hasRowid(sql, name) ? "rowid AS row_number, " : ""}* FROM ${name}`).toArray(),
    })),
  );

/** Whether a table numbers its rows, which its own columns don't show. */
const hasRowid = (sql: SqlStorage, name: string): boolean => {
  const [table] = sql.exec<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = ?", name).toArray();
  return table !== undefined && !/WITHOUT ROWID|id INTEGER PRIMARY KEY|sqlite_sequence/i.test(table.sql);
};

/** All tables; the last numbers of the others come behind them. */
const tablesOf = (sql: SqlStorage): string[] =>
  sql
    .exec<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 3) <> '_cf' ORDER BY name = 'sqlite_sequence'",
    )
    .toArray()
    .map(({ name }) => name);

/** Sets these tables back to a copy, which no trigger notices. */
export const putLedger = (integration: string, copy: LedgerCopy): Promise<void> =>
  runInDurableObject(env.WALLET.getByName(integration), (_, { storage }) =>
    storage.transactionSync(() => {
      const { sql } = storage;
      sql.exec("PRAGMA defer_foreign_keys = ON");
      const triggers = sql
        .exec<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        .toArray();
      for (const { name } of triggers) sql.exec(`DROP TRIGGER ${name}`);
      for (const { name } of copy.toReversed()) sql.exec(`DELETE FROM ${name}`);
      for (const { name, rows } of copy) {
        sql.exec(`DELETE FROM ${name}`);
        for (const { row_number: number, ...row } of rows) {
          const columns = [...(number === undefined ? [] : ["rowid"]), ...Object.keys(row)];
          const values = [...(number === undefined ? [] : [number]), ...Object.values(row)];
          const places = columns.map(() => "?").join(", ");
          sql.exec(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})`, ...values);
        }
      }
      for (const { sql: text } of triggers) sql.exec(text);
    }),
  );
