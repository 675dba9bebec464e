import { vi } from "vitest";

/** How long a test waits for what has to come: less than its own limit, so that it says what didn't. Milliseconds. */
export const ENOUGH = 240_000;

/** Asks until it is so. */
export const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** Asserts until it holds. What asserts is to be tried any number of times. */
export const eventually = (asserts: () => unknown): Promise<void> =>
  vi.waitFor(
    async () => {
      await asserts();
    },
    { timeout: ENOUGH, interval: 20 },
  );
