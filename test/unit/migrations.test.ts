import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
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
  test("a dropped table is found however it is written", () => {
    const sql =
      'DROP TABLE `a`;\ndrop table if exists "b";--> statement-breakpoint\nDROP\n TABLE c;\n-- DROP TABLE d';
    expect(droppedTables(sql)).toEqual(["a", "b", "c"]);
  });

  test("none drops a table unless it is named here", () => {
    expect(migrations.length).toBeGreaterThan(0);
    const dropping = migrations.filter(
      (name) =>
        MAY_DROP[name] === undefined && droppedTables(readFileSync(join(folder, name), "utf8")).length > 0,
    );
    expect(dropping).toEqual([]);
  });

  test("none cascades a deletion", () => {
    const cascading = migrations.filter((name) =>
      /ON DELETE CASCADE/i.test(readFileSync(join(folder, name), "utf8")),
    );
    expect(cascading).toEqual([]);
  });

  test("are numbered without gaps, as they are applied", () => {
    const numbers = migrations.map((name) => Number(name.slice(0, 4))).toSorted((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  test("files that operations brought before are known to the table of brought files", () => {
    const database = new DatabaseSync(":memory:");
    database.exec("PRAGMA foreign_keys = off");
    const apply = (name: string) => database.exec(readFileSync(join(folder, name), "utf8"));
    const at = migrations.toSorted().findIndex((name) => name.startsWith("0008"));
    for (const name of migrations.toSorted().slice(0, at)) apply(name);
    const insert = database.prepare(
      `INSERT INTO operations (id, integration_id, kind, state, subject_id, request, created_at, updated_at)
       VALUES (?, x'01', ?, 'succeeded', x'07', ?, 0, 0)`,
    );
    const file = (bytes: Buffer) => ({ sha256: bytes.toString("base64"), root: null });
    const [media, reference, changed] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
    const minted = { metadata: { media: file(media), reference: file(reference) } };
    insert.run(Buffer.from([1]), "mint", JSON.stringify(minted));
    insert.run(Buffer.from([2]), "mint", JSON.stringify({ metadata: null }));
    insert.run(Buffer.from([3]), "nft_update", JSON.stringify({ changes: { media: file(changed) } }));
    insert.run(Buffer.from([4]), "allowlist_add", JSON.stringify({ accounts: [] }));
    apply(migrations.toSorted()[at]!);
    const rows = database.prepare("SELECT * FROM brought_files ORDER BY operation_id, sha256").all();
    const row = (operation: number, sha256: Buffer) => ({
      collection_id: new Uint8Array([7]),
      sha256: new Uint8Array(sha256),
      operation_id: new Uint8Array([operation]),
    });
    const first = [media, reference].toSorted(Buffer.compare);
    expect(rows.map((found) => ({ ...found }))).toEqual([
      ...first.map((bytes) => row(1, bytes)),
      row(3, changed),
    ]);
  });
});
