import { parse } from "csv-parse/sync";
import { ACCOUNT_ID_RULE, isAccountId } from "./account-ids.ts";
import { counted } from "./table.ts";

/** A row of a CSV file, and where it begins. */
export interface CsvRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** What csv-parse gives of a row with its options `info` and `raw`. */
interface ParsedRow {
  readonly record: readonly string[];
  readonly raw: string;
  readonly info: { readonly lines: number };
}

/** What is wrong with a row, as a whole sentence. */
export interface RowProblem {
  /** Line of the file, from 1; 0: of the file as such. */
  readonly line: number;
  readonly text: string;
}

/** A problem of a cell. @param name of the file @param what to do about it */
export const cellProblem = (name: string, line: number, cell: string, what: string): RowProblem => ({
  line,
  text: `${name}:${line} "${cell}": ${what}.`,
});

/**
 * Reads separated values (RFC 4180): of `,`, `;` and the tab, the first that the text has outside quotes separates its
 * cells. Lines without any text are left out, cells are trimmed, and a byte order mark is not part of the first.
 * @param name of the file, as problems name it
 * @returns the rows that can be read, and what is wrong with the others
 */
export function readCsv(
  name: string,
  text: string,
): { readonly rows: readonly CsvRow[]; readonly problems: readonly RowProblem[] } {
  const source = text.replaceAll(/\r\n?/g, "\n");
  const [delimiter = ","] = /[,;\t]/.exec(source.replaceAll(/"[^"]*"/g, "")) ?? [];
  let isQuoteOpen = false;
  const parsed = parse(source, {
    bom: true,
    delimiter,
    record_delimiter: "\n",
    ltrim: true,
    relax_column_count: true,
    // Of a quote within a cell the row's own checks say what is wrong.
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    info: true,
    raw: true,
    skip_records_with_error: true,
    on_skip: () => {
      isQuoteOpen = true;
    },
  }) as unknown as readonly ParsedRow[];
  const rows = parsed.map(({ record, raw, info }) => ({
    line: info.lines - (raw.trim().split("\n").length - 1),
    cells: record.map((cell) => cell.trim()),
  }));
  const openAt = (parsed.at(-1)?.info.lines ?? 0) + 1;
  const open = { line: openAt, text: `${name}:${openAt} the row has a quote that is not closed.` };
  return { rows, problems: isQuoteOpen ? [open] : [] };
}

/** A row of a file of accounts. A missing column is an empty text. */
interface AccountRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly account: string;
  readonly quantity: string;
  readonly asset: string;
}

const ACCOUNT = /^(?:account|account_id|wallet|receiver)$/;
/** Those that `npm run airdrop` reads and `npm run snapshot` writes. */
const OTHER_COLUMNS = /^(?:quantity|asset|block_height|block_hash)$/;

/**
 * Reads a CSV of accounts, with a header or with its columns in the given order. An unknown column is a mistake: a misspelt
 * one would be ignored silently.
 * @param columns the columns that the command reads, the account first
 * @param check reads a row and returns its mistakes
 */
export function readAccounts(
  name: string,
  text: string,
  columns: readonly ("account" | "quantity" | "asset")[],
  check: (row: AccountRow) => readonly RowProblem[],
): readonly RowProblem[] {
  const { rows, problems: unread } = readCsv(name, text);
  const first = rows[0]?.cells.map((cell) => cell.toLowerCase()) ?? [];
  const hasHeader = first.some((cell) => ACCOUNT.test(cell) || cell === "quantity" || cell === "asset");
  const header: readonly string[] = hasHeader
    ? first.map((cell) => (ACCOUNT.test(cell) ? "account" : cell))
    : columns;
  const unknown = header.filter((cell) => cell !== "account" && !OTHER_COLUMNS.test(cell));
  const read = columns.length === 1 ? `column ${columns[0]} is` : `columns ${columns.join(", ")} are`;
  const problems: RowProblem[] = [];
  const add = (line: number, what: string) => problems.push({ line, text: `${name}:${line} ${what}` });
  for (const cell of unknown) add(1, `unknown column "${cell}": rename or remove it; the ${read} read.`);
  if (!header.includes("account")) add(1, "there is no column account.");
  const entries = hasHeader ? rows.slice(1) : rows;
  for (const { line, cells } of entries) {
    const cellOf = (column: string) => cells[header.indexOf(column)] ?? "";
    const account = cellOf("account");
    if (cells.slice(header.length).some((cell) => cell !== ""))
      add(line, `has more than ${counted(header.length, "column")}.`);
    if (header.includes("account") && !isAccountId(account))
      problems.push(cellProblem(name, line, account, ACCOUNT_ID_RULE));
    problems.push(...check({ line, account, quantity: cellOf("quantity"), asset: cellOf("asset") }));
  }
  problems.push(...unread);
  if (problems.length === 0 && entries.length === 0)
    problems.push({ line: 0, text: `${name} names no account.` });
  return problems;
}

/** The first problems of a file by their lines, and how many others there are. */
export const byLine = (name: string, problems: readonly RowProblem[]): readonly string[] =>
  firstProblems(
    name,
    problems.toSorted((one, other) => one.line - other.line).map(({ text }) => text),
    "mistake",
  );

/** Bad rows that are named one by one. */
const NAMED = 20;

/** The first problems of a file's rows, and how many others there are. @param what one of them is called */
export const firstProblems = (name: string, problems: readonly string[], what: string): readonly string[] =>
  problems.length > NAMED
    ? [...problems.slice(0, NAMED), `${name} has ${counted(problems.length - NAMED, `more such ${what}`)}.`]
    : problems;

/** Rows as comma-separated values (RFC 4180), the names of the columns first. */
export const csvText = (
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string => [columns, ...rows].map((cells) => `${cells.map(csvCell).join(",")}\n`).join("");

const csvCell = (value: string | number): string => {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
