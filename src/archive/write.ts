import type { ServiceContext } from "../context.ts";
import {
  type ArchiveRow,
  type BroughtFile,
  madeAt,
  newestFrom,
  type OldOperation,
  oldOperations,
  operationsWithTransactions,
  replaceByFile,
} from "../db/queries/archives.ts";
import type { OperationRow } from "../db/queries/operations.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import { newUuid, toHex, type Uuid } from "../domain/ids.ts";
import { ARCHIVED_KINDS } from "../domain/operations.ts";
import { archiveKey } from "../storage/keys.ts";
import { MOST_BYTES, MOST_LINES, putLines } from "../storage/line-files.ts";
import { type ArchivedOperation, linesOf } from "./file.ts";

const DAY_MS = 24 * 3_600_000;

/** Rows that one page looks at. */
const PAGE = 500;
/**
 * The newest operations of an integration's wallet stay, however old they are: by them it notices a rolled-back database,
 * recovery finds where to begin (64 at most, src/recovery/), and later rows get higher numbers.
 */
const NEWEST = 100;
/** Files of a page that fail one after the other before the round goes on with what is behind the page. */
const MOST_REFUSED = 5;

/** What came of a page. */
export interface ArchivedPage {
  /** The last operation that was looked at; null: there are no more. */
  readonly last: Uuid | null;
  /** Whether a file could not be written, or not be put in the place of its operations: they stay. */
  readonly isRefused: boolean;
}

/**
 * Puts operations of an integration that ended long ago, and their transactions, into files of R2 and takes them out of
 * the database: a page of the oldest behind one. The file is written first. A run that stops between leaves a file that
 * no row names, and the next run writes another. One that fails is logged, and the others go on.
 */
export const archivePage = async (
  context: ServiceContext,
  integrationId: Uuid,
  after: Uuid | null,
): Promise<ArchivedPage> => {
  const { db, log, now, settings } = context;
  const keptSince = now().getTime() - settings.OPERATIONS_KEPT_DAYS * DAY_MS;
  // Whole days, so that a day of an integration is few files.
  const before = new Date(dayOf(keptSince) * DAY_MS);
  const page = await oldOperations(db, integrationId, { after, before }, PAGE);
  const due = page.filter((operation) => isDue(operation, before));
  let isRefused = false;
  let inRow = 0;
  if (due.length > 0) {
    const newest = await newestFrom(db, integrationId, NEWEST);
    const old = newest === null ? [] : due.filter(({ id }) => id < newest);
    for (const group of groupsOf(old)) {
      try {
        await archive(context, integrationId, group);
        inRow = 0;
      } catch (error) {
        isRefused = true;
        inRow += 1;
        log("archive.file_refused", {
          integration_uuid: integrationId,
          first_operation_uuid: group[0]?.id,
          operations: group.length,
          error,
        });
        // Perhaps R2 takes none at all: then the others of the page are tried in the next round.
        if (inRow === MOST_REFUSED) break;
      }
    }
  }
  const last = page.length < PAGE ? null : (page.at(-1)?.id ?? null);
  return { last, isRefused };
};

const dayOf = (moment: number): number => Math.floor(moment / DAY_MS);

/** One stays whose transactions were recorded on several days: it was unknown for long, and a file tells of one day. */
const isDue = (operation: OldOperation, before: Date): boolean => {
  const { kind, state, finishedAt, firstAt, lastAt } = operation;
  const isOver = state === "succeeded" || state === "failed";
  const isOfOneDay = firstAt === null || lastAt === null || dayOf(firstAt) === dayOf(lastAt);
  return ARCHIVED_KINDS.includes(kind) && isOver && isOfOneDay && finishedAt !== null && finishedAt < before;
};

/** Operations that go into one file each: accepted on one day, recorded on one, and no more than a reader likes to read. */
const groupsOf = (operations: readonly OldOperation[]): OldOperation[][] => {
  const full: OldOperation[][] = [];
  const open = new Map<string, { readonly group: OldOperation[]; bytes: number }>();
  for (const operation of operations) {
    const days = `${dayOf(madeAt(operation.id))} ${dayOf(operation.lastAt ?? operation.finishedAt!.getTime())}`;
    const last = open.get(days);
    if (last && last.group.length < MOST_LINES && last.bytes + operation.bytes <= MOST_BYTES) {
      last.group.push(operation);
      last.bytes += operation.bytes;
      continue;
    }
    const group = [operation];
    full.push(group);
    open.set(days, { group, bytes: operation.bytes });
  }
  return full;
};

const archive = async (
  context: ServiceContext,
  integrationId: Uuid,
  group: readonly OldOperation[],
): Promise<void> => {
  const { db, env, log, now } = context;
  const ids = group.map(({ id }) => id);
  const operations = await readAll(context, ids);
  const times = operations.flatMap(({ transactions }) => transactions.map(({ at }) => at));
  const objectKey = archiveKey(integrationId, new Date(madeAt(ids[0]!)), newUuid());
  checkpoint("archive.before_file");
  const bytes = await putLines(env.BUCKET, objectKey, linesOf(operations));
  checkpoint("archive.file_written");
  const file: ArchiveRow = {
    integrationId,
    firstId: ids[0]!,
    lastId: ids.at(-1)!,
    firstAt: times.length === 0 ? null : new Date(Math.min(...times)),
    lastAt: times.length === 0 ? null : new Date(Math.max(...times)),
    objectKey,
    operations: ids.length,
    bytes,
    createdAt: now(),
  };
  const brought = operations.flatMap(({ row }) => (row.state === "failed" ? broughtBy(row) : []));
  const isReplaced = await replaceByFile(db, file, ids, brought);
  checkpoint("archive.rows_replaced");
  log("archive.written", { key: file.objectKey, operations: ids.length, replaced: isReplaced });
};

const readAll = async ({ db }: ServiceContext, ids: readonly Uuid[]): Promise<ArchivedOperation[]> => {
  const { rows, results } = await operationsWithTransactions(db, ids);
  const byOperation = Map.groupBy(results, ({ operationId }) => operationId);
  return rows
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((row) => ({
      row,
      transactions: (byOperation.get(row.id) ?? []).map(({ hash, step, result, createdAt, place }) => ({
        hash: toHex(hash),
        step,
        result,
        at: createdAt.getTime(),
        place,
      })),
    }));
};

/** A file that metadata names, as the requests of mints and updates have it. */
interface Named {
  readonly media?: { readonly sha256: string } | null;
  readonly reference?: { readonly sha256: string } | null;
}

/** Files that a mint or an update brought to its collection. */
const broughtBy = ({ id, subjectId, request }: OperationRow): BroughtFile[] => {
  const { metadata, changes } = request as { metadata?: Named | null; changes?: Named | null };
  return [metadata, changes]
    .flatMap((named) => [named?.media, named?.reference])
    .flatMap((file) =>
      file
        ? [[hexOf(subjectId), Buffer.from(file.sha256, "base64").toString("hex"), hexOf(id)] as const]
        : [],
    );
};

const hexOf = (id: Uuid): string => id.replaceAll("-", "");
