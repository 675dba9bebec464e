import type { ServiceContext } from "../context.ts";
import type { EventType } from "../domain/events.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Event } from "../resources/event.ts";
import { awaitEvents } from "./wait.ts";

/** Events of one read. */
const AT_ONCE = 100;

/** A comment is sent this often while nothing happens, so that nobody between takes the connection for dead. */
const QUIET_MS = 15_000;

/**
 * A stream ends after this time, and its reader opens the next where it was, as server-sent events are read: a key that
 * was revoked reads no longer than this. Milliseconds.
 */
const LASTS_MS = 5 * 60_000;

/** Pause before a reader opens the next stream, milliseconds, as it is told. */
const RETRY_MS = 1_000;

/**
 * Events behind a number as they happen, as server-sent events
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 */
export const streamEvents = (
  context: ServiceContext,
  integrationId: Uuid,
  { after, types }: { readonly after: number; readonly types?: readonly EventType[] },
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  const end = context.now().getTime() + LASTS_MS;
  let place = after;
  let isLeft = false;
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`)),
    async pull(controller) {
      try {
        const now = context.now().getTime();
        if (now >= end) return controller.close();
        const wanted = { after: place, limit: AT_ONCE, types };
        const patience = { until: Math.min(now + QUIET_MS, end), isOver: () => isLeft };
        const { events, seen } = await awaitEvents(context, integrationId, wanted, patience);
        place = seen;
        if (!isLeft)
          controller.enqueue(encoder.encode(events.length > 0 ? events.map(written).join("") : ":\n\n"));
      } catch (error) {
        // The status is already sent; the reader begins again behind what it has.
        context.log("events.cut", { error });
        controller.error(error);
      }
    },
    cancel: () => {
      isLeft = true;
    },
  });
};

/** JSON has no line breaks outside its strings, which escape theirs. */
const written = (event: Event): string =>
  `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
