import { cellProblem, type RowProblem, readCsv } from "../csv.ts";
import { wholeNumber } from "../launch/settings-reader.ts";
import { counted } from "../table.ts";

/** A row of a file of updates: what one NFT is to show. */
export interface UpdateRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly tokenId: string;
  /** The file name or uuid of the asset that it is to show; absent: its own. */
  readonly asset?: string;
  /** Fields of the API; null takes one away. */
  readonly metadata: Readonly<Record<string, string | number | null>>;
}

const TOKEN = /^(?:token_id|token)$/;
const METADATA = ["title", "subtitle", "description", "extra", "copies"] as const;
const URLS = ["asset_file_url", "reference_file_url"] as const;
const COLUMNS: readonly string[] = ["token_id", ...METADATA, "asset", ...URLS];
/** A cell that takes away what the NFT has of its own. */
const NOTHING = "null";

/** NFTs of one request, the files by URL that it may name, and the bytes of its body (the service's limits). */
const MOST_UPDATES = 1_000;
const MOST_URLS = 25;
const MOST_BYTES = 1_000_000;

/**
 * Reads a CSV of updates, whose header has `token_id` and at least one column of what NFTs are to show. An empty cell leaves
 * a field as it is.
 * @param name of the file, as problems name it
 * @param collectionId the collection's number, which ids of its tokens begin with
 * @returns all rows, those with problems too
 */
export function readUpdates(
  name: string,
  text: string,
  collectionId: number,
): { readonly rows: readonly UpdateRow[]; readonly problems: readonly RowProblem[] } {
  const { rows: read, problems: unread } = readCsv(name, text);
  const [first, ...entries] = read;
  const header = (first?.cells ?? []).map((cell) => cell.toLowerCase().replace(TOKEN, "token_id"));
  const problems: RowProblem[] = [...unread, ...headerProblems(name, header)];
  if (problems.length === 0 && entries.length === 0)
    problems.push({ line: 0, text: `${name} names no token.` });
  const seen = new Map<string, number>();
  const rows = entries.map(({ line, cells }): UpdateRow => {
    const cellOf = (column: string) => cells[header.indexOf(column)] ?? "";
    const tokenId = cellOf("token_id");
    const note = (cell: string, what: string) => problems.push(cellProblem(name, line, cell, what));
    const before = seen.get(tokenId);
    if (!new RegExp(`^${collectionId}:[1-9]\\d*$`).test(tokenId))
      note(tokenId, `give a token of this collection, such as ${collectionId}:1`);
    else if (before !== undefined) note(tokenId, `name each token once; line ${before} names it`);
    else seen.set(tokenId, line);
    if (cells.slice(header.length).some((cell) => cell !== ""))
      problems.push({
        line,
        text: `${name}:${line} has more than ${counted(header.length, "column")}. Put texts with separators in quotes.`,
      });
    const asset = cellOf("asset");
    const metadata: Record<string, string | number | null> = {};
    for (const column of [...METADATA, ...URLS]) {
      const cell = cellOf(column);
      if (cell === "") continue;
      metadata[column] = cell === NOTHING ? null : cell;
      if (column !== "copies" || cell === NOTHING) continue;
      const found = wholeNumber(cell);
      if ("problem" in found) note(cell, found.problem);
      else metadata[column] = found.value;
    }
    if (asset === "" && Object.keys(metadata).length === 0) note(tokenId, "say what the NFT is to show");
    return { line, tokenId, metadata, ...(asset !== "" && { asset }) };
  });
  return { rows, problems };
}

function headerProblems(name: string, header: readonly string[]): RowProblem[] {
  const add = (what: string) => ({ line: 1, text: `${name}:1 ${what}` });
  const isTwice = (cell: string, at: number) => header.indexOf(cell) !== at;
  return [
    ...(header.includes("token_id") ? [] : [add("begin with a header that has a column token_id.")]),
    ...header
      .filter((cell) => !COLUMNS.includes(cell))
      .map((cell) =>
        add(`unknown column "${cell}": rename or remove it; the columns ${COLUMNS.join(", ")} are read.`),
      ),
    ...header.filter(isTwice).map((cell) => add(`the column ${cell} is there twice.`)),
  ];
}

/** Cuts rows into requests, in their order: as many NFTs in each as it may have. The same rows are always cut alike. */
export function planUpdates(rows: readonly UpdateRow[]): (readonly UpdateRow[])[] {
  const parts: UpdateRow[][] = [];
  let [urls, bytes] = [0, 0];
  for (const row of rows) {
    const own = URLS.filter((field) => typeof row.metadata[field] === "string").length;
    // What stands around a row in the body, its asset's uuid too.
    const size = Buffer.byteLength(JSON.stringify(row.metadata)) + row.tokenId.length + 120;
    const last = parts.at(-1);
    if (last && last.length < MOST_UPDATES && urls + own <= MOST_URLS && bytes + size <= MOST_BYTES) {
      last.push(row);
      [urls, bytes] = [urls + own, bytes + size];
    } else {
      parts.push([row]);
      [urls, bytes] = [own, size];
    }
  }
  return parts;
}
