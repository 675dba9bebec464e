import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { DeliveryJournal } from "../../src/events/webhooks/journal.ts";
import type * as database from "../../src/wallet/journal/database.ts";
import { Journal } from "../../src/wallet/journal/journal.ts";
import { ROOT } from "../support/imports.ts";
import { refused } from "../support/scans.ts";
import { statementsOfObjects } from "../support/statement-census.ts";

/**
 * Statements of the objects' SQLite, taken from the source, or as a wallet's journal builds them, each explained on the
 * tables that the objects make: none scans or sorts what grows.
 */

/** Runs each statement that a journal prepares, with null for all values of the call. */
const statements = vi.hoisted((): (() => unknown)[] => []);

vi.mock("../../src/wallet/journal/database.ts", async (importOriginal) => {
  const original = await importOriginal<typeof database>();
  const nulls = new Proxy({}, { has: () => true, get: () => null });
  type Make = (
    build: (...values: unknown[]) => unknown,
    ...rest: unknown[]
  ) => (...values: unknown[]) => unknown;
  const makers = original.JournalPart.prototype as unknown as Record<string, Make>;
  for (const name of ["run", "rows", "first", "one", "exists"]) {
    const make = makers[name]!;
    makers[name] = function (this: unknown, build, ...rest) {
      const statement = make.call(this, build, ...rest);
      statements.push(() => statement(...Array.from({ length: build.length }, () => nulls)));
      return statement;
    };
  }
  return original;
});

/** A database with the tables that an object makes in its storage, and the statements that were run since. */
const objectOf = <T>(make: (storage: DurableObjectStorage) => T) => {
  const database = new DatabaseSync(":memory:");
  const ran: string[] = [];
  const exec = (text: string, ...values: SQLInputValue[]) => {
    ran.push(text);
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    const rows = statement.all(...values);
    return { toArray: () => rows, raw: () => ({ toArray: () => rows }) };
  };
  const storage = { sql: { exec }, transactionSync: (work: () => void) => work() };
  const object = make(storage as unknown as DurableObjectStorage);
  ran.length = 0;
  return { database, ran, object };
};

const explained = (database: DatabaseSync, file: string, text: string): string[] => {
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
  return refused(
    file,
    text,
    plan.map(({ detail }) => String(detail)),
  );
};

const wallet = objectOf((storage) => new Journal(storage));

/** Has a wallet's journal run all its statements, and returns them. Without values most fail, once they are built. */
const statementsOfWallet = (): string[] => {
  const sealed = { bytes: new Uint8Array(1), version: 1 };
  const key = { accountId: "a.near", publicKey: new Uint8Array(32), sealed };
  const { object: journal, ran } = wallet;
  journal.enter({ ...key, state: "active", restoredAt: null });
  journal.wallet();
  journal.replaceKey(key);
  journal.discard();
  for (const statement of statements) {
    const before = ran.length;
    try {
      statement();
    } catch (error) {
      if (ran.length === before) throw error;
    }
  }
  return ran;
};

/** Places in the source of a wallet's journal that build a statement. */
const buildingPlaces = (): number =>
  readdirSync(join(ROOT, "src/wallet/journal"))
    .map((name) => readFileSync(join(ROOT, "src/wallet/journal", name), "utf8"))
    .flatMap((source) => source.match(/\bdb\s*\.(?:select|selectDistinct|insert|update|delete)\(/g) ?? [])
    .length;

test("no statement of an object scans or sorts what grows", () => {
  const ofWallet = statementsOfWallet();
  expect(ofWallet.length).toBe(buildingPlaces());
  expect(ofWallet.length).toBeGreaterThan(80);
  const endpoint = objectOf((storage) => new DeliveryJournal(storage)).database;
  const literals = statementsOfObjects();
  expect(literals.length).toBeGreaterThan(10);
  const faults = [
    ...ofWallet.flatMap((text) => explained(wallet.database, "src/wallet/journal", text)),
    // What stands for columns doesn't change how rows are found.
    ...literals.flatMap(({ file, literal }) =>
      explained(endpoint, file, literal.replaceAll(/\$\{[^}]*\}/g, "*")),
    ),
  ];
  expect(faults).toEqual([]);
});

test("the check finds a scan", () => {
  expect(explained(wallet.database, "here", "SELECT * FROM intents ORDER BY created_at")).toEqual([
    "here: SCAN intents: SELECT * FROM intents ORDER BY created_at",
    "here: USE TEMP B-TREE FOR ORDER BY: SELECT * FROM intents ORDER BY created_at",
  ]);
});
