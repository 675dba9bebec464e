/**
 * The clock of a fault run. It runs faster than the machine's, for the chain and the Worker alike, so that minutes that
 * the service waits pass in seconds and blocks of 100 ms stand for blocks of 600; and it can jump ahead.
 */
export interface Clock {
  /** The machine's time at which both were the same, milliseconds since 1970. */
  readonly from: number;
  /** Milliseconds of this clock in one of the machine's. */
  readonly rate: number;
  /** Milliseconds by which it has jumped ahead. */
  readonly ahead: number;
}

/** What the clock shows when the machine's shows `real`. */
export const timeOf = ({ from, rate, ahead }: Clock, real: number): number =>
  Math.floor(from + (real - from) * rate + ahead);

/** Lets everything in this isolate go by the clock: Date, timers and time limits. */
export const goBy = (clock: Clock): void => {
  const RealDate = Date;
  const now = () => timeOf(clock, RealDate.now());
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, self) =>
      Reflect.construct(target, values.length > 0 ? values : [now()], self),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
  const realTimeout = globalThis.setTimeout;
  const faster = (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
    realTimeout(run, ms / clock.rate, ...values);
  globalThis.setTimeout = faster as typeof setTimeout;
  const limit = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => limit(Math.ceil(ms / clock.rate));
};
