/**
 * Named points at which a test may kill the Worker or an object. They stand before and after each await whose loss
 * would matter, so that the fault runner can end the process there (test/faults). In production nobody observes
 * them, and passing one costs a comparison.
 */
type Observer = (name: string) => void;

let observer: Observer | null = null;

/** Passes a point. Throws only where a test's observer does. */
export const checkpoint = (name: string): void => {
  if (observer !== null) observer(name);
};

/** Lets a test watch the points of this isolate; null ends it. */
export const observeCheckpoints = (watch: Observer | null): void => {
  observer = watch;
};
