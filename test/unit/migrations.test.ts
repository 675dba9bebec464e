import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/imports.ts";

/**
 * Migrations that may drop a table, by file, each with its reason. Dropping a table also deletes rows that refer to
 * it if foreign keys cascade, and drizzle rebuilds a table by dropping it. A person has to check both.
 */
const MAY_DROP: Readonly<Record<string, string>> = {};

const folder = join(ROOT, "migrations");
const migrations = readdirSync(folder).filter((name) => name.endsWith(".sql"));

/** The tables that a migration drops, ignoring comments. */
const droppedTables = (sql: string): string[] =>
  Array.from(
    sql.replace(/--.*$/gm, "").matchAll(/\bDROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?[`"[]?([\w$]+)/gi),
    (match) => match[1] ?? "",
  );

describe("migrations", () => {
  test("that drop a table are found however the statement is written", () => {
    const sql =
      'DROP TABLE `a`;\ndrop table if exists "b";--> statement-breakpoint\nDROP\n TABLE c;\n-- DROP TABLE d';
    expect(droppedTables(sql)).toEqual(["a", "b", "c"]);
  });

  test("drop no table unless it is listed here", () => {
    expect(migrations.length).toBeGreaterThan(0);
    const dropping = migrations.filter(
      (name) =>
        MAY_DROP[name] === undefined && droppedTables(readFileSync(join(folder, name), "utf8")).length > 0,
    );
    expect(dropping).toEqual([]);
  });

  test("have no foreign key that cascades a deletion", () => {
    const cascading = migrations.filter((name) =>
      /ON DELETE CASCADE/i.test(readFileSync(join(folder, name), "utf8")),
    );
    expect(cascading).toEqual([]);
  });

  test("have numbers without gaps, in the order in which they are applied", () => {
    const numbers = migrations.map((name) => Number(name.slice(0, 4))).toSorted((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });
});
