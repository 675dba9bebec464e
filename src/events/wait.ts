import type { ServiceContext } from "../context.ts";
import type { Uuid } from "../domain/ids.ts";
import { pause } from "../waiting.ts";
import { type EventsRead, type EventsWanted, readEvents } from "./read.ts";

/** Pause between two looks for events. Milliseconds. */
const LOOK_MS = 1_000;

/** How long events are waited for, and when nobody waits any more. */
export interface Patience {
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly isOver?: () => boolean;
}

/** Reads events; where there are none yet, waits for them. What was looked at and left out isn't looked at again. */
export const awaitEvents = async (
  context: ServiceContext,
  integrationId: Uuid,
  wanted: EventsWanted,
  { until, isOver = () => false }: Patience,
): Promise<EventsRead> => {
  for (let after = wanted.after; ; ) {
    const read = await readEvents(context, integrationId, { ...wanted, after });
    if (read.events.length > 0) return read;
    after = read.seen;
    const left = until - context.now().getTime();
    if (left <= 0 || isOver()) return read;
    if (!read.goesOn) await pause(Math.min(LOOK_MS, left));
  }
};
