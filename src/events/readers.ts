import { SharedReads } from "../chain/shared-reads.ts";
import type { ServiceContext } from "../context.ts";
import { readLastSeq } from "../db/queries/events.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { type MemoryShare, memoryShare } from "../files/isolate-memory.ts";
import { pause } from "../waiting.ts";
import { type EventsRead, type EventsWanted, readEvents } from "./read.ts";

/** Pause between two looks for events. Milliseconds. */
const LOOK_MS = 1_000;

/**
 * The last event of each integration that somebody waits for. A key may have thousands of requests and streams open, for
 * minutes: all of an isolate are told by one look a second whether there is anything to read.
 */
const last = new SharedReads<number>({ ttlMs: LOOK_MS, pendingMs: 5_000, most: 1_000 });

/** How long events are waited for, and when nobody waits any more. */
export interface Patience {
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly isOver?: () => boolean;
}

/**
 * Reads events; where there are none yet, waits for them. What was looked at and left out isn't looked at again.
 * @throws ServiceError conflict, which names the last event, where the one that they are asked for after doesn't exist:
 * the database was rolled back, and lost the event that the reader holds
 */
export const awaitEvents = async (
  context: ServiceContext,
  integrationId: Uuid,
  wanted: EventsWanted,
  { until, isOver = () => false }: Patience,
): Promise<EventsRead> => {
  for (let after = wanted.after; ; ) {
    const read = await readEvents(context, integrationId, { ...wanted, after });
    if (after > read.last) throw isLost(after, read.last);
    if (read.events.length > 0) return read;
    after = read.seen;
    const left = until - context.now().getTime();
    if (left <= 0 || isOver()) return read;
    if (!read.goesOn) await news(context, integrationId, after, { until, isOver });
  }
};

const isLost = (after: number, last: number): ServiceError =>
  new ServiceError(
    "conflict",
    `There is no event ${after}: the last one is ${last}. Read on with after=${last}.`,
  );

/** Waits until there is an event behind a number, or nobody waits any more. */
const news = async (
  context: ServiceContext,
  integrationId: Uuid,
  after: number,
  { until, isOver = () => false }: Patience,
): Promise<void> => {
  for (;;) {
    const left = until - context.now().getTime();
    if (left <= 0 || isOver()) return;
    await pause(Math.min(LOOK_MS, left));
    const look = () => readLastSeq(context.db, integrationId);
    if ((await last.get(context, integrationId, look)) > after) return;
  }
};

/** What a reader counts as while it waits, bytes: the events of one read of a stream. */
const READER_MEMORY = 131_072;

/** How long a client may take nothing of a stream; then it breaks off. Milliseconds. */
export const UNREAD_MS = 30_000;

/** Memory for one who waits for events. @throws ServiceError rate_limited */
export const readerMemory = (context: ServiceContext, integrationId: Uuid): Promise<MemoryShare> =>
  memoryShare(context, {
    bytes: READER_MEMORY,
    owner: integrationId,
    what: "streams of events and requests that wait for events",
  });
