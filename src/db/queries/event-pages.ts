import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { EventType } from "../../domain/events.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Ledger } from "../ledger.ts";
import { collections, events, operations } from "../schema/ledger.ts";
import { COLLECTION_ROW, type CollectionRow } from "./collections.ts";
import { type EventRow, lastSeq } from "./events.ts";
import { RESULT } from "./operation-transactions.ts";

export interface EventPage {
  readonly after: number;
  readonly most: number;
  /** How many of the first rows with events of these types have their operations and collections read too. */
  readonly near: number;
  readonly types?: readonly EventType[] | undefined;
}

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

export type EventOperation = Pick<typeof operations.$inferSelect, keyof typeof eventOperationColumns>;

/** An operation that events report, with the results of its transactions. */
export interface KnownOperation {
  readonly row: EventOperation;
  readonly results: readonly unknown[];
}

/** Rows of events in order, and what the first of them report. */
export interface EventPageRead {
  readonly last: number;
  readonly rows: readonly EventRow[];
  readonly operations: Map<Uuid, KnownOperation>;
  readonly soldOut: ReadonlyMap<Uuid, CollectionRow>;
}

/** Reads rows of events after a number, and the operations and collections of the first ones, in one trip. */
export const readEventPage = async (
  ledger: Ledger,
  integrationId: Uuid,
  { after, most, near, types }: EventPage,
): Promise<EventPageRead> => {
  const behind = sql`integration_id = ${uuidToBytes(integrationId)} AND seq > ${after}`;
  const first = sql`SELECT * FROM events WHERE ${behind} ${types ? sql`AND ${hasType(types)}` : sql``}
    ORDER BY seq LIMIT ${near}`;
  const [[stand], rows, operationRows, collectionRows] = await ledger.batch([
    ledger.select({ last: lastSeq() }).from(sql`(SELECT 1)`),
    ledger.select().from(events).where(behind).orderBy(events.seq).limit(most),
    withTransactions(ledger).where(sql`operations.id IN (SELECT operation_id FROM (${first}))`),
    ledger
      .select(COLLECTION_ROW)
      .from(collections)
      .where(
        and(
          eq(collections.integrationId, integrationId),
          sql`collections.id IN (SELECT collection_id FROM (${first}) WHERE sold_out = 1)`,
        ),
      ),
  ]);
  const soldOut = new Map(collectionRows.map((row) => [row.collection.id, row]));
  return { last: stand?.last ?? 0, rows, operations: byId(operationRows), soldOut };
};

/** Operations that events report, by their ids. */
export const operationsOfEvents = async (
  ledger: Ledger,
  ids: readonly Uuid[],
): Promise<Map<Uuid, KnownOperation>> =>
  byId(await withTransactions(ledger).where(inArray(operations.id, [...ids])));

const withTransactions = (ledger: Ledger) =>
  ledger.select({ operation: eventOperationColumns, results: RESULTS }).from(operations);

/** Results of an operation's transactions, as a list in JSON. */
const RESULTS = sql<string>`(SELECT json_group_array(json(result)) FROM (
  SELECT ${RESULT} AS result FROM transactions WHERE operation_id = ${operations}.id ORDER BY rowid))`.as(
  "results",
);

const byId = (rows: Awaited<ReturnType<typeof withTransactions>>): Map<Uuid, KnownOperation> =>
  new Map(
    rows.map(({ operation, results }) => [
      operation.id,
      { row: operation, results: JSON.parse(results) as unknown[] },
    ]),
  );

/** Condition: a row has events of these types. */
const hasType = (types: readonly EventType[]): SQL => sql`(
  ${types.includes("collection.sold_out") ? sql`sold_out = 1 OR` : sql``}
  EXISTS (SELECT 1 FROM json_each(runs) AS run WHERE ${inArray(sql`run.value ->> 0`, [...types])}))`;
