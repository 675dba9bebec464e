import type { ServiceContext } from "../../context.ts";
import {
  type ArchiveRow,
  type BroughtFile,
  integrationsFrom,
  madeAt,
  newestFrom,
  type OldOperation,
  oldOperations,
  operationsWithTransactions,
  replaceByFile,
} from "../../db/queries/archives.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { newUuid, toHex, type Uuid } from "../../domain/ids.ts";
import { KINDS } from "../../domain/operations.ts";
import { type ArchivedOperation, linesOf } from "../../files/archive/file.ts";
import { archiveKey } from "../../files/storage/keys.ts";
import { MOST_BYTES, MOST_LINES, putLines } from "../../files/storage/line-files.ts";

const DAY_MS = 24 * 3_600_000;

/** Rows that one page looks at. */
const PAGE = 500;
/**
 * The newest operations of an integration's wallet stay, however old they are: by them it notices a rolled-back database,
 * recovery finds where to begin (64 at most, src/recovery/), and later rows get higher numbers.
 */
const NEWEST = 100;
/** Files of a page that fail one after the other before the round goes on with what is behind the page. */
const MOST_REFUSED_FILES = 5;

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
const archivePage = async (
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
        if (inRow === MOST_REFUSED_FILES) break;
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
  return KINDS[kind].isArchived && isOver && isOfOneDay && finishedAt !== null && finishedAt < before;
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
  const brought = operations.flatMap(({ row }) => (row.state === "failed" ? filesAddedBy(row) : []));
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
      transactions: (byOperation.get(row.id) ?? []).map(({ hash, step, result, createdAt, rowNumber }) => ({
        hash: toHex(hash),
        step,
        result,
        at: createdAt.getTime(),
        rowNumber,
      })),
    }));
};

/** A file that metadata names, as the requests of mints and updates have it. */
interface Named {
  readonly media?: { readonly sha256: string } | null;
  readonly reference?: { readonly sha256: string } | null;
}

/** Files that a mint or an update brought to its collection. */
const filesAddedBy = ({ id, subjectId, request }: OperationRow): BroughtFile[] => {
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

/** The round over all integrations; `countRefused` reads what is noted of it. */
export const ARCHIVE = "archive";

/** Integrations that one run looks at. */
const INTEGRATIONS = 50;
/** For so long a run begins a further page: 500 operations in about half a second. Milliseconds. */
const RUN_MS = 10_000;
/** Integrations with operations that R2 hasn't taken which are remembered, at most. */
const MOST_REFUSED = 100;

/** Where a round is: at this integration, behind this operation of it; null: at its first. */
interface Cursor {
  readonly integration: Uuid;
  readonly after: Uuid | null;
}

/** What the database stores of the rounds. The release before has a place alone. */
interface Round {
  /** Null: a round is to begin. */
  readonly place: Cursor | null;
  /** Integrations with old operations that could not be moved when they were last tried. */
  readonly refused: readonly Uuid[];
}

const roundOf = (cursor: string | null): Round => {
  if (cursor === null) return { place: null, refused: [] };
  const {
    integration,
    after,
    refused = [],
  } = JSON.parse(cursor) as {
    readonly integration: Uuid | null;
    readonly after: Uuid | null;
    readonly refused?: readonly Uuid[];
  };
  return { place: integration === null ? null : { integration, after }, refused };
};

const writeRound = ({ db, now }: ServiceContext, { place, refused }: Round): Promise<void> => {
  const isAtRest = place === null && refused.length === 0;
  const cursor = isAtRest
    ? null
    : JSON.stringify({ integration: place?.integration ?? null, after: place?.after ?? null, refused });
  return writeSweep(db, ARCHIVE, cursor, now());
};

/** How many integrations have old operations that R2 or the database refused to move when they were last tried. @param cursor as noted */
export const countRefused = (cursor: string | null): number => roundOf(cursor).refused.length;

/**
 * Takes operations that ended long ago out of the database, those of some integrations a run. What fails is an
 * integration's own: the round goes on with the next, and the next round tries it again.
 */
export const archiveOldOperations = async (context: ServiceContext): Promise<void> => {
  const { db, log, now } = context;
  const until = now().getTime() + RUN_MS;
  const { place, refused: before } = roundOf(await readSweep(db, ARCHIVE));
  const found = await integrationsFrom(db, place?.integration ?? null, INTEGRATIONS + 1);
  const refused = new Set(before);
  const keep = (next: Cursor | null) =>
    writeRound(context, { place: next, refused: [...refused].slice(0, MOST_REFUSED) });
  for (const integration of found.slice(0, INTEGRATIONS)) {
    let after = integration === place?.integration ? place.after : null;
    // A round that goes on behind an operation doesn't know what comes of those before.
    let isRefused = after !== null && refused.has(integration);
    do {
      if (now().getTime() >= until) return keep({ integration, after });
      try {
        const page = await archivePage(context, integration, after);
        after = page.last;
        isRefused ||= page.isRefused;
      } catch (error) {
        log("archive.page_failed", { integration_uuid: integration, after, error });
        after = null;
        isRefused = true;
      }
      if (isRefused) refused.add(integration);
    } while (after !== null);
    if (!isRefused) refused.delete(integration);
  }
  const next = found[INTEGRATIONS];
  return keep(next === undefined ? null : { integration: next, after: null });
};
