/**
 * Named points at which a test may kill the Worker or an object (test/faults), before and after each await whose loss would
 * matter. In production nobody observes them, and passing one costs a comparison.
 */
export type CheckpointObserver = (name: string, die: (() => void) | undefined) => void;

let observer: CheckpointObserver | null = null;

/** Passes a point. Throws only where a test's observer does. @param die ends the object that passes; absent in the Worker */
export const checkpoint = (name: string, die?: () => void): void => {
  if (observer !== null) observer(name, die);
};

/** Lets a test watch the points of this isolate; null ends it. */
export const observeCheckpoints = (watch: CheckpointObserver | null): void => {
  observer = watch;
};
