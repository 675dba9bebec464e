import { env } from "cloudflare:workers";
import { type Breaks, failingDatabase } from "./failing-database.ts";
import { inLedger } from "./ledgers.ts";

/** The Worker's database with calls that break, for `apiWith`: no request can make D1 fail. */
export const failingD1 = (breaks: Breaks): D1Database => failingDatabase(env.DB, breaks);

/** Forgets a contract, as a lost database does: the chain has it. */
export const forgetContract = async (accountId: string): Promise<void> => {
  await env.DB.prepare("DELETE FROM contracts WHERE account_id = ?").bind(accountId).run();
};

/** Notes a lock of a collection that nobody has made. */
export const noteLock = async (integration: string, collectionUuid: string, lock: string): Promise<void> => {
  const note = "UPDATE collections SET locks = json_set(locks, ?, json('true')) WHERE id = unhex(?)";
  await inLedger(integration, note, `$.${lock}`, collectionUuid.replaceAll("-", ""));
};

/** Has the database know a contract's account without a full-access key, as before other code has added one. */
export const noteKeyless = async (accountId: string): Promise<void> => {
  await env.DB.prepare(
    "UPDATE contracts SET code_state = json_set(code_state, '$.has_full_access_key', json('false')) WHERE account_id = ?",
  )
    .bind(accountId)
    .run();
};

/** Has the database know a contract by other code. Returns a function that restores it. */
export const noteCode = async (accountId: string, hash: Uint8Array): Promise<() => Promise<void>> => {
  const of = env.DB.prepare("SELECT code_hash FROM contracts WHERE account_id = ?").bind(accountId);
  const before = (await of.first<{ code_hash: number[] }>())!.code_hash;
  const set = async (to: Uint8Array) =>
    void (await env.DB.prepare("UPDATE contracts SET code_hash = ? WHERE account_id = ?")
      .bind(to, accountId)
      .run());
  await set(hash);
  return () => set(new Uint8Array(before));
};

/** All rows of a database at one moment, with their numbers, to roll it back to. */
export type Snapshot = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

/** A table; some don't number their rows. */
interface Table {
  readonly name: string;
  readonly numbered: boolean;
}

/** Tables of the service, without those of SQLite, D1 and the migrations. */
const tablesOf = async (database: D1Database): Promise<Table[]> => {
  const { results } = await database
    .prepare(
      `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'd1\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all<{ name: string; sql: string }>();
  return results.map(({ name, sql }) => ({ name, numbered: !/\bWITHOUT ROWID\s*$/i.test(sql) }));
};

/** Copies the database as it is now. */
export const takeSnapshot = async (database: D1Database = env.DB): Promise<Snapshot> => {
  const rows = new Map<string, Record<string, unknown>[]>();
  for (const { name, numbered } of await tablesOf(database)) {
    const columns = numbered ? 'rowid AS "rowid", *' : "*";
    const { results } = await database.prepare(`SELECT ${columns} FROM "${name}"`).all();
    rows.set(name, results);
  }
  return rows;
};

/**
 * Rolls the database back to a copy, as D1 Time Travel does: later rows are gone and their numbers are used again.
 */
export const goBack = async (snapshot: Snapshot, database: D1Database = env.DB): Promise<void> => {
  const statements = [database.prepare("PRAGMA defer_foreign_keys = on")];
  for (const { name: table } of await tablesOf(database)) {
    statements.push(database.prepare(`DELETE FROM "${table}"`));
    for (const row of snapshot.get(table) ?? []) {
      const columns = Object.keys(row);
      statements.push(
        database
          .prepare(
            `INSERT INTO "${table}" (${columns.map((column) => `"${column}"`).join(", ")})
             VALUES (${columns.map(() => "?").join(", ")})`,
          )
          .bind(...columns.map((column) => bound(row[column]))),
      );
    }
  }
  await database.batch(statements);
};

/** D1 returns BLOBs as arrays of numbers and takes them as bytes. */
const bound = (value: unknown): unknown => (Array.isArray(value) ? new Uint8Array(value) : value);
