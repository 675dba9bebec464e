import { ApiError } from "./errors.ts";
import type { Event } from "./schema.ts";
import { nextPage, pause, type Transport } from "./transport.ts";

/** Which events are read. */
export interface EventsWanted {
  /** The `seq` behind which they are; absent: from the oldest that the service keeps. */
  readonly after?: number;
  /** Only events of this type. */
  readonly type?: Event["type"];
  readonly signal?: AbortSignal;
}

const PATH = "/api/v1/event";
/** Seconds that one request waits for an event; the service's longest. */
const WAIT_S = 25;
const PAGE = 1000;

/** Pauses after a failure, milliseconds: each is twice the one before. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/**
 * Events in their order, for as long as they are read: those that are there, then each as it comes. Disconnects, 429 and
 * a service that is down for a while are survived; nothing is left out and nothing comes twice. Keep the `seq` of the
 * last event that you handled, and begin behind it the next time.
 * @throws ApiError where asking again doesn't help, such as 401, or 409 where the service has lost what `after` names
 */
export async function* streamEvents(
  transport: Transport,
  { after = 0, type, signal }: EventsWanted = {},
): AsyncGenerator<Event, void, undefined> {
  let place = after;
  for (let failures = 0; ; ) {
    const only = type === undefined ? "" : `&type=${type}`;
    const path = `${PATH}?after=${place}&limit=${PAGE}&wait=${WAIT_S}${only}`;
    let response: Response;
    let events: Event[];
    try {
      response = await transport.send({ method: "GET", path, signal });
      events = (await response.json()) as Event[];
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
      await pause(Math.min(FIRST_PAUSE * 2 ** failures++, LONGEST_PAUSE), signal);
      continue;
    }
    failures = 0;
    for (const event of events) {
      yield event;
      place = event.seq;
    }
    place = Math.max(place, lookedAtUpTo(response.headers));
  }
}

/** The `seq` behind which an answer says that there may be more: events of other types up to it need no second look. */
function lookedAtUpTo(headers: Headers): number {
  const next = nextPage(headers);
  return next === null ? 0 : Number(new URL(next, "http://relative.invalid").searchParams.get("after") ?? 0);
}
