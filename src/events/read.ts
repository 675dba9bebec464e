// events/: what happened to an integration, read by number, waited for, or streamed.

import { findAllArchived } from "../archive/read.ts";
import type { ServiceContext } from "../context.ts";
import { type EventRow, eventRows, operationsOfEvents, type RowMark } from "../db/queries/events.ts";
import { countOf, type EventType, eventUuid, fitting } from "../domain/events.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Event } from "../resources/event.ts";
import { EventData, type KnownOperation } from "./data.ts";

/** Rows that one read looks at, at most. */
const MOST_ROWS = 50;
/** Rows whose operations are read at one time: their answers have 64 kB each. */
const ROWS_AT_ONCE = 20;
/** Characters of JSON behind which a read ends, but for its first event. */
const MOST_CHARACTERS = 1_048_576;

/** Which events are read. */
export interface EventsWanted {
  /** The number behind which they are. */
  readonly after: number;
  /** At most so many. */
  readonly limit: number;
  /** Only these; absent: all. */
  readonly types?: readonly EventType[];
  /** Characters of JSON that they have at most, if they are more than one; absent: a page's. */
  readonly characters?: number;
}

/** Some events in order. */
export interface EventsRead {
  readonly events: readonly Event[];
  /** The number up to which all were looked at. */
  readonly seen: number;
  /** The last row that was looked at; null: none. */
  readonly row: RowMark | null;
  /** Whether there may be more behind it. */
  readonly goesOn: boolean;
}

/** An event before its resource is read. */
interface Place {
  readonly row: EventRow;
  readonly seq: number;
  /** Among the events of its row, from 0. */
  readonly place: number;
  readonly type: EventType;
  /** Among those of its type in the row, from 0. */
  readonly index: number;
}

/**
 * Events of an integration behind a number, in order. What a read costs doesn't grow with what it leaves out, and what it
 * holds is bounded by bytes as well as by rows.
 */
export const readEvents = async (
  context: ServiceContext,
  integrationId: Uuid,
  { after, limit, types, characters = MOST_CHARACTERS }: EventsWanted,
): Promise<EventsRead> => {
  // Of all types, each row has at least one, but for those that raise the numbers.
  const most = types === undefined ? Math.min(MOST_ROWS, limit + 1) : MOST_ROWS;
  const rows = await eventRows(context.db, integrationId, after, most);
  const behind = rows.flatMap(placesOf).filter(({ seq }) => seq > after);
  const wanted = types === undefined ? behind : behind.filter(({ type }) => types.includes(type));
  const events: Event[] = [];
  let room = characters;
  for await (const event of eventsOf(context, integrationId, wanted.slice(0, limit))) {
    room -= JSON.stringify(event).length;
    if (room < 0 && events.length > 0) break;
    events.push(event);
  }
  const last = wanted[events.length - 1];
  const isCut = events.length < wanted.length;
  const row = (isCut ? last?.row : rows.at(-1)) ?? null;
  const seen = (isCut ? last?.seq : row?.seq) ?? after;
  return { events, seen, row, goesOn: isCut || rows.length === most };
};

/** Events one after the other: an answer that R2 holds may be large. */
async function* eventsOf(
  context: ServiceContext,
  integrationId: Uuid,
  places: readonly Place[],
): AsyncGenerator<Event, void, void> {
  for (const some of inGroups(places)) {
    const data = new EventData(context, integrationId, await operationsOf(context, integrationId, some));
    for (const place of some) yield await toEvent(data, place);
  }
}

/** Places of so many rows at a time. */
const inGroups = (places: readonly Place[]): Place[][] => {
  const rows = [...new Set(places.map(({ row }) => row))];
  const groupOf = new Map(rows.map((row, index) => [row, Math.floor(index / ROWS_AT_ONCE)]));
  return [...Map.groupBy(places, ({ row }) => groupOf.get(row) ?? 0).values()];
};

const placesOf = (row: EventRow): Place[] => {
  const told = row.runs.flatMap(([type, count]) =>
    Array.from({ length: count }, (_, index) => ({ type, index })),
  );
  if (row.soldOut) told.push({ type: "collection.sold_out", index: 0 });
  if (told.length !== row.count)
    throw new Error(`events up to ${row.seq} are ${row.count}, not ${countOf(row.runs)}`);
  return told.map(({ type, index }, place) => ({
    row,
    seq: row.seq - row.count + 1 + place,
    place,
    type,
    index,
  }));
};

const operationsOf = async (
  context: ServiceContext,
  integrationId: Uuid,
  places: readonly Place[],
): Promise<ReadonlyMap<Uuid, KnownOperation>> => {
  const ids = new Set(places.flatMap(({ row }) => row.operationId ?? []));
  const { rows, results } = await operationsOfEvents(context.db, [...ids]);
  const known = new Map<Uuid, KnownOperation>(
    rows.map((row) => [
      row.id,
      {
        row,
        results: results.filter(({ operationId }) => operationId === row.id).map(({ result }) => result),
      },
    ]),
  );
  // Events may be kept for longer than operations stay in the database.
  const others = Array.from(ids).filter((id) => !known.has(id));
  for (const [id, { row, transactions }] of await findAllArchived(context, integrationId, others)) {
    known.set(id, { row, results: transactions.map(({ result }) => result) });
  }
  return known;
};

const toEvent = async (data: EventData, { row, seq, place, type, index }: Place): Promise<Event> => {
  const { resource, see } = await data.of(row, type, index);
  return {
    seq,
    event_uuid: eventUuid(row.id, place),
    type,
    timestamp: row.createdAt.toISOString(),
    data: fitting(resource, see) as Event["data"],
  };
};
