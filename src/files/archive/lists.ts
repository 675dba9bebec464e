import type { ServiceContext } from "../../context.ts";
import { type ArchiveRow, filesOfOperations, filesOfTransactions } from "../../db/queries/archives.ts";
import { type ListedOperation, narrows, type OperationFilter } from "../../db/queries/operation-list.ts";
import type { Uuid } from "../../domain/ids.ts";
import { HASH_DIGITS } from "./file.ts";
import { FILES_AT_ONCE, type ListTail, readPart } from "./read.ts";

/** What a list reads of the archive, beside what the database has. */
interface Asked {
  readonly integrationId: Uuid;
  /** Files that the database named with its own part of the list. */
  readonly files: readonly ArchiveRow[];
  /** The place that the list goes on behind; null: at its end. */
  readonly before: string | null;
  /** What the database's own part reaches down to; null: to the beginning. */
  readonly floor: string | null;
  readonly want: number;
}

const NOTHING: ListTail<never> = { items: [], reached: null };

/** Archived operations of a part of the list, which the filter takes. Places are ids. */
export const archivedOperations = (
  { db, env }: ServiceContext,
  filter: OperationFilter,
  { integrationId, files, before, floor, want }: Asked,
): Promise<ListTail<ListedOperation>> | ListTail<ListedOperation> => {
  const [first] = files;
  if (!first || (floor !== null && first.lastId <= floor)) return NOTHING;
  const part = { before: before as Uuid | null, floor: floor as Uuid | null };
  return readPart<ListedOperation>(env.BUCKET, {
    files: (most) =>
      most === FILES_AT_ONCE
        ? Promise.resolve(files)
        : filesOfOperations(db, integrationId, part, most).all(),
    lastOf: ({ lastId }) => lastId,
    itemsOf: (operations) => operations.map(({ row }) => row),
    placeOf: ({ id }) => id,
    before,
    floor,
    want,
    passes: (operation) => narrows(filter, operation),
  });
};

/** A transaction of the list. */
export interface ListedTransaction {
  readonly result: unknown;
  /** When it was recorded, milliseconds since the epoch, and its number among those of the same time. */
  readonly time: number;
  readonly place: number;
}

/** Digits of a number of milliseconds or of a row, so that places sort as texts. */
const DIGITS = 16;

/** The place of a transaction in the list. */
export const transactionPlace = ({ time, place }: Pick<ListedTransaction, "time" | "place">): string =>
  `${String(time).padStart(DIGITS, "0")}-${String(place).padStart(DIGITS, "0")}`;

const timeOf = (place: string): Date => new Date(Number(place.slice(0, DIGITS)));

/** Archived transactions of a part of the list, each once. */
export const archivedTransactions = (
  { db, env }: ServiceContext,
  { integrationId, files, before, floor, want }: Asked,
): Promise<ListTail<ListedTransaction>> | ListTail<ListedTransaction> => {
  const [first] = files;
  const lastOf = (file: ArchiveRow): string =>
    transactionPlace({ time: file.lastAt?.getTime() ?? 0, place: Number.MAX_SAFE_INTEGER });
  if (!first || (floor !== null && lastOf(first) <= floor)) return NOTHING;
  const part = {
    before: before === null ? null : timeOf(before),
    floor: floor === null ? null : timeOf(floor),
  };
  return readPart<ListedTransaction>(env.BUCKET, {
    files: (most) =>
      most === FILES_AT_ONCE
        ? Promise.resolve(files)
        : filesOfTransactions(db, integrationId, part, most).all(),
    lastOf,
    itemsOf: (operations) =>
      operations.flatMap(({ transactions }) =>
        transactions
          .filter(({ hash }) => hash.length === HASH_DIGITS)
          .map(({ result, at, place }) => ({ result, time: at, place })),
      ),
    placeOf: transactionPlace,
    before,
    floor,
    want,
    passes: () => true,
  });
};
