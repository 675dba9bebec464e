/**
 * The rhythm of blocks, as pure functions: when a height becomes final, so that it is asked for then and not all the
 * time. What is known comes from the blocks' own timestamps and from when they were seen to be final.
 */

/** What is known of the rhythm. Times are milliseconds since the epoch. */
export interface Cadence {
  /** The highest final block seen, and its timestamp by the chain's clock. */
  readonly height: number;
  readonly time: number;
  /** Smoothed time between blocks, milliseconds. */
  readonly interval: number;
  /**
   * From a block's timestamp until a question that is sent then is answered with it as final, whatever the clocks differ
   * by: the way of the question is in it, so that none waits for what it has yet to travel. Milliseconds.
   */
  readonly delay: number;
  /** When the last question was sent; nothing higher was final for it. */
  readonly askedAt: number;
}

/** A block by what the rhythm needs of it. */
interface Beat {
  readonly height: number;
  readonly time: number;
}

const USUAL_INTERVAL_MS = 600;
const SHORTEST_INTERVAL_MS = 20;
/** A pause this many times as long as usual is a chain that stood still, and says nothing of its rhythm. */
const STANDSTILL = 4;
/** Share of a new observation in the smoothed interval. */
const NEWS_SHARE = 0.3;

/** When a question was sent and answered, milliseconds since the epoch. */
export interface Asked {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/**
 * The rhythm as the last final block and the head tell it. The head is what made the other one final, and is taken to
 * have come as its timestamp says unless the clocks plainly differ. A question takes half of its time to get there.
 * @param asked about the final block @param now when the head was seen
 */
export const firstCadence = (
  final: Beat,
  head: Beat,
  { sentAt, answeredAt }: Asked,
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
 * The rhythm after the last final block was asked for. A height that is new was not final for the question before, and is
 * for this one: the delay is moved between these two. An answer that took longer than a block's time may be another
 * endpoint's than the one that was asked first.
 */
export const observeBlock = (known: Cadence, block: Beat, { sentAt, answeredAt }: Asked): Cadence => {
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

/** When a height is likely to become final. */
export const finalAt = ({ height, time, interval, delay }: Cadence, wanted: number): number =>
  time + delay + (wanted - height) * interval;

/** By how much blocks may come slower than they seemed to, as a share of their time. */
const SLOWER_SHARE = 0.1;

/**
 * The final height that is reached by now even if blocks come a little slower than they did. To ask one block early
 * costs a question, to ask one block late costs the caller a block's time.
 */
export const heightBy = (cadence: Cadence, now: number): number => {
  const since = now - finalAt(cadence, cadence.height);
  return cadence.height + Math.max(Math.floor(since / (cadence.interval * (1 + SLOWER_SHARE))), 0);
};

/** How early, and how often after that, the next final block is asked for: shares of a block's time. */
const EARLY_SHARE = 0.03;
const AGAIN_SHARE = 0.05;
/** The longer a block is overdue, the rarer it is asked for: a share of its delay, and the longest pause. */
const LATE_SHARE = 0.125;
const LONGEST_WATCH_MS = 5_000;

/**
 * When to ask for the last final block, so that `wanted` is noticed soon after it becomes final and nobody asks in
 * between. A chain that stands still is asked ever more rarely. Milliseconds since the epoch.
 */
export const nextHeightAt = (cadence: Cadence, wanted: number, now: number): number => {
  const expected = finalAt(cadence, Math.max(wanted, cadence.height + 1)) - EARLY_SHARE * cadence.interval;
  const again = Math.max(AGAIN_SHARE * cadence.interval, LATE_SHARE * (now - expected));
  return Math.max(expected, now + Math.min(again, LONGEST_WATCH_MS));
};

/** Timers and clocks are true to so much. Milliseconds. */
const CLOCK_MS = 2;

/** The final height that is asked for by now, as `nextHeightAt` has it. */
export const heightAsked = (cadence: Cadence, now: number): number => {
  const since = now + CLOCK_MS - finalAt(cadence, cadence.height);
  return cadence.height + Math.max(Math.floor(since / cadence.interval + EARLY_SHARE), 0);
};

/**
 * From handing bytes to a node until their outcome can be final, in blocks over the final height of that moment: two
 * to the head, one that includes the transaction, one that executes it, one for the refund of its gas.
 */
export const BLOCKS_TO_FINALITY = 5;
