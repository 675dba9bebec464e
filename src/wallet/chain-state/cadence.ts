/**
 * Predicts when a block height becomes final, so that it is polled then instead of continuously. Pure functions over
 * the blocks' timestamps and the times they were seen to be final.
 */

/** State of the prediction. Times are milliseconds since the epoch. */
export interface Cadence {
  /** The highest final block seen, and its timestamp by the chain's clock. */
  readonly height: number;
  readonly time: number;
  /** Smoothed time between blocks, milliseconds. */
  readonly interval: number;
  /**
   * Time from a block's timestamp until a request sent then sees it as final, independent of clock differences and
   * including the request's travel time. Milliseconds.
   */
  readonly delay: number;
  /** When the last request was sent that saw no higher final block. */
  readonly askedAt: number;
}

/** The parts of a block that the prediction uses. */
interface BlockTime {
  readonly height: number;
  readonly time: number;
}

const USUAL_INTERVAL_MS = 600;
const SHORTEST_INTERVAL_MS = 20;
/** A gap this many times the usual interval is a halt of the chain and is ignored. */
const STANDSTILL = 4;
/** Weight of a new observation in the smoothed interval. */
const NEWS_SHARE = 0.3;

/** When a request was sent and its response arrived, milliseconds since the epoch. */
export interface Poll {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/**
 * Initial prediction from the last final block and the head. The head made the other block final; its timestamp is
 * trusted unless the clocks clearly differ. A request is assumed to take half of its round trip to arrive.
 * @param asked the request for the final block
 * @param now when the head was seen
 */
export const firstCadence = (
  final: BlockTime,
  head: BlockTime,
  { sentAt, answeredAt }: Poll,
  now: number,
): Cadence => {
  const blocks = head.height - final.height;
  const interval =
    blocks > 0 ? Math.max((head.time - final.time) / blocks, SHORTEST_INTERVAL_MS) : USUAL_INTERVAL_MS;
  const age = now - head.time;
  const isByClock = blocks > 0 && age >= 0 && age < 2 * interval;
  const delay = isByClock ? head.time - final.time - (answeredAt - sentAt) / 2 : sentAt - final.time;
  return { ...final, interval, delay, askedAt: sentAt };
};

/**
 * Updates the prediction with a new final block. A new height wasn't final for the previous request but is for this
 * one, so the delay lies between the two. A response that took longer than a block interval may come from a second
 * endpoint.
 */
export const observeBlock = (known: Cadence, block: BlockTime, { sentAt, answeredAt }: Poll): Cadence => {
  if (block.height <= known.height) return { ...known, askedAt: sentAt };
  const shownAt = Math.max(sentAt, answeredAt - known.interval);
  const each = (block.time - known.time) / (block.height - known.height);
  const isUsual = each > 0 && each < STANDSTILL * known.interval;
  const steady = isUsual ? (1 - NEWS_SHARE) * known.interval + NEWS_SHARE * each : known.interval;
  return {
    height: block.height,
    time: block.time,
    interval: Math.max(steady, SHORTEST_INTERVAL_MS),
    delay: Math.min(Math.max(known.delay, known.askedAt - block.time), shownAt - block.time),
    askedAt: sentAt,
  };
};

/** When a height is expected to become final. */
export const finalAt = ({ height, time, interval, delay }: Cadence, wanted: number): number =>
  time + delay + (wanted - height) * interval;

/** Tolerated slowdown of blocks, as a share of the interval. */
const SLOWER_SHARE = 0.1;

/**
 * The final height reached by now even if blocks slow down a little. Polling a block early costs one request; polling a
 * block late costs the caller one interval.
 */
export const heightBy = (cadence: Cadence, now: number): number => {
  const since = now - finalAt(cadence, cadence.height);
  return cadence.height + Math.max(Math.floor(since / (cadence.interval * (1 + SLOWER_SHARE))), 0);
};

/** How early the next final block is polled, and the pause between polls: shares of the interval. */
const EARLY_SHARE = 0.03;
const AGAIN_SHARE = 0.05;
/** Polls get rarer the longer a block is overdue: a share of its delay, and the longest pause. */
const LATE_SHARE = 0.125;
const LONGEST_WATCH_MS = 5_000;

/**
 * When to poll the final block, so that `wanted` is seen soon after it becomes final. Polls get rarer while the chain
 * is halted. Milliseconds since the epoch.
 */
export const nextHeightAt = (cadence: Cadence, wanted: number, now: number): number => {
  const expected = finalAt(cadence, Math.max(wanted, cadence.height + 1)) - EARLY_SHARE * cadence.interval;
  const again = Math.max(AGAIN_SHARE * cadence.interval, LATE_SHARE * (now - expected));
  return Math.max(expected, now + Math.min(again, LONGEST_WATCH_MS));
};

/** Accuracy of timers and clocks. Milliseconds. */
const CLOCK_MS = 2;

/** The final height that should be polled by now, consistent with `nextHeightAt`. */
export const heightAsked = (cadence: Cadence, now: number): number => {
  const since = now + CLOCK_MS - finalAt(cadence, cadence.height);
  return cadence.height + Math.max(Math.floor(since / cadence.interval + EARLY_SHARE), 0);
};

/**
 * Blocks from sending bytes until their outcome can be final, counted from the final height at that time: two to the
 * head, one to include the transaction, one to execute it, one for its gas refund.
 */
export const BLOCKS_TO_FINALITY = 5;
