/** How large the database was at a moment: milliseconds since the epoch, and bytes. */
export type SizeSample = readonly [at: number, bytes: number];

const HOUR_MS = 3_600_000;
/** Between two samples, and how many are kept: those of a month. */
const EVERY_MS = 6 * HOUR_MS;
const MOST_SAMPLES = 120;
/** Growth over a shorter time gives no forecast. Milliseconds. */
const LEAST_MS = 24 * HOUR_MS;

/** The samples with one more, if the last is old enough, and without the oldest where they are too many. */
export const withSample = (
  samples: readonly SizeSample[],
  [at, bytes]: SizeSample,
): readonly SizeSample[] => {
  const last = samples.at(-1);
  if (last && at - last[0] < EVERY_MS) return samples;
  return [...samples, [at, bytes] as const].slice(-MOST_SAMPLES);
};

/**
 * When the database will be full at the growth rate since the oldest sample, milliseconds since the epoch; null: it doesn't
 * grow, or was watched for less than a day.
 */
export const fullAt = (samples: readonly SizeSample[], now: SizeSample, limit: number): number | null => {
  const [first] = samples;
  if (!first || now[0] - first[0] < LEAST_MS) return null;
  const [time, grown] = [now[0] - first[0], now[1] - first[1]];
  if (grown <= 0) return null;
  return now[0] + Math.max(limit - now[1], 0) * (time / grown);
};
