import { parse } from "csv-parse/sync";

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

/**
 * Reads separated values (RFC 4180): of `,`, `;` and the tab, the first that the text has outside quotes separates its
 * cells. Lines without any text are left out, cells are trimmed, and a byte order mark is not part of the first.
 * @param name of the file, as problems name it
 * @returns the rows that can be read, and what is wrong with the others
 */
export function readCsv(
  name: string,
  text: string,
): { readonly rows: readonly CsvRow[]; readonly problems: readonly string[] } {
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
  return { rows, problems: isQuoteOpen ? [`${name}:${openAt} the row has a quote that is not closed.`] : [] };
}

/** Bad rows that are named one by one. */
const NAMED = 20;

/** The first problems of a file's rows, and how many others there are. @param what the rows are called */
export const firstProblems = (name: string, problems: readonly string[], what: string): readonly string[] =>
  problems.length > NAMED
    ? [...problems.slice(0, NAMED), `${name} has ${problems.length - NAMED} more such ${what}.`]
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
