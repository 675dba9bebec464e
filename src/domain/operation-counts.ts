const DAY_MS = 24 * 3_600_000;

/** Days that have counters of their own; older ones are added up. */
export const DAYS_KEPT = 14;

/** The day (UTC) of a moment, counted from the Unix epoch. */
export const dayOf = (moment: Date): number => Math.floor(moment.getTime() / DAY_MS);

export const startOfDay = (day: number): Date => new Date(day * DAY_MS);

/** Upper bounds, inclusive, of the times of operations, dense about the time to finality and a request's wait (25). Seconds. */
export const DURATION_BOUNDS: readonly number[] = [
  ...[0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 25, 60, 300, 3_600],
  Number.POSITIVE_INFINITY,
];

/** The index of the first bound that a time is within. @param milliseconds less than 0 (clocks differ) counts as 0 */
export const bucketOf = (milliseconds: number): number =>
  DURATION_BOUNDS.findIndex((bound) => milliseconds <= bound * 1_000);

/** How many operations are in each bucket, by its index; a bucket may occur several times. */
export type Histogram = readonly { readonly bucket: number; readonly count: number }[];

/**
 * The time within which a share of operations ended, interpolated, to a tenth of a second; at most 3,600, the last bound.
 * @param share above 0 and at most 1: 0.95 for p95 @returns seconds; null: there are no operations
 */
export const percentile = (histogram: Histogram, share: number): number | null => {
  const counts = DURATION_BOUNDS.map(() => 0);
  for (const { bucket, count } of histogram) counts[bucket] = (counts[bucket] ?? 0) + count;
  const rank = share * counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const [from, to] = [DURATION_BOUNDS[bucket - 1] ?? 0, DURATION_BOUNDS[bucket] ?? 0];
      const seconds = Number.isFinite(to) ? from + ((rank - below) / count) * (to - from) : from;
      return Math.round(seconds * 10) / 10;
    }
    below += count;
  }
  return null;
};
