import type { ServiceContext } from "../context.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Event } from "../resources/event.ts";
import type { EventsRead, EventsWanted } from "./read.ts";
import type { EventReader } from "./readers.ts";
import { awaitEvents } from "./wait.ts";

/** Events of one read, and the characters of JSON behind which it ends: a hundred streams may be open in an isolate. */
const AT_ONCE = { limit: 20, characters: 65_536 };

/** A comment is sent this often while nothing happens, so that nobody between takes the connection for dead. */
const QUIET_MS = 15_000;

/**
 * A stream ends after this time, and its reader opens the next where it was, as server-sent events are read: a key that
 * was revoked reads no longer than this. Milliseconds.
 */
const LASTS_MS = 5 * 60_000;

/** Pause before a reader opens the next stream, milliseconds, as it is told. */
const RETRY_MS = 1_000;

/** Which events a stream has. */
export type Streamed = Pick<EventsWanted, "after" | "types">;

/** The first events of a stream, if there are any yet: what fails here can still answer an error. @throws as `awaitEvents` */
export const beginStream = (
  context: ServiceContext,
  integrationId: Uuid,
  streamed: Streamed,
): Promise<EventsRead> => awaitEvents(context, integrationId, { ...streamed, ...AT_ONCE }, { until: 0 });

/**
 * Events behind those that it began with, as they happen, and these before, as server-sent events
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 */
export async function* streamEvents(
  context: ServiceContext,
  integrationId: Uuid,
  { types, begun }: Pick<Streamed, "types"> & { readonly begun: EventsRead },
  reader: EventReader,
): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  const end = context.now().getTime() + LASTS_MS;
  yield encoder.encode(`retry: ${RETRY_MS}\n\n${begun.events.map(written).join("")}`);
  try {
    for (let place = begun.seen; context.now().getTime() < end; ) {
      const wanted = { after: place, types, ...AT_ONCE };
      const until = Math.min(context.now().getTime() + QUIET_MS, end);
      const { events, seen } = await awaitEvents(context, integrationId, wanted, {
        until,
        isOver: reader.hasLeft,
      });
      place = seen;
      yield encoder.encode(events.length > 0 ? events.map(written).join("") : ":\n\n");
    }
  } catch (error) {
    // The status is already sent; the reader begins again behind what it has.
    context.log("events.cut", { error });
    throw error;
  }
}

/** JSON has no line breaks outside its strings, which escape theirs. */
const written = (event: Event): string =>
  `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
