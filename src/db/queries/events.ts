import { eq, type SQL, sql } from "drizzle-orm";
import { countOf, type EventRun, type EventType, numberRuns } from "../../domain/events.ts";
import { newUuid, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { type Ledger, type LedgerHome, ledgerOf } from "../ledger.ts";
import { integrations } from "../schema/index.ts";
import { events } from "../schema/ledger.ts";
import type { Statement } from "../statements.ts";

/** Events to insert in the batch of the effect that they report. */
export interface NewEvents {
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
export const insertEvents = (
  ledger: Ledger,
  { integrationId, runs, operationId, data, collectionId, numbers = [], minted, at }: NewEvents,
  condition: SQL,
): Statement => {
  const integration = uuidToBytes(integrationId);
  const count = countOf(runs);
  const about = collectionId ?? minted?.collectionId;
  return ledger.insert(events).select(sql`
    SELECT ${integration},
      ${lastSeq()} + ${count} + sold_out.yes,
      ${count} + sold_out.yes, ${uuidToBytes(newUuid())}, ${JSON.stringify(runs)}, sold_out.yes,
      ${operationId === undefined ? null : uuidToBytes(operationId)},
      ${about === undefined ? null : uuidToBytes(about)},
      ${numbers.length === 0 ? null : JSON.stringify(numberRuns(numbers))},
      ${data === undefined ? null : JSON.stringify(data)}, ${at.getTime()}
    FROM (SELECT ${minted === undefined ? sql`0` : sellsOut(minted)} AS yes) AS sold_out
    WHERE ${count} + sold_out.yes > 0 AND ${condition}`);
};

/** 1 if a collection is now sold out, else 0. */
const sellsOut = ({ collectionId, tokens }: NonNullable<NewEvents["minted"]>): SQL => sql`coalesce((
  SELECT minted < total AND total <= ${tokens} FROM collections WHERE id = ${uuidToBytes(collectionId)}), 0)`;

export type EventRow = typeof events.$inferSelect;

/** The number of an integration's last event, as `lastSeq`. */
export const readLastSeq = async (ledger: Ledger): Promise<number> =>
  (await ledger.get<{ last: number }>(sql`SELECT ${lastSeq()} AS last`)).last;

/** The number of the ledger's last event; 0: it has none. */
export const lastSeq = (): SQL<number> => sql<number>`(SELECT events_seq FROM meta)`;

export type OperatorEvent = Pick<NewEvents, "data" | "at"> & { readonly type: EventType };

/** Inserts an event of the operator's integration, if there is the configured one: its ledger is another one. */
export const tellOperator = async (
  home: LedgerHome & { readonly db: Database },
  operator: string | undefined,
  { type, data, at }: OperatorEvent,
): Promise<void> => {
  if (operator === undefined) return;
  const integrationId = operator as Uuid;
  const isIt = eq(integrations.id, integrationId);
  if (!(await home.db.select({ id: integrations.id }).from(integrations).where(isIt).get())) return;
  const event = { integrationId, runs: [[type, 1]], data, at } as const;
  await insertEvents(ledgerOf(home, integrationId), event, sql`true`);
};
