import type { ArchiveRow } from "../../db/queries/archives.ts";
import { HASH_BYTES } from "../../db/queries/operation-transactions.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import type { events } from "../../db/schema/ledger.ts";
import type { Uuid } from "../../domain/ids.ts";
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
  /** Its Idempotency-Keys; absent in the archive: records have them, which are kept longer than keys. */
  readonly keys?: readonly ArchivedKey[];
  /** The events of its end; absent in the archive. */
  readonly events?: ArchivedEvents | undefined;
}

/** A row of events. */
export type ArchivedEvents = typeof events.$inferSelect;

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
  return operations.map(({ row, transactions, ...rest }) => {
    const listed = transactions.map((transaction) => {
      const hash = transaction.hash.slice(0, HASH_DIGITS);
      const text = JSON.stringify(transaction.result);
      if (written.get(hash) === text) return { ...transaction, result: null };
      if (!written.has(hash)) written.set(hash, text);
      return transaction;
    });
    return JSON.stringify({ row, transactions: listed, ...rest });
  });
};

export const operationsOf = (lines: readonly string[]): ArchivedOperation[] => {
  const results = new Map<string, unknown>();
  return lines.map(toOperation).map(({ row, transactions, ...rest }) => ({
    row,
    ...rest,
    transactions: transactions.map((transaction) => {
      const hash = transaction.hash.slice(0, HASH_DIGITS);
      if (!results.has(hash)) results.set(hash, transaction.result);
      return transaction.result === null ? { ...transaction, result: results.get(hash) } : transaction;
    }),
  }));
};

const toOperation = (line: string): ArchivedOperation => {
  const { row, events: reported, ...rest } = JSON.parse(line) as ArchivedOperation;
  const { createdAt, updatedAt, finishedAt } = row;
  return {
    ...rest,
    ...(reported && { events: { ...reported, createdAt: instant(reported.createdAt) } }),
    row: {
      ...row,
      createdAt: instant(createdAt),
      updatedAt: instant(updatedAt),
      finishedAt: finishedAt === null ? null : instant(finishedAt),
    },
  };
};

type Listed = Pick<ArchiveRow, "firstId" | "lastId" | "firstAt" | "lastAt" | "operations">;

/** What a listing of R2 shows of a file, so that a ledger that lost its rows gets them back. */
export const listedAs = ({
  firstId,
  lastId,
  firstAt,
  lastAt,
  operations,
}: Listed): Record<string, string> => ({
  first: firstId,
  last: lastId,
  ...(firstAt && lastAt && { from: firstAt.toISOString(), to: lastAt.toISOString() }),
  operations: String(operations),
});

/** The row of a file that R2 lists. */
export const archiveOf = (
  integrationId: Uuid,
  { key, size, uploaded, customMetadata = {} }: R2Object,
): ArchiveRow => {
  const { first, last, from, to, operations } = customMetadata;
  return {
    integrationId,
    firstId: first as Uuid,
    lastId: last as Uuid,
    firstAt: from === undefined ? null : instant(from),
    lastAt: to === undefined ? null : instant(to),
    objectKey: key,
    operations: Number(operations),
    bytes: size,
    createdAt: uploaded,
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
