/** A row of a CSV file, and where it begins. */
export interface CsvRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Reads comma-separated values (RFC 4180): quoted cells may hold commas, quotes and line breaks. Lines without any text
 * are left out, cells are trimmed, and a byte order mark is not part of the first.
 * @returns the rows, or the line of a quote that isn't closed
 */
export function readCsv(text: string): readonly CsvRow[] | { readonly openQuote: number } {
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let cell = "";
  let line = 1;
  let start = 1;
  let quotedAt: number | null = null;
  const endCell = () => {
    cells.push(cell.trim());
    cell = "";
  };
  const endRow = () => {
    endCell();
    if (cells.some((each) => each !== "")) rows.push({ line: start, cells });
    cells = [];
  };
  const source = text.replace(/^\ufeff/, "").replaceAll(/\r\n?/g, "\n");
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at];
    if (quotedAt !== null) {
      if (character === "\n") line += 1;
      if (character !== '"') cell += character;
      else if (source[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quotedAt = null;
    } else if (character === '"' && cell.trim() === "") {
      cell = "";
      quotedAt = line;
    } else if (character === ",") endCell();
    else if (character === "\n") {
      endRow();
      line += 1;
      start = line;
    } else cell += character;
  }
  if (quotedAt !== null) return { openQuote: quotedAt };
  endRow();
  return rows;
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
