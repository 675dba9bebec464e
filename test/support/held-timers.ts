import { vi } from "vitest";

/**
 * What waits for exactly so many milliseconds from now on, as functions that have it go on: it doesn't by itself.
 * `vi.restoreAllMocks` ends that.
 */
export const heldTimers = (milliseconds: number): (() => void)[] => {
  const set = globalThis.setTimeout;
  const timers: (() => void)[] = [];
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, after: number) => {
    if (after !== milliseconds) return set(run, after);
    timers.push(run);
    return set(() => undefined, 0);
  }) as typeof setTimeout);
  return timers;
};
