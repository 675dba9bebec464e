import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutStatements, partsOf, writeImport } from "../backup/d1-import.ts";

/** Bytes of a statement that D1 takes. */
const D1_LONGEST = 100_000;

/** A text as wrangler's export writes it. */
function textLiteral(text: string): string {
  let literal = `'${text.replaceAll("'", "''").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}'`;
  if (text.includes("\r")) literal = `replace(${literal},'\\r',char(13))`;
  return text.includes("\n") ? `replace(${literal},'\\n',char(10))` : literal;
}

const insert = (id: string, small: number | null, text: string, blob: string) =>
  `INSERT INTO "a" ("id","small","text","blob") VALUES(${textLiteral(id)},${small ?? "NULL"},${textLiteral(text)},X'${blob}');`;

/** What a database has after statements. */
function rowsOf(statements: readonly string[]): unknown[] {
  const database = new DatabaseSync(":memory:");
  database.exec(
    "CREATE TABLE a (id text PRIMARY KEY, small integer, text text NOT NULL, blob blob) WITHOUT ROWID",
  );
  for (const statement of statements) database.exec(statement);
  const rows = database.prepare("SELECT *, typeof(text) AS t, typeof(blob) AS b FROM a ORDER BY id").all();
  database.close();
  return rows;
}

/** Texts that are long, with what a cut could fall into. */
const piece = fc.constantFrom(
  "'",
  "''",
  "\n",
  "\r\n",
  "\\n",
  "\\",
  "ü",
  "🦩",
  ";",
  '"',
  "x".repeat(997),
  ")",
  ",",
);
const longText = fc
  .array(piece, { minLength: 1, maxLength: 40 })
  .chain((pieces) => fc.integer({ min: 1, max: 60 }).map((times) => pieces.join("").repeat(times)));
const blob = fc
  .uint8Array({ minLength: 0, maxLength: 300 })
  .chain((bytes) =>
    fc.integer({ min: 0, max: 400 }).map((times) => Buffer.from(bytes).toString("hex").repeat(times)),
  );

/** Rows whose values would be cut after 50,000 bytes, within two characters that stand for one. */
const AT_THE_CUT = ["'", "\n", "\r"].map((mark): [string, null, string, string] => [
  "cut",
  null,
  `${"x".repeat(49_999)}${mark}${"y".repeat(60_000)}`,
  "00",
]);

describe("an import of a D1 export", () => {
  test("turns long rows into statements that D1 accepts, with the same content", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 300 }),
        fc.option(fc.integer()),
        longText,
        blob,
        (...row) => {
          const whole = insert(...row);
          const other = insert(`${row[0]} 2`, row[1], "short", "00");
          const parts = [other, whole].flatMap(partsOf);
          for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(D1_LONGEST);
          expect(rowsOf(parts)).toEqual(rowsOf([other, whole]));
        },
      ),
      { numRuns: 60, examples: AT_THE_CUT },
    );
  });

  test("finds the end of each statement wherever the chunks of the file end", () => {
    const texts = [
      "PRAGMA x;",
      "CREATE TABLE `t;` (a text);",
      ...["a;'b", "';", "\n'", "--"].map((text) => insert(text, 1, text, "")),
    ];
    const text = texts.join("\n");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: text.length }), (at) => {
        const first = cutStatements(text.slice(0, at));
        const second = cutStatements(first.rest + text.slice(at));
        // The last statement's end is a bracket and a semicolon, so that nothing is left.
        expect([...first.statements, ...second.statements]).toEqual(texts);
        expect(second.rest).toBe("");
      }),
    );
  });

  test("creates tables before rows, and refuses an incomplete export", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mintage-import-"));
    const [source, target] = [join(folder, "export.sql"), join(folder, "export.import.sql")];
    const rows = ["INSERT INTO `child` (`p`) VALUES(1);", "INSERT INTO `drafts` (`id`) VALUES(1);"];
    const tables = [
      "CREATE TABLE child (p REFERENCES drafts(id));",
      "CREATE TABLE `drafts` (`id` int PRIMARY KEY);",
    ];
    const index = "CREATE INDEX i ON child(p);";
    writeFileSync(
      source,
      ["PRAGMA defer_foreign_keys=TRUE;", tables[0], rows[0], tables[1], rows[1], index].join("\n"),
    );
    expect(await writeImport(source, target)).toEqual({ statements: 5, split: 0 });
    const lines = readFileSync(target, "utf8").trim().split("\n");
    expect(lines).toEqual(["PRAGMA defer_foreign_keys=TRUE;", ...tables, ...rows, index]);
    const database = new DatabaseSync(":memory:");
    database.exec(`BEGIN; ${lines.join("\n")} COMMIT;`);
    expect(database.prepare("SELECT p FROM child").all()).toEqual([{ p: 1 }]);
    writeFileSync(source, "INSERT INTO t (a) VALUES('x");
    await expect(writeImport(source, target)).rejects.toThrow("isn't whole");
    rmSync(folder, { recursive: true });
  });
});
