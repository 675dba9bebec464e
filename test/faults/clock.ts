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

/** What of an object's storage has to do with its alarm. */
type AlarmStorage = Pick<DurableObjectStorage, "getAlarm" | "setAlarm">;

/**
 * Lets an object's alarm go by the clock, when it is set and when it is asked about: an object that was shown the
 * machine's time would take an alarm that is hours off for one that rings soon.
 * @param realNow the machine's clock
 */
export const alarmBy = (clock: Clock, storage: AlarmStorage, realNow: () => number): void => {
  const set = storage.setAlarm.bind(storage);
  const get = storage.getAlarm.bind(storage);
  storage.setAlarm = (at, options) => {
    const wait = (Number(at) - timeOf(clock, realNow())) / clock.rate;
    return set(realNow() + Math.max(0, wait), options);
  };
  storage.getAlarm = async (options) => {
    const at = await get(options);
    return at === null ? null : timeOf(clock, at);
  };
};
