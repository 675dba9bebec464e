import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { UsageError } from "../command.ts";

/**
 * Bytes of a statement that D1 takes (https://developers.cloudflare.com/d1/platform/limits/), less a reserve.
 */
const LONGEST = 90_000;
/** Bytes of a value that goes into a statement of its own. */
const PART = 50_000;
/** Values up to this many bytes tell a row from the others; its key is among them. */
const TELLING = 2_000;

/** What an import came to. */
export interface Import {
  readonly statements: number;
  /** Rows that were too long for one statement. */
  readonly split: number;
}

/**
 * Writes an export of D1 (`wrangler d1 export`) as D1 takes it: tables before rows, because a row may refer to a table
 * that the export makes later; and rows that are too long for one statement in several.
 */
export async function writeImport(source: string, target: string): Promise<Import> {
  let statements = 0;
  let split = 0;
  async function* lines(): AsyncGenerator<string> {
    yield "PRAGMA defer_foreign_keys=TRUE;\n";
    for await (const statement of statementsOf(source)) {
      if (!isTable(statement)) continue;
      statements += 1;
      yield `${statement}\n`;
    }
    for await (const statement of statementsOf(source)) {
      if (isTable(statement) || /^PRAGMA /i.test(statement)) continue;
      const parts = partsOf(statement);
      if (parts.length > 1) split += 1;
      statements += parts.length;
      for (const part of parts) yield `${part}\n`;
    }
  }
  await pipeline(lines, createWriteStream(target, { mode: 0o600 }));
  if (statements === 0) throw new UsageError(`${source} has no statements: it is no export of D1.`);
  return { statements, split };
}

const isTable = (statement: string): boolean => /^CREATE TABLE/i.test(statement);

/** The statements of a file of SQL, each with its semicolon. Quotes may have anything in them. */
async function* statementsOf(file: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(file, { encoding: "utf8", highWaterMark: 1 << 20 })) {
    rest += chunk;
    const cut = cutStatements(rest);
    yield* cut.statements;
    rest = cut.rest;
  }
  if (rest.trim() !== "") throw new UsageError(`${file} ends within a statement: the export isn't whole.`);
}

/** Cuts off the statements that a text has whole. */
export function cutStatements(text: string): { readonly statements: string[]; readonly rest: string } {
  const statements: string[] = [];
  let from = 0;
  // What is quoted, comments, or what ends a statement; between them nothing matters.
  const marks = /(?:'[^']*')+|(?:"[^"]*")+|`[^`]*`|--[^\n]*\n|(;)|['"`]|--/g;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    // A quote that doesn't end here, or ends with the text and may be doubled by what follows.
    if (mark[0].length === 1 && mark[0] !== ";") break;
    if (mark[0] === "--") break;
    if (marks.lastIndex === text.length && /['"]$/.test(mark[0])) break;
    if (mark[1] === undefined) continue;
    const statement = text.slice(from, marks.lastIndex).trim();
    if (statement !== ";") statements.push(statement);
    from = marks.lastIndex;
  }
  return { statements, rest: text.slice(from) };
}

const bytes = (text: string): number => Buffer.byteLength(text);

/** A statement as D1 takes it: itself, or an INSERT of the row with its long values empty, and what fills them. */
export function partsOf(statement: string): string[] {
  if (bytes(statement) <= LONGEST) return [statement];
  const insert = /^INSERT INTO ("(?:[^"]|"")+"|`[^`]+`) \(([^)]*)\) VALUES ?\(/i.exec(statement);
  if (insert === null) {
    throw new UsageError(`A statement is too long for D1, and no row: ${statement.slice(0, 80)} …`);
  }
  const [head, table = "", columnList = ""] = insert;
  const columns = valuesOf(columnList);
  const values = valuesOf(statement.slice(head.length, statement.lastIndexOf(")")));
  const kept = [...values];
  const long: number[] = [];
  for (const place of values.map((_, index) => index).sort((a, b) => bytes(values[b]!) - bytes(values[a]!))) {
    if (kept.reduce((sum, value) => sum + bytes(value), head.length) <= LONGEST - PART) break;
    kept[place] = /^X'/i.test(values[place]!) ? "X''" : "''";
    long.push(place);
  }
  const telling = columns
    .map((column, index) => ({ column, value: values[index]! }))
    .filter(({ value }, index) => !long.includes(index) && bytes(value) <= TELLING)
    .map(({ column, value }) => `${column} IS ${value}`)
    .join(" AND ");
  const fills = long.flatMap((place) =>
    chunksOf(values[place]!).map(({ sql, isBlob }) => {
      const column = columns[place]!;
      const whole = `${column} || ${sql}`;
      return `UPDATE ${table} SET ${column} = ${isBlob ? `CAST(${whole} AS BLOB)` : whole} WHERE ${telling};`;
    }),
  );
  return [`${head}${kept.join(",")});`, ...fills];
}

/** The parts of a list of values, cut at its commas; those in quotes and brackets don't count. */
function valuesOf(list: string): string[] {
  const values: string[] = [];
  let from = 0;
  let depth = 0;
  for (const { 0: mark, index } of list.matchAll(/(?:'[^']*')+|(?:"[^"]*")+|[(),]/g)) {
    if (mark === "(") depth += 1;
    else if (mark === ")") depth -= 1;
    else if (mark === "," && depth === 0) {
      values.push(list.slice(from, index).trim());
      from = index + 1;
    }
  }
  return [...values, list.slice(from).trim()];
}

/** What an export writes around a text with line breaks, for each kind of them. */
const WRAPPED = /^replace\((.*),'(\\[nr])',char\((10|13)\)\)$/s;

/** A long literal in parts, which put behind each other are the same value. */
function chunksOf(literal: string): { readonly sql: string; readonly isBlob: boolean }[] {
  const wrapped = WRAPPED.exec(literal);
  if (wrapped !== null) {
    const [, inner = "", mark, code] = wrapped;
    return chunksOf(inner).map(({ sql }) => ({
      sql: `replace(${sql},'${mark}',char(${code}))`,
      isBlob: false,
    }));
  }
  const isBlob = /^X'/i.test(literal);
  if (!isBlob && !literal.startsWith("'"))
    throw new UsageError(`A value is too long for D1: ${literal.slice(0, 80)} …`);
  const content = literal.slice(isBlob ? 2 : 1, -1);
  const chunks: string[] = [];
  let chunk = "";
  let length = 0;
  // Two quotes are one, a backslash belongs to what follows, and a byte has two digits: none of them is cut.
  for (const [piece] of content.matchAll(isBlob ? /[0-9a-f]{2}/gi : /''|\\[nr]|./gsu)) {
    const more = bytes(piece);
    if (length + more > PART) {
      chunks.push(chunk);
      chunk = "";
      length = 0;
    }
    chunk += piece;
    length += more;
  }
  chunks.push(chunk);
  return chunks.map((each) => ({ sql: `${isBlob ? "X" : ""}'${each}'`, isBlob }));
}
