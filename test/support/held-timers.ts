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

/**
 * Has every wait of exactly so many milliseconds last a minute from now on: a busy machine doesn't always work within such a
 * deadline. `vi.restoreAllMocks` ends that.
 */
export const lateTimers = (milliseconds: number): void => {
  const set = globalThis.setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, after: number) =>
    set(run, after === milliseconds ? 60_000 : after)) as typeof setTimeout);
};
