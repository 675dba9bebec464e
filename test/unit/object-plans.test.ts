import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { expect, test } from "vitest";
import { DeliveryJournal } from "../../src/events/webhooks/journal.ts";
import { createSchema } from "../../src/wallet/journal/schema.ts";
import { refused } from "../support/scans.ts";
import { statementsOfObjects } from "../support/statement-census.ts";

/**
 * Statements of the objects' SQLite, taken from the source, each explained on the tables that the objects make: none scans
 * or sorts what grows.
 */

/** A database with an object's tables. */
const tablesOf = (make: (storage: DurableObjectStorage) => void): DatabaseSync => {
  const database = new DatabaseSync(":memory:");
  const exec = (text: string, ...values: SQLInputValue[]) => {
    const rows = database.prepare(text).all(...values);
    return { toArray: () => rows };
  };
  const storage = { sql: { exec }, transactionSync: (work: () => void) => work() };
  make(storage as unknown as DurableObjectStorage);
  return database;
};

const wallet = tablesOf(createSchema);
const endpoint = tablesOf((storage) => new DeliveryJournal(storage));

test("no statement of an object scans or sorts a growing table", () => {
  const statements = statementsOfObjects();
  expect(statements.length).toBeGreaterThan(100);
  const faults = statements.flatMap(({ file, literal }) => {
    const database = file.startsWith("src/events/webhooks/") ? endpoint : wallet;
    // What stands for columns doesn't change how rows are found.
    const text = literal.replaceAll(/\$\{[^}]*\}/g, "*");
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    return refused(
      file,
      text,
      plan.map(({ detail }) => String(detail)),
    );
  });
  expect(faults).toEqual([]);
});

test("the check finds a scan and a sort", () => {
  const plan = wallet.prepare("EXPLAIN QUERY PLAN SELECT * FROM intents ORDER BY created_at").all();
  const details = plan.map(({ detail }) => String(detail));
  expect(refused("here", "SELECT * FROM intents ORDER BY created_at", details)).toEqual([
    "here: SCAN intents: SELECT * FROM intents ORDER BY created_at",
    "here: USE TEMP B-TREE FOR ORDER BY: SELECT * FROM intents ORDER BY created_at",
  ]);
});
