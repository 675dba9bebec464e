import { type SQL, sql } from "drizzle-orm";
import { type Ledger, sentOf } from "./ledger.ts";
import { outbox } from "./schema/ledger.ts";
import type { SentStatement, Statement } from "./statements.ts";

/** Bytes in JSON. */
interface Bytes {
  readonly base64: string;
}

/** Most bytes of an entry of several statements: a value of an object's SQLite has at most 2 MB. */
const MOST_BYTES = 1_000_000;

/**
 * Notes writes to D1 in the ledger's batch that causes them, if `condition` holds; the outbox makes them once, in order. Many large
 * ones may be made by several calls of D1.
 */
export const postToD1 = (
  ledger: Ledger,
  statements: readonly Statement[],
  condition: SQL,
  at: Date,
): Statement[] =>
  entriesOf(statements).map((entry) => insertEntry(ledger, { entry, at: at.getTime() }, condition));

/** Inserts an entry of the outbox if `condition` holds. @param at milliseconds since the epoch */
export const insertEntry = (
  ledger: Ledger,
  { entry, at }: { readonly entry: string | SQL; readonly at: number | SQL },
  condition: SQL,
): Statement =>
  ledger.insert(outbox).select(sql`SELECT NULL, ${entry}, ${at}, NULL, NULL, 0 WHERE ${condition}`);

/** Statements as entries of the outbox, as few as their bytes allow. */
export const entriesOf = (statements: readonly Statement[]): string[] => {
  const texts = statements.map(sentOf).map(textOf);
  const entries: string[][] = [];
  let bytes = 0;
  for (const text of texts) {
    bytes += Buffer.byteLength(text);
    if (entries.length === 0 || bytes > MOST_BYTES) {
      entries.push([text]);
      bytes = Buffer.byteLength(text);
    } else entries.at(-1)!.push(text);
  }
  return entries.map((entry) => `[${entry.join(",")}]`);
};

const toJson = (value: unknown): unknown =>
  value instanceof Uint8Array ? ({ base64: Buffer.from(value).toString("base64") } satisfies Bytes) : value;

const fromJson = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? new Uint8Array(Buffer.from((value as Bytes).base64, "base64"))
    : value;

const textOf = ({ sql: text, params }: SentStatement): string => JSON.stringify([text, params.map(toJson)]);

/** Statements as an entry of the outbox. */
export const entryOf = (statements: readonly SentStatement[]): string =>
  `[${statements.map(textOf).join(",")}]`;

/** The statements of an entry of the outbox. */
export const statementsOf = (text: string): SentStatement[] =>
  (JSON.parse(text) as [string, unknown[]][]).map(([statement, params]) => ({
    sql: statement,
    params: params.map(fromJson),
  }));
