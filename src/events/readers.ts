import { SharedReads } from "../chain/shared-reads.ts";
import type { ServiceContext } from "../context.ts";
import { readLastSeq } from "../db/queries/events.ts";
import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { WaitCounter } from "../domain/wait-counter.ts";
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

/** Readers of an integration that an isolate lets wait at once: streams, and requests that wait. */
const MOST_READERS = 100;

/** How long a client may take nothing of a stream; then it breaks off. Milliseconds. */
export const UNREAD_MS = 30_000;

/** Readers that are gone are counted until then: a stream that nobody reads is over before. Milliseconds. */
const LAPSES_AFTER_MS = 2 * UNREAD_MS;

/** Seconds after which some of the others are likely to be gone. */
const RETRY_AFTER = 10;

/** Integrations with readers; beyond it those whose readers are gone are forgotten. */
const CAPACITY = 1_000;

const readers = new Map<Uuid, WaitCounter>();

/** Somebody who waits for events. */
export interface EventReader {
  /** It is there yet. */
  stays(): void;
  leaves(): void;
  hasLeft(): boolean;
}

/**
 * Counts a reader, until it leaves or has said nothing for a minute.
 * @throws ServiceError rate_limited if the integration has as many in this isolate as it may
 */
export const eventReader = ({ now }: ServiceContext, integrationId: Uuid): EventReader => {
  const time = () => now().getTime();
  const waiters = waitersOf(integrationId, time());
  if (waiters.count(time()) >= MOST_READERS) throw tooMany();
  const waiter = waiters.join(time());
  let isGone = false;
  return {
    stays: () => {
      if (!isGone) waiters.renew(waiter, time());
    },
    leaves: () => {
      isGone = true;
      waiters.leave(waiter);
    },
    hasLeft: () => isGone,
  };
};

const waitersOf = (integrationId: Uuid, now: number): WaitCounter => {
  const known = readers.get(integrationId);
  if (known !== undefined) return known;
  if (readers.size >= CAPACITY) {
    for (const [id, waiters] of readers) if (waiters.count(now) === 0) readers.delete(id);
  }
  const waiters = new WaitCounter(LAPSES_AFTER_MS);
  readers.set(integrationId, waiters);
  return waiters;
};

const tooMany = (): ServiceError =>
  new ServiceError(
    "rate_limited",
    `${MOST_READERS} streams of events and requests that wait for events are open. Close some, or wait ${duration(RETRY_AFTER)}.`,
    { retryable: true, retryAfter: RETRY_AFTER },
  );
