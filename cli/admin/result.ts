import type { ChainTransactionResult } from "../../client/src/index.ts";
import { type Cell, near, table } from "../table.ts";
import type { Result } from "./command.ts";

/** A transaction in short, for people; scripts get all of it. */
const transactionRow = (one: ChainTransactionResult) => ({
  transaction: one.transaction_hash,
  status: one.status,
  signer: one.signer_id,
  receiver: one.receiver_id,
  burnt: one.tokens_burnt === null ? null : `${near(one.tokens_burnt)} NEAR`,
  failure: one.failure_message,
});

/** Lists of transactions, which have more fields than a line has room for. */
const TRANSACTIONS = ["tx_results", "transactions"];

/** One thing, a line a field; amounts in NEAR, lists counted and shown below. */
function details(thing: Readonly<Record<string, unknown>>): string {
  const lists: string[] = [];
  const rows: Record<string, Cell>[] = [];
  for (const [field, value] of Object.entries(thing)) {
    if (Array.isArray(value)) {
      rows.push({ field, value: String(value.length) });
      if (value.length > 0) lists.push(`\n${field}\n${listOf(field, value)}`);
    } else rows.push({ field, value: cell(field, value) });
  }
  return [table(rows), ...lists].join("\n");
}

/** What is nested as a list: transactions in short, rows as a table, texts a line each. */
const listOf = (field: string, values: readonly unknown[]): string => {
  if (TRANSACTIONS.includes(field)) return table((values as ChainTransactionResult[]).map(transactionRow));
  if (values.every((value) => typeof value === "string")) return values.join("\n");
  return rowsOf(values as Record<string, unknown>[]);
};

/** Any rows, with what is nested in them as JSON. */
const rowsOf = (rows: readonly Readonly<Record<string, unknown>>[]): string =>
  table(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([field, value]) => [field, cell(field, value)])),
    ),
  );

function cell(field: string, value: unknown): Cell {
  if (field === "balance") return value === null ? null : `${near(value as string)} NEAR`;
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return value as Cell;
}

/** One thing, a line a field. */
export const shown = <T extends object>(data: T): Result => ({
  data,
  text: details(data as Record<string, unknown>),
});
/** Things of a kind, a line each. */
export const listed = <T>(data: readonly T[], row: (one: T) => Record<string, Cell>): Result => ({
  data,
  text: table(data.map(row)),
});
