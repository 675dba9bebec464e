import { eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { EventType } from "../../domain/events.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { collections, contracts, events, operations } from "../schema/index.ts";
import type { CollectionRow } from "./collections.ts";
import { type EventRow, lastSeq } from "./events.ts";
import { RESULT } from "./operation-transactions.ts";

/** Which rows of events to read, and for how many of them to read the operations and collections too. */
export interface EventPage {
  /** Events after this number. */
  readonly after: number;
  /** Maximum number of rows. */
  readonly most: number;
  /** Maximum number of events. */
  readonly limit: number;
  /** Maximum number of rows whose operations and collections are read too. */
  readonly near: number;
  /** Only events of these types; absent: all. */
  readonly types?: readonly EventType[] | undefined;
}

/** Columns of operations that events show. */
const eventOperationColumns = {
  id: operations.id,
  kind: operations.kind,
  state: operations.state,
  subjectId: operations.subjectId,
  answerStatus: operations.answerStatus,
  answerBody: operations.answerBody,
  createdAt: operations.createdAt,
  updatedAt: operations.updatedAt,
  finishedAt: operations.finishedAt,
  quotedCost: operations.quotedCost,
  mostCost: operations.mostCost,
  actualCost: operations.actualCost,
  reference: operations.reference,
};

/** The columns of an operation that its events show. */
export type EventOperation = Pick<typeof operations.$inferSelect, keyof typeof eventOperationColumns>;

/** An operation that events report, with the results of its transactions. */
export interface KnownOperation {
  readonly row: EventOperation;
  readonly results: readonly unknown[];
}

/** A row of events, with its operation and collection if they were read. */
export interface PageRow {
  readonly event: EventRow;
  /** Whether the operation and the collection were read. If so, a null operation isn't in the database. */
  readonly isNear: boolean;
  readonly operation: KnownOperation | null;
  /** The collection that it reports as sold out; null: none. */
  readonly soldOut: CollectionRow | null;
}

/** The number of an integration's last event (`lastSeq`) and rows of events, from one snapshot. */
export interface EventPageRead {
  readonly last: number;
  readonly rows: readonly PageRow[];
}

/** Reads rows of events after a number, in order, and the operations and collections of the first ones, in one statement. */
export const readEventPage = async (
  db: Database,
  integrationId: Uuid,
  page: EventPage,
): Promise<EventPageRead> => {
  const found = await db
    .select({
      last: sql<number>`stand.last`,
      isNear: sql<number | null>`page.is_near`,
      event: getTableColumns(events),
      operation: eventOperationColumns,
      results: RESULTS,
      collection: collections,
      contractAccountId: contracts.accountId,
    })
    .from(sql`(SELECT ${lastSeq(integrationId)} AS last) AS stand`)
    .leftJoin(sql`(${pageRows(integrationId, page)}) AS page`, sql`true`)
    .leftJoin(
      events,
      sql`${events.integrationId} = ${uuidToBytes(integrationId)} AND ${events.seq} = page.seq`,
    )
    .leftJoin(operations, sql`page.is_near AND ${operations.id} = ${events.operationId}`)
    .leftJoin(
      collections,
      sql`page.is_near AND ${events.soldOut} = 1 AND ${collections.id} = ${events.collectionId}
        AND ${collections.integrationId} = ${events.integrationId}`,
    )
    .leftJoin(contracts, eq(contracts.id, collections.contractId))
    .all();
  const rows = found
    .flatMap(({ event, isNear, operation, results, collection, contractAccountId }) => {
      // Without rows, the result has only the number.
      if (event === null) return [];
      const soldOut = collection && contractAccountId ? { collection, contractAccountId } : null;
      return { event, isNear: isNear === 1, operation: operation && knownOf(operation, results), soldOut };
    })
    .toSorted((one, other) => one.event.seq - other.event.seq);
  return { last: found[0]?.last ?? 0, rows };
};

/** Operations that events report, by their ids. */
export const operationsOfEvents = async (
  db: Database,
  ids: readonly Uuid[],
): Promise<Map<Uuid, KnownOperation>> => {
  const rows = await db
    .select({ operation: eventOperationColumns, results: RESULTS })
    .from(operations)
    .where(inArray(operations.id, [...ids]))
    .all();
  return new Map(rows.map(({ operation, results }) => [operation.id, knownOf(operation, results)]));
};

/** Results of an operation's transactions, as a list in JSON. */
const RESULTS = sql<string>`(SELECT json_group_array(json(result)) FROM (
  SELECT ${RESULT} AS result FROM transactions WHERE operation_id = ${operations}.id ORDER BY rowid))`;

const knownOf = (row: EventOperation, results: string): KnownOperation => ({
  row,
  results: JSON.parse(results) as unknown[],
});

/**
 * Selects rows of events. `is_near` marks the first rows with wanted events, as many as `limit` events need. The first row
 * may count events up to `after`; fewer rows are then near, and the next page has the rest.
 */
const pageRows = (integrationId: Uuid, { after, most, limit, near, types }: EventPage): SQL => sql`
  SELECT seq, wanted > 0 AND before < ${limit} AND place <= ${near} AS is_near FROM (
    SELECT seq, wanted, sum(wanted) OVER so_far - wanted AS before, sum(wanted > 0) OVER so_far AS place
    FROM (SELECT seq, min(${wantedOf(types)}, seq - ${after}) AS wanted
      FROM events WHERE integration_id = ${uuidToBytes(integrationId)} AND seq > ${after}
      ORDER BY seq LIMIT ${most})
    WINDOW so_far AS (ORDER BY seq ROWS UNBOUNDED PRECEDING))`;

/** Number of a row's events of the given types. */
const wantedOf = (types: readonly EventType[] | undefined): SQL => {
  if (types === undefined) return sql`count`;
  const selected = sql`coalesce((SELECT sum(json_extract(run.value, '$[1]')) FROM json_each(runs) AS run
    WHERE ${inArray(sql`json_extract(run.value, '$[0]')`, [...types])}), 0)`;
  return types.includes("collection.sold_out") ? sql`${selected} + sold_out` : selected;
};
