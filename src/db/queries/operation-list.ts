import { desc, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidAt, uuidToBytes } from "../../domain/ids.ts";
import type { OperationKind, OperationState } from "../../domain/operations.ts";
import type { Ledger } from "../ledger.ts";
import { operations } from "../schema/ledger.ts";
import { type ArchiveRow, filesOfOperations } from "./archives.ts";
import { OPEN } from "./operations.ts";

/** Filter of a list of operations; absent fields match all. */
export interface OperationFilter {
  readonly state?: OperationState;
  readonly kind?: OperationKind;
  readonly subject?: Uuid;
  readonly reference?: string;
  readonly createdAfter?: Date;
}

export interface OperationPage {
  /** The id before the first one to read; null: start at the newest. */
  readonly after: Uuid | null;
  readonly limit: number;
}

/** Maximum number of rows that a page reads, matching or not; the list then continues after a cursor. */
const MOST_CANDIDATES = 1_000;

const columns = {
  id: operations.id,
  kind: operations.kind,
  state: operations.state,
  subjectId: operations.subjectId,
  reference: operations.reference,
  createdAt: operations.createdAt,
  updatedAt: operations.updatedAt,
  finishedAt: operations.finishedAt,
};

export type ListedOperation = Pick<typeof operations.$inferSelect, keyof typeof columns>;

export const narrows = (
  { state, kind, subject, reference, createdAfter }: OperationFilter,
  operation: ListedOperation,
): boolean =>
  (state === undefined || operation.state === state) &&
  (kind === undefined || operation.kind === kind) &&
  (subject === undefined || operation.subjectId === subject) &&
  (reference === undefined || operation.reference === reference) &&
  (createdAfter === undefined || operation.createdAt > createdAfter);

/** Operations of a page, newest first, and the cursor if not all candidates were read. */
export interface ListedOperations {
  readonly rows: readonly ListedOperation[];
  /** The last candidate if others may follow it; null if all were read. */
  readonly lookedAt: Uuid | null;
  /** Files that may have operations of the page too, as many as were asked for. */
  readonly files: readonly ArchiveRow[];
}

/**
 * Operations of an integration, newest first. Open ones are read by their partial index. Of others, at most
 * `MOST_CANDIDATES` are read by an index, which bounds a page's cost however many rows the filter skips.
 */
export const listOperations = async (
  ledger: Ledger,
  integrationId: Uuid,
  filter: OperationFilter,
  { files: mostFiles, ...page }: OperationPage & { readonly files: number },
): Promise<ListedOperations> => {
  if (filter.state === "pending" || filter.state === "unknown") {
    return { rows: await openOnes(ledger, integrationId, filter, page), lookedAt: null, files: [] };
  }
  // Without a filter every candidate is shown.
  const { state, kind, subject, reference } = filter;
  const isNarrowed = [state, kind, reference && subject].some((value) => value !== undefined);
  const most = isNarrowed ? Math.max(MOST_CANDIDATES, page.limit) : page.limit;
  const candidates = sql`SELECT id, integration_id, kind, state, subject_id, created_at FROM operations
    WHERE ${candidatesOf(integrationId, filter, page.after)} ORDER BY id DESC LIMIT ${most}`;
  const shown = sql`${operations.id} IN (SELECT id FROM (${candidates})
    WHERE integration_id = ${uuidToBytes(integrationId)} ${narrowed(filter)} ORDER BY id DESC LIMIT ${page.limit})`;
  const last = sql`${operations.id} IN (SELECT id FROM (${candidates}) ORDER BY id LIMIT 1)
    AND (SELECT count(*) FROM (${candidates})) = ${most}`;
  const floor = filter.createdAfter === undefined ? null : earliestId(filter.createdAfter);
  const [rows, lasts, files] = await ledger.batch([
    ledger.select(columns).from(operations).where(shown).orderBy(desc(operations.id)),
    ledger
      .select({ id: operations.id, integrationId: operations.integrationId })
      .from(operations)
      .where(last),
    filesOfOperations(ledger, integrationId, { before: page.after, floor }, mostFiles),
  ]);
  // A subject has operations of one integration. A caller who asks for another's subject doesn't learn how many.
  const lookedAt = lasts.find((row) => row.integrationId === integrationId)?.id ?? null;
  return { rows, lookedAt, files };
};

/** Uses the partial index of open operations; the unary plus keeps SQLite from scanning by id. */
const openOnes = (ledger: Ledger, integrationId: Uuid, filter: OperationFilter, page: OperationPage) =>
  ledger
    .select(columns)
    .from(operations)
    .where(sql`integration_id = ${uuidToBytes(integrationId)} AND ${OPEN} ${narrowed(filter)}
      ${filter.reference === undefined ? sql`` : sql`AND +reference = ${filter.reference}`}
      ${page.after === null ? sql`` : sql`AND +id < ${uuidToBytes(page.after)}`}`)
    .orderBy(sql`+id DESC`)
    .limit(page.limit);

const candidatesOf = (
  integrationId: Uuid,
  { subject, reference, createdAfter }: OperationFilter,
  after: Uuid | null,
): SQL => {
  const own = sql`integration_id = ${uuidToBytes(integrationId)}`;
  const about = subject === undefined ? own : sql`subject_id = ${uuidToBytes(subject)}`;
  const whose = reference === undefined ? about : sql`${own} AND reference = ${reference}`;
  const behind = after === null ? sql`` : sql`AND id < ${uuidToBytes(after)}`;
  const from = createdAfter === undefined ? sql`` : sql`AND id > ${uuidToBytes(earliestId(createdAfter))}`;
  return sql`${whose} ${behind} ${from}`;
};

const narrowed = ({ state, kind, subject, createdAfter }: OperationFilter): SQL => sql`
  ${state === undefined ? sql`` : sql`AND state = ${state}`}
  ${kind === undefined ? sql`` : sql`AND kind = ${kind}`}
  ${subject === undefined ? sql`` : sql`AND subject_id = ${uuidToBytes(subject)}`}
  ${createdAfter === undefined ? sql`` : sql`AND created_at > ${createdAfter.getTime()}`}`;

/** An id may be this much older than its row's time. Milliseconds. */
const ID_BEFORE_ROW_MS = 60_000;

const earliestId = (time: Date): Uuid => uuidAt(new Date(Math.max(time.getTime() - ID_BEFORE_ROW_MS, 0)));
