import type { Event } from "../api/resources/event.ts";
import type { NftUpdateResult } from "../api/resources/token.ts";
import { readCollection, toCollection } from "../collections/collections.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { ledgerOf } from "../db/ledger.ts";
import {
  type EventPageRead,
  type KnownOperation,
  operationsOfEvents,
  readEventPage,
} from "../db/queries/event-pages.ts";
import type { EventRow } from "../db/queries/events.ts";
import { withResults } from "../domain/answer-results.ts";
import { countOf, type EventType, eventUuid, fitting } from "../domain/events.ts";
import { failureBody } from "../domain/failures.ts";
import type { Uuid } from "../domain/ids.ts";
import { API } from "../domain/surface.ts";
import { findAllArchived } from "../files/archive/read.ts";
import { openText, textKey } from "../files/storage/large-texts.ts";

/** A resource, and its path in the API. */
interface Shown {
  readonly resource: object;
  readonly see: string;
}

interface OfCollection {
  readonly collection_uuid: string;
}

type UpdateResult = Pick<NftUpdateResult, "token_id" | "status">;

/** Reads the data of events. A response is cached for the consecutive events of its operation. */
class EventData {
  readonly #context: ServiceContext;
  readonly #caller: Pick<Caller, "integrationId">;
  readonly #operations: ReadonlyMap<Uuid, KnownOperation>;
  readonly #soldOut: EventPageRead["soldOut"];
  #response: { readonly of: Uuid; readonly body: unknown } | null = null;

  constructor(
    context: ServiceContext,
    integrationId: Uuid,
    { operations, soldOut }: Pick<EventPageRead, "operations" | "soldOut">,
  ) {
    this.#context = context;
    this.#caller = { integrationId };
    this.#operations = operations;
    this.#soldOut = soldOut;
  }

  /** @param index among the events of its type in the row, from 0 */
  async of(row: EventRow, type: EventType, index: number): Promise<Shown> {
    // What no answer of an operation shows is in the row.
    const settled = Array.isArray(row.data) ? (row.data as OfCollection[])[index] : undefined;
    switch (type) {
      case "operation.succeeded":
      case "operation.failed":
      case "operation.unknown":
        return row.operationId === null ? this.#unknown(row) : this.#operation(this.#known(row), type);
      case "nft.minted": {
        if (row.operationId === null) return this.#walletMint(row, index);
        const { tokens } = await this.#body<{ tokens: readonly object[] }>(row);
        return this.#token(row, { ...tokens[index], source: "api", ...this.#write(row) });
      }
      case "nft.updated": {
        const body = settled
          ? { token: settled }
          : await this.#body<{ token: object } | { results: readonly UpdateResult[] }>(row);
        const updated = "token" in body ? body.token : this.#updated(row, body.results, index);
        return this.#token(row, { ...updated, ...this.#write(row) });
      }
      case "nft.transferred":
      case "nft.burned": {
        const token = settled ?? (await this.#body<{ tokens: readonly object[] }>(row)).tokens[index];
        return this.#token(row, { ...token, ...this.#write(row) });
      }
      case "collection.locked":
        return this.#collection(row, settled ?? (await this.#body<{ locked: OfCollection }>(row)).locked);
      case "collection.revealed":
        // A reveal that no success of an operation reports has it in the row.
        return this.#collection(
          row,
          (row.data as OfCollection | null) ?? (await this.#body<{ revealed: OfCollection }>(row)).revealed,
        );
      case "collection.updated":
        return this.#collection(row, settled ?? (await this.#body<OfCollection>(row)));
      case "collection.sold_out": {
        const id = row.collectionId ?? this.#known(row).row.subjectId;
        const found = this.#soldOut.get(id);
        return this.#collection(
          row,
          found ? toCollection(found) : await readCollection(this.#context, this.#caller, id),
        );
      }
      case "collection.finalized":
        return this.#collection(row, row.data as OfCollection);
      case "claim.redeemed": {
        const claims = row.data as readonly OfCollection[];
        return collectionAt(claims[index]!);
      }
      case "wallet.low":
      case "wallet.topped_up":
        return { resource: row.data as object, see: `${API}/me` };
      case "key.created":
      case "key.rotated":
        return { resource: row.data as object, see: `${API}/key` };
      case "database.filling":
        return { resource: row.data as object, see: "/ready" };
      case "webhook.disabled": {
        const webhook = row.data as { webhook_uuid: string };
        return { resource: webhook, see: `${API}/webhook/${webhook.webhook_uuid}` };
      }
    }
  }

  #known({ operationId, seq }: EventRow): KnownOperation {
    const known = operationId === null ? undefined : this.#operations.get(operationId);
    if (!known) throw new Error(`the operation of event ${seq} has no row`);
    return known;
  }

  /** An operation of any integration, in an event for the operator. */
  #unknown({ data }: EventRow): Shown {
    const operation = data as { readonly operation_uuid: string };
    return { resource: operation, see: `/admin/v1/operation/${operation.operation_uuid}` };
  }

  /** The write that caused an event; null: a collector's wallet did. */
  #write(row: EventRow): { readonly operation_uuid: Uuid | null; readonly reference: string | null } {
    if (row.operationId === null) return { operation_uuid: null, reference: null };
    const { id, reference } = this.#known(row).row;
    return { operation_uuid: id, reference };
  }

  #collection(row: EventRow, collection: OfCollection): Shown {
    return collectionAt({ ...collection, ...this.#write(row) });
  }

  #token(row: EventRow, resource: object): Shown {
    return { resource, see: `${API}/collection/${this.#known(row).row.subjectId}/token` };
  }

  /** One of many tokens that a write has updated. */
  #updated(row: EventRow, results: readonly UpdateResult[], index: number): object {
    const { token_id } = results.filter(({ status }) => status === "updated")[index]!;
    return { token_id, collection_uuid: this.#known(row).row.subjectId };
  }

  /** A token that was minted without the service, as of the event. */
  #walletMint(row: EventRow, index: number): Shown {
    const token = (row.data as readonly object[])[index];
    const resource = { ...token, source: "wallet", ...this.#write(row) };
    return { resource, see: `${API}/collection/${row.collectionId}/token` };
  }

  /** An operation as of the event: an unknown one may have been settled since. */
  async #operation({ row, results }: KnownOperation, type: EventType): Promise<Shown> {
    const state = type.slice("operation.".length);
    const resource = {
      operation_uuid: row.id,
      kind: row.kind,
      state,
      subject_uuid: row.subjectId,
      reference: row.reference,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
      finished_at: state === "unknown" ? null : (row.finishedAt?.toISOString() ?? null),
      cost: {
        quoted: row.quotedCost,
        at_most: row.mostCost,
        actual: state === "unknown" ? null : row.actualCost,
      },
      transactions: results,
    };
    const see = `${API}/operation/${row.id}`;
    const { answerStatus: status, answerBody } = row;
    if (state === "unknown" || answerBody === null) return { resource: { ...resource, answer: null }, see };
    // Bodies in R2 are larger than any event.
    if (textKey(answerBody) !== null) return { resource: { ...resource, see }, see };
    const stored = JSON.parse(answerBody);
    const body = state === "failed" ? failureBody(stored, row.id) : withResults(stored, results);
    return { resource: { ...resource, answer: { status, body } }, see };
  }

  /** The response of the operation that an event reports. */
  async #body<T>(row: EventRow): Promise<T> {
    const { id, answerBody } = this.#known(row).row;
    if (answerBody === null) throw new Error(`operation ${id} succeeded without a response`);
    if (this.#response?.of !== id) {
      const text = await openText(this.#context.env.BUCKET, answerBody);
      const json = typeof text === "string" ? text : await new Response(text).text();
      this.#response = { of: id, body: JSON.parse(json) as unknown };
    }
    return this.#response.body as T;
  }
}

const collectionAt = (resource: OfCollection): Shown => ({
  resource,
  see: `${API}/collection/${resource.collection_uuid}`,
});

const MOST_ROWS = 50;
/** Rows whose operations are read at once: each response has up to 64 kB. */
const ROWS_AT_ONCE = 20;
/** Most characters of JSON of one read, unless its first event is larger. */
const MOST_CHARACTERS = 1_048_576;

export interface EventsWanted {
  /** The number after which events are read. */
  readonly after: number;
  readonly limit: number;
  readonly types?: readonly EventType[];
  /** Most characters of JSON, unless the first event is larger; absent: those of a page. */
  readonly characters?: number;
}

export interface EventsRead {
  readonly events: readonly Event[];
  readonly last: number;
  /** The number up to which all events were examined. */
  readonly seen: number;
  readonly hasMore: boolean;
}

/** An event before its resource is read, with its row. */
interface EventPosition {
  readonly event: EventRow;
  readonly seq: number;
  /** Among the events of its row, from 0. */
  readonly place: number;
  readonly type: EventType;
  /** Among those of its type in the row, from 0. */
  readonly index: number;
}

/** Reads events of an integration after a number, in order, bounded by bytes as well as by rows. */
export const readEvents = async (
  context: ServiceContext,
  integrationId: Uuid,
  { after, limit, types, characters = MOST_CHARACTERS }: EventsWanted,
): Promise<EventsRead> => {
  // Without a filter, each row has at least one event.
  const most = types === undefined ? Math.min(MOST_ROWS, limit + 1) : MOST_ROWS;
  const near = Math.min(ROWS_AT_ONCE, limit);
  const page = await readEventPage(ledgerOf(context, integrationId), integrationId, {
    after,
    most,
    near,
    types,
  });
  const { rows, last: lastSeq } = page;
  const behind = rows.flatMap(placesOf).filter(({ seq }) => seq > after);
  const wanted = types === undefined ? behind : behind.filter(({ type }) => types.includes(type));
  const events: Event[] = [];
  let room = characters;
  for await (const event of eventsOf(context, integrationId, page, wanted.slice(0, limit))) {
    room -= JSON.stringify(event).length;
    if (room < 0 && events.length > 0) break;
    events.push(event);
  }
  const last = wanted[events.length - 1];
  const isCut = events.length < wanted.length;
  const isFull = rows.length === most;
  // A ledger that was restored has numbers without events, up to the last.
  const examined = isFull ? rows.at(-1)?.seq : Math.max(after, lastSeq);
  const seen = (isCut ? last?.seq : examined) ?? after;
  return { events, last: lastSeq, seen, hasMore: isCut || isFull };
};

/** Yields events one by one: a response in R2 may be large. */
async function* eventsOf(
  context: ServiceContext,
  integrationId: Uuid,
  { operations, soldOut }: EventPageRead,
  places: readonly EventPosition[],
): AsyncGenerator<Event, void, void> {
  const rows = [...new Set(places.map(({ event }) => event))];
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE);
    const read = await operationsOf(context, integrationId, operations, some);
    const data = new EventData(context, integrationId, { operations: read, soldOut });
    for (const place of places.filter(({ event }) => some.includes(event))) yield await toEvent(data, place);
  }
}

const placesOf = (event: EventRow): EventPosition[] => {
  const { runs, soldOut, count, seq } = event;
  const all = runs.flatMap(([type, times]) => Array.from({ length: times }, (_, index) => ({ type, index })));
  if (soldOut) all.push({ type: "collection.sold_out", index: 0 });
  if (all.length !== count) throw new Error(`events up to ${seq} are ${count}, not ${countOf(runs)}`);
  return all.map((each, place) => ({ event, ...each, seq: seq - count + 1 + place, place }));
};

/** Operations of rows: those that were read with the page, and others, which may be archived before their events go. */
const operationsOf = async (
  context: ServiceContext,
  integrationId: Uuid,
  read: ReadonlyMap<Uuid, KnownOperation>,
  rows: readonly EventRow[],
): Promise<Map<Uuid, KnownOperation>> => {
  const found = new Map(read);
  const unread = () => rows.flatMap(({ operationId: id }) => (id === null || found.has(id) ? [] : [id]));
  const later = unread();
  if (later.length > 0)
    for (const [id, one] of await operationsOfEvents(ledgerOf(context, integrationId), later))
      found.set(id, one);
  for (const [id, { row, transactions }] of await findAllArchived(context, integrationId, unread())) {
    found.set(id, { row, results: transactions.map(({ result }) => result) });
  }
  return found;
};

const toEvent = async (data: EventData, { event, type, index, ...place }: EventPosition): Promise<Event> => {
  const { resource, see } = await data.of(event, type, index);
  return {
    seq: place.seq,
    event_uuid: eventUuid(event.id, place.place),
    type,
    timestamp: event.createdAt.toISOString(),
    data: fitting(resource, see) as Event["data"],
  };
};
