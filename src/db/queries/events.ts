import { eq, type SQL, sql } from "drizzle-orm";
import { countOf, type EventRun, numberRuns } from "../../domain/events.ts";
import { newUuid, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { type Ledger, type LedgerContext, ledgerOf, template } from "../ledger.ts";
import { integrations, type UntoldEvent, untoldEvents } from "../schema/index.ts";
import { events } from "../schema/ledger.ts";
import type { Statement } from "../statements.ts";
import { isOpen, isPending } from "./operations.ts";

/** Events to insert in the batch of the effect that they report. */
export interface NewEvents {
  /** Absent: a new one. */
  readonly id?: Uuid;
  readonly integrationId: Uuid;
  readonly runs: readonly EventRun[];
  readonly operationId?: Uuid;
  readonly data?: unknown;
  /** The collection of the reported tokens; their numbers ascend. */
  readonly collectionId?: Uuid;
  readonly numbers?: readonly number[];
  /** Number of minted tokens of a collection. If it is sold out, `collection.sold_out` is added. */
  readonly minted?: { readonly collectionId: Uuid; readonly tokens: number };
  readonly at: Date;
}

/**
 * Inserts events if `condition` holds. It precedes statements that change what the condition reads or the count of minted
 * tokens. A batch is one transaction, so numbers have no gaps; the last one is in a row of its own, so none is reused.
 */
export const insertEvents = (ledger: Ledger, news: NewEvents, condition: SQL): Statement =>
  insertRow(ledger, rowOf(news), condition);

/** What is stored of events. */
const rowOf = ({
  id = newUuid(),
  integrationId,
  runs,
  operationId,
  data,
  collectionId,
  numbers = [],
  minted,
  at,
}: NewEvents) => {
  const about = collectionId ?? minted?.collectionId;
  return {
    integration: uuidToBytes(integrationId),
    count: countOf(runs),
    id: uuidToBytes(id),
    runs: JSON.stringify(runs),
    operation: operationId === undefined ? null : uuidToBytes(operationId),
    about: about === undefined ? null : uuidToBytes(about),
    numbers: numbers.length === 0 ? null : JSON.stringify(numberRuns(numbers)),
    data: data === undefined ? null : JSON.stringify(data),
    at: at.getTime(),
    mintedOf: minted === undefined ? null : uuidToBytes(minted.collectionId),
    minted: minted?.tokens ?? 0,
  };
};

type Row = ReturnType<typeof rowOf>;

const insertRow = (
  ledger: Ledger,
  row: { readonly [Name in keyof Row]: Row[Name] | SQL },
  condition: SQL,
): Statement =>
  ledger.insert(events).select(sql`
    SELECT ${row.integration}, ${lastSeq()} + ${row.count} + sold_out.yes, ${row.count} + sold_out.yes, ${row.id},
      ${row.runs}, sold_out.yes, ${row.operation}, ${row.about}, ${row.numbers}, ${row.data}, ${row.at}
    FROM (SELECT coalesce((SELECT minted < total AND total <= ${row.minted}
      FROM collections WHERE id = ${row.mintedOf}), 0) AS yes) AS sold_out
    WHERE ${row.count} + sold_out.yes > 0 AND ${condition}`);

const VALUES = [
  "integration",
  "count",
  "id",
  "runs",
  "operation",
  "about",
  "numbers",
  "data",
  "at",
  "mintedOf",
  "minted",
] as const satisfies readonly (keyof Row)[];
const insertIfOpen = template(VALUES, (ledger, row) => insertRow(ledger, row, isOpen(row.operation)));
const insertIfPending = template(VALUES, (ledger, row) => insertRow(ledger, row, isPending(row.operation)));

/** Inserts events of an operation's end, if that isn't stored yet, or of an operation that becomes unknown. */
export const insertEndEvents = (
  news: NewEvents & { readonly operationId: Uuid },
  state: "succeeded" | "failed" | "unknown",
): Statement => (state === "unknown" ? insertIfPending : insertIfOpen)(rowOf(news));

export type EventRow = typeof events.$inferSelect;

/** The number of an integration's last event, as `lastSeq`. */
export const readLastSeq = async (ledger: Ledger): Promise<number> =>
  (await ledger.get<{ last: number }>(sql`SELECT ${lastSeq()} AS last`)).last;

/** The number of the ledger's last event; 0: it has none. */
export const lastSeq = (): SQL<number> => sql<number>`(SELECT events_seq FROM meta)`;

/** Notes an event in the batch of the change in D1 that it reports, if `condition` holds, and returns its id: its ledger is another database. */
export const noteEvent = (
  db: Database,
  { id, integrationId, type, data, at }: UntoldEvent,
  condition: SQL,
): Statement =>
  db
    .insert(untoldEvents)
    .select(sql`
    SELECT ${uuidToBytes(id)}, ${uuidToBytes(integrationId)}, ${type}, ${JSON.stringify(data)}, ${at.getTime()}
    WHERE ${condition}`)
    .returning({ id: untoldEvents.id });

/** A repetition finds its event among so many last ones; behind them it would be written again, under the same uuid. */
const RECENT = 1_000;

/** Writes a noted event to its ledger and deletes the note. If it is repeated, the event is there once. */
export const moveEvent = async (
  context: LedgerContext & { readonly db: Database },
  { id, integrationId, type, data, at }: UntoldEvent,
): Promise<void> => {
  const news = { id, integrationId, runs: [[type, 1]], data, at } as const;
  const isNew = sql`NOT EXISTS (SELECT 1 FROM events WHERE integration_id = ${uuidToBytes(integrationId)}
    AND seq > ${lastSeq()} - ${RECENT} AND id = ${uuidToBytes(id)})`;
  await insertEvents(ledgerOf(context, integrationId), news, isNew);
  await context.db.delete(untoldEvents).where(eq(untoldEvents.id, id));
};

export type OperatorEvent = Pick<UntoldEvent, "type" | "data" | "at">;

/** Inserts an event of the operator's integration, if there is the configured one: its ledger is another one. */
export const notifyOperator = async (
  context: LedgerContext & { readonly db: Database },
  operator: string | undefined,
  { type, data, at }: OperatorEvent,
): Promise<void> => {
  if (operator === undefined) return;
  const integrationId = operator as Uuid;
  const isIt = eq(integrations.id, integrationId);
  if (!(await context.db.select({ id: integrations.id }).from(integrations).where(isIt).get())) return;
  const event = { integrationId, runs: [[type, 1]], data, at } as const;
  await insertEvents(ledgerOf(context, integrationId), event, sql`true`);
};
