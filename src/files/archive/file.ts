import type { ArchiveRow } from "../../db/queries/archives.ts";
import { HASH_BYTES } from "../../db/queries/operation-transactions.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import { readLines } from "../storage/line-files.ts";

export interface ArchivedTransaction {
  /** Key of its row in hexadecimal; longer than 32 bytes if another operation recorded it first. */
  readonly hash: string;
  readonly step: string;
  readonly result: unknown;
  /** Milliseconds since the epoch; the row's number orders those of one time. */
  readonly at: number;
  readonly rowNumber: number;
}

/** An operation's row, with its transactions in the order of their steps. */
export interface ArchivedOperation {
  readonly row: OperationRow;
  readonly transactions: readonly ArchivedTransaction[];
  /** Its Idempotency-Keys; absent in the archive, which operations reach when their keys have expired. */
  readonly keys?: readonly ArchivedKey[];
}

export interface ArchivedKey {
  readonly key: string;
  /** Hexadecimal. */
  readonly fingerprint: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

const instant = (text: unknown): Date => new Date(text as string);

/** Hexadecimal digits of a transaction's hash. A longer key is another operation's record of the same transaction. */
export const HASH_DIGITS = 2 * HASH_BYTES;

/** Operations as the lines of a file. Of those that share a transaction, the first has its result. */
export const linesOf = (operations: readonly ArchivedOperation[]): string[] => {
  const written = new Map<string, string>();
  return operations.map(({ row, transactions, keys }) => {
    const listed = transactions.map((transaction) => {
      const hash = transaction.hash.slice(0, HASH_DIGITS);
      const text = JSON.stringify(transaction.result);
      if (written.get(hash) === text) return { ...transaction, result: null };
      if (!written.has(hash)) written.set(hash, text);
      return transaction;
    });
    return JSON.stringify({ row, transactions: listed, keys });
  });
};

export const operationsOf = (lines: readonly string[]): ArchivedOperation[] => {
  const results = new Map<string, unknown>();
  return lines.map(toOperation).map(({ row, transactions, keys }) => ({
    row,
    keys,
    transactions: transactions.map((transaction) => {
      const hash = transaction.hash.slice(0, HASH_DIGITS);
      if (!results.has(hash)) results.set(hash, transaction.result);
      return transaction.result === null ? { ...transaction, result: results.get(hash) } : transaction;
    }),
  }));
};

const toOperation = (line: string): ArchivedOperation => {
  const { row, transactions, keys } = JSON.parse(line) as ArchivedOperation;
  const { createdAt, updatedAt, finishedAt } = row;
  return {
    row: {
      ...row,
      createdAt: instant(createdAt),
      updatedAt: instant(updatedAt),
      finishedAt: finishedAt === null ? null : instant(finishedAt),
    },
    transactions,
    keys,
  };
};

/** The operations of a file. @throws Error if R2 doesn't have it */
export const readFile = async (
  bucket: R2Bucket,
  { objectKey }: Pick<ArchiveRow, "objectKey">,
): Promise<ArchivedOperation[]> => {
  const lines = await readLines(bucket, objectKey);
  if (lines === null) throw new Error(`${objectKey} is not in R2 although a row refers to it`);
  return operationsOf(lines);
};
