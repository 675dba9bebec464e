import { vi } from "vitest";

/**
 * How long a test waits for something, in milliseconds: less than the test's own limit, so that the failure names it.
 */
export const ENOUGH = 240_000;

const DAY_MS = 24 * 3_600_000;

/** For what counts by days: waits for the next day (UTC) if less than four minutes are left of this one. */
export const inOneDay = async (): Promise<void> => {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < 240_000) await new Promise((resolve) => setTimeout(resolve, left + 1_000));
};

/** Asks until the answer is true. */
export const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** Repeats an assertion until it holds. It may run any number of times. */
export const eventually = (asserts: () => unknown): Promise<void> =>
  vi.waitFor(
    async () => {
      await asserts();
    },
    { timeout: ENOUGH, interval: 20 },
  );

/** Gives nodes, and whatever else has a deadline, so many times as long to answer, until mocks are restored. */
export const extendDeadlines = (times: number): void => {
  const patience = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => patience(times * ms));
};

/** Does something as if it were later by some milliseconds. The clock then stands; timers run as ever. */
export const later = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
  vi.setSystemTime(Date.now() + ms);
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
};
