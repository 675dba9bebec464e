import type { ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { type ArchiveRow, filesOfOperations, filesOfTransactions } from "../../db/queries/archives.ts";
import { type ListedOperation, narrows, type OperationFilter } from "../../db/queries/operation-list.ts";
import type { Uuid } from "../../domain/ids.ts";
import { HASH_DIGITS } from "./file.ts";
import { FILES_AT_ONCE, type ListOfFiles, type ListTail, readPart } from "./read.ts";

interface ArchivedRange {
  readonly integrationId: Uuid;
  /** Its first files, which the database returned with its own part. */
  readonly files: readonly ArchiveRow[];
  /** The list continues after this position; null: from its end. */
  readonly before: string | null;
  /** Down to where the database's part is complete; null: to the beginning. */
  readonly floor: string | null;
  readonly want: number;
}

const readRange = async <Item>(
  { env }: ServiceContext,
  { files, before, floor, want }: ArchivedRange,
  list: Omit<ListOfFiles<Item>, "before" | "floor" | "want">,
): Promise<ListTail<Item>> => {
  const [first] = files;
  if (!first || (floor !== null && list.lastOf(first) <= floor)) return { items: [], reached: null };
  return readPart(env.BUCKET, {
    ...list,
    files: (most) => (most === FILES_AT_ONCE ? Promise.resolve(files) : list.files(most)),
    before,
    floor,
    want,
  });
};

/** Archived operations of a part of the list that pass the filter. Positions are ids. */
export const archivedOperations = (
  context: ServiceContext,
  filter: OperationFilter,
  range: ArchivedRange,
): Promise<ListTail<ListedOperation>> => {
  const part = { before: range.before as Uuid | null, floor: range.floor as Uuid | null };
  return readRange<ListedOperation>(context, range, {
    files: (most) =>
      filesOfOperations(ledgerOf(context, range.integrationId), range.integrationId, part, most).all(),
    lastOf: ({ lastId }) => lastId,
    itemsOf: (operations) => operations.map(({ row }) => row),
    positionOf: ({ id }) => id,
    passes: (operation) => narrows(filter, operation),
  });
};

interface ListedTransaction {
  readonly result: unknown;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly rowNumber: number;
}

/** Digits of a time or a row number, so that positions sort as texts. */
const DIGITS = 16;

export const transactionPosition = ({
  time,
  rowNumber,
}: Pick<ListedTransaction, "time" | "rowNumber">): string =>
  `${String(time).padStart(DIGITS, "0")}-${String(rowNumber).padStart(DIGITS, "0")}`;

const timeOf = (position: string | null): Date | null =>
  position === null ? null : new Date(Number(position.slice(0, DIGITS)));

/** Archived transactions of a part of the list, each once. */
export const archivedTransactions = (
  context: ServiceContext,
  range: ArchivedRange,
): Promise<ListTail<ListedTransaction>> => {
  const part = { before: timeOf(range.before), floor: timeOf(range.floor) };
  return readRange<ListedTransaction>(context, range, {
    files: (most) =>
      filesOfTransactions(ledgerOf(context, range.integrationId), range.integrationId, part, most).all(),
    lastOf: ({ lastAt }) =>
      transactionPosition({ time: lastAt?.getTime() ?? 0, rowNumber: Number.MAX_SAFE_INTEGER }),
    itemsOf: (operations) =>
      operations.flatMap(({ transactions }) =>
        transactions
          .filter(({ hash }) => hash.length === HASH_DIGITS)
          .map(({ result, at, rowNumber }) => ({ result, time: at, rowNumber })),
      ),
    positionOf: transactionPosition,
    passes: () => true,
  });
};
