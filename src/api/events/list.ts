import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { SharedReads } from "../../chain/shared-reads.ts";
import type { ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { readLastSeq } from "../../db/queries/events.ts";
import { ServiceError } from "../../domain/errors.ts";
import { EVENT_TYPES } from "../../domain/events.ts";
import type { Uuid } from "../../domain/ids.ts";
import { type EventsRead, type EventsWanted, readEvents } from "../../events/read.ts";
import { type MemoryShare, memoryShare } from "../../files/isolate-memory.ts";
import { prefers } from "../../http/acceptance.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { typedResponse } from "../../http/app-env.ts";
import { streamOf } from "../../http/generated-stream.ts";
import { JSON_LIST, listResponse } from "../../http/list-response.ts";
import { pause } from "../../waiting.ts";
import { endpoint, json } from "../endpoint.ts";
import { type Event, eventView } from "../resources/event.ts";
import { wholeNumber } from "../schemas/fields.ts";
import { LINK, pageQuery } from "../schemas/parameters.ts";

const EVENT_STREAM = "text/event-stream";

/** Interval of polls for events. Milliseconds. */
const LOOK_MS = 1_000;

/** The last event of each integration with waiting readers: all of an isolate share one poll a second. */
const last = new SharedReads<number>({ ttlMs: LOOK_MS, pendingMs: 5_000, most: 1_000 });

interface Patience {
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly isOver?: () => boolean;
}

/** Reads events, or waits. @throws ServiceError conflict without an event `after`: its ledger was lost */
const awaitEvents = async (
  context: ServiceContext,
  integrationId: Uuid,
  wanted: EventsWanted,
  { until, isOver = () => false }: Patience,
): Promise<EventsRead> => {
  for (let after = wanted.after; ; ) {
    const read = await readEvents(context, integrationId, { ...wanted, after });
    if (after > read.last) throw lostEvent(after, read.last);
    if (read.events.length > 0) return read;
    after = read.seen;
    for (let isNew = read.hasMore; !isNew; ) {
      const left = until - context.now().getTime();
      if (left <= 0 || isOver()) return read;
      await pause(Math.min(LOOK_MS, left));
      const look = () => readLastSeq(ledgerOf(context, integrationId));
      isNew = (await last.get(context, integrationId, look)) > after;
    }
    if (until <= context.now().getTime() || isOver()) return read;
  }
};

const lostEvent = (after: number, last: number): ServiceError =>
  new ServiceError(
    "conflict",
    `There is no event ${after}: the last one is ${last}. Continue with after=${last}.`,
  );

/** Memory that is reserved for a waiting reader: the events of one read of a stream. Bytes. */
const READER_MEMORY = 131_072;

/** A stream ends if its client reads nothing for this long. Milliseconds. */
const UNREAD_MS = 30_000;

/** Reserves memory for a waiting reader. @throws ServiceError rate_limited */
const readerMemory = (context: ServiceContext, integrationId: Uuid): Promise<MemoryShare> =>
  memoryShare(context, {
    bytes: READER_MEMORY,
    owner: integrationId,
    what: "streams of events and requests that wait for events",
  });

/** Most events of one read, and the characters of JSON after which it ends: a hundred streams may be open in an isolate. */
const AT_ONCE = { limit: 20, characters: 65_536 };

/** Interval of comments while nothing happens, so that no proxy closes the connection. */
const QUIET_MS = 15_000;

/** A stream ends after this time: a revoked key reads no longer. Milliseconds. */
const LASTS_MS = 5 * 60_000;

/** Pause before a reader opens the next stream, sent as `retry`. Milliseconds. */
const RETRY_MS = 1_000;

/** Server-sent events, those it began with first (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
async function* streamEvents(
  context: ServiceContext,
  integrationId: Uuid,
  { types, begun }: Pick<EventsWanted, "types"> & { readonly begun: EventsRead },
  isOver: () => boolean,
): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  const end = context.now().getTime() + LASTS_MS;
  yield encoder.encode(`retry: ${RETRY_MS}\n\n${begun.events.map(written).join("")}`);
  try {
    for (let place = begun.seen; context.now().getTime() < end; ) {
      const wanted = { after: place, types, ...AT_ONCE };
      const until = Math.min(context.now().getTime() + QUIET_MS, end);
      const { events, seen } = await awaitEvents(context, integrationId, wanted, { until, isOver });
      place = seen;
      yield encoder.encode(events.length > 0 ? events.map(written).join("") : ":\n\n");
    }
  } catch (error) {
    // The status is already sent; the reader continues after its last event.
    context.log("events.cut", { error });
    throw error;
  }
}

/** JSON has no line breaks outside its strings, which escape theirs. */
const written = (event: Event): string =>
  `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** The longest that a request waits for an event, seconds. */
const MOST_WAIT_S = 25;
const SEQ = /^(0|[1-9]\d{0,14})$/;
const SEQ_MESSAGE = "Give the seq of an event, or 0.";

const query = z.strictObject({
  after: wholeNumber(SEQ, SEQ_MESSAGE, {
    minimum: 0,
    description: "Lists events with a higher seq; default: 0.",
  }).optional(),
  type: z
    .enum(EVENT_TYPES, `Give one of ${EVENT_TYPES.join(", ")}.`)
    .optional()
    .openapi({ description: "Only events of this type." }),
  limit: pageQuery.shape.limit,
  wait: wholeNumber(/^(\d|1\d|2[0-5])$/, `Give whole seconds from 0 to ${MOST_WAIT_S}.`, {
    minimum: 0,
    maximum: MOST_WAIT_S,
    description: "Seconds to wait for an event if there is none yet.",
  }).optional(),
});

const LIST = { ...JSON_LIST, cursorName: "after" };

/** The cursor of an interrupted stream. @throws ServiceError invalid_request */
const lastEventId = (c: Context<AppEnv>): number | undefined => {
  const header = c.req.header("Last-Event-ID");
  if (header === undefined || header === "") return undefined;
  if (SEQ.test(header)) return Number(header);
  const issues = [{ path: ["Last-Event-ID"], message: SEQ_MESSAGE }];
  throw new ServiceError("invalid_request", `Correct the header Last-Event-ID: ${SEQ_MESSAGE}`, { issues });
};

const answer = json("The events.", z.array(eventView), LINK);

export const eventsList = endpoint(
  {
    method: "get",
    path: "/event",
    operationId: "listEvents",
    scope: "read",
    tag: "Events",
    summary: "List events, oldest first, wait for them, or stream them",
    description:
      "Events are numbered without gaps and kept for 90 days. Store the last `seq` that you handled, and ask for " +
      "those after it. With `type` a page may be short or empty and still have a next one: follow `Link`, because " +
      "the same `after` would give the same empty page again. With `Accept: text/event-stream` the answer is " +
      "server-sent events, with the seq as id. Such a stream ends after five minutes; continue it by `Last-Event-ID`, " +
      "as EventSource does by itself. After the loss of a wallet object, numbers continue after a gap. A seq " +
      "that doesn't exist gets 409, which names the last one. Too many readers at once get 429.",
    request: { query },
    success: {
      200: { ...answer, content: { ...answer.content, [EVENT_STREAM]: { schema: z.string() } } },
    },
    errors: ["conflict"],
  },
  async ({ context, caller: { integrationId }, query: { after: asked, type, limit, wait = 0 } }, c) => {
    const types = type && [type];
    if (prefers(EVENT_STREAM, c.req.header("Accept"))) {
      const after = lastEventId(c) ?? asked ?? 0;
      // What fails in the first read can still answer an error.
      const begun = await awaitEvents(context, integrationId, { after, types, ...AT_ONCE }, { until: 0 });
      const headers = { "Content-Type": EVENT_STREAM, "Cache-Control": "no-store" };
      if (c.req.method === "HEAD") return typedResponse<readonly Event[], 200>(c.body(null, 200, headers));
      const { moved, ended: giveBack } = await readerMemory(context, integrationId);
      let isOver = false;
      const ended = () => {
        isOver = true;
        giveBack();
      };
      const pieces = streamEvents(context, integrationId, { types, begun }, () => isOver);
      const guard = { patienceMs: UNREAD_MS, moved, ended };
      return typedResponse<readonly Event[], 200>(c.body(streamOf(pieces, guard), 200, headers));
    }
    const until = context.now().getTime() + wait * 1_000;
    const cursor = asked === undefined ? undefined : String(asked);
    const read = async (place: string | null, size: number) => {
      const wanted = { after: Number(place ?? 0), limit: size, types };
      // Only the first page is waited for: later ones exist already, or don't.
      const waits = wait > 0 && place === (cursor ?? null);
      const memory = waits ? await readerMemory(context, integrationId) : null;
      try {
        const patience = { until: waits ? until : 0 };
        const { events, seen, hasMore } = await awaitEvents(context, integrationId, wanted, patience);
        return { items: events, next: hasMore ? String(seen) : null };
      } finally {
        memory?.ended();
      }
    };
    return listResponse<Event>(c, { limit, cursor }, read, LIST);
  },
);
