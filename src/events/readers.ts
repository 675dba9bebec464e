import type { ServiceContext } from "../context.ts";
import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { Waiters } from "../domain/waiters.ts";

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

const readers = new Map<Uuid, Waiters>();

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

const waitersOf = (integrationId: Uuid, now: number): Waiters => {
  const known = readers.get(integrationId);
  if (known !== undefined) return known;
  if (readers.size >= CAPACITY) {
    for (const [id, waiters] of readers) if (waiters.count(now) === 0) readers.delete(id);
  }
  const waiters = new Waiters(LAPSES_AFTER_MS);
  readers.set(integrationId, waiters);
  return waiters;
};

const tooMany = (): ServiceError =>
  new ServiceError(
    "rate_limited",
    `${MOST_READERS} streams of events and requests that wait for events are open. Close some, or wait ${duration(RETRY_AFTER)}.`,
    { retryable: true, retryAfter: RETRY_AFTER },
  );
