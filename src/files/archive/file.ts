import type { ArchiveRow } from "../../db/queries/archives.ts";
import { HASH_BYTES } from "../../db/queries/operation-transactions.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import { readLines } from "../storage/line-files.ts";

/** A transaction's final record. */
export interface ArchivedTransaction {
  /** The key that its row had, lower-case hexadecimal; longer than 32 bytes for a further operation's record of it. */
  readonly hash: string;
  readonly step: string;
  /** A ChainTransactionResult. */
  readonly result: unknown;
  /** When its row was written, milliseconds since the epoch. */
  readonly at: number;
  /** The number that its row had, which orders those of one time. */
  readonly place: number;
}

/** An operation as its row had it, with its transactions in the order of their steps. */
export interface ArchivedOperation {
  readonly row: OperationRow;
  readonly transactions: readonly ArchivedTransaction[];
}

const instant = (text: unknown): Date => new Date(text as string);

/** Hexadecimal digits of a transaction's hash. A longer key is a further operation's record of the same transaction. */
export const HASH_DIGITS = 2 * HASH_BYTES;

/**
 * Operations as the lines of a file. Where several of them share a transaction, the first has its result, and each other
 * that has the same has null.
 */
export const linesOf = (operations: readonly ArchivedOperation[]): string[] => {
  const written = new Map<string, string>();
  return operations.map(({ row, transactions }) => {
    const told = transactions.map((transaction) => {
      const hash = transaction.hash.slice(0, HASH_DIGITS);
      const text = JSON.stringify(transaction.result);
      if (written.get(hash) === text) return { ...transaction, result: null };
      if (!written.has(hash)) written.set(hash, text);
      return transaction;
    });
    return JSON.stringify({ row, transactions: told });
  });
};

/** The operations of a file's lines, each with its results. */
export const operationsOf = (lines: readonly string[]): ArchivedOperation[] => {
  const results = new Map<string, unknown>();
  return lines.map(toOperation).map(({ row, transactions }) => ({
    row,
    transactions: transactions.map((transaction) => {
      const hash = transaction.hash.slice(0, HASH_DIGITS);
      if (!results.has(hash)) results.set(hash, transaction.result);
      return transaction.result === null ? { ...transaction, result: results.get(hash) } : transaction;
    }),
  }));
};

/** JSON has texts where the row has instants. */
const toOperation = (line: string): ArchivedOperation => {
  const { row, transactions } = JSON.parse(line) as ArchivedOperation;
  const { createdAt, updatedAt, finishedAt } = row;
  return {
    row: {
      ...row,
      leasedUntil: null,
      createdAt: instant(createdAt),
      updatedAt: instant(updatedAt),
      finishedAt: finishedAt === null ? null : instant(finishedAt),
    },
    transactions,
  };
};

/** The operations that a file has. @throws Error if R2 has lost it */
export const readFile = async (
  bucket: R2Bucket,
  { objectKey }: Pick<ArchiveRow, "objectKey">,
): Promise<ArchivedOperation[]> => {
  const lines = await readLines(bucket, objectKey);
  if (lines === null) throw new Error(`${objectKey} is not in R2 although a row refers to it`);
  return operationsOf(lines);
};
