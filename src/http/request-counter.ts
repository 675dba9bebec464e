import type { Bindings } from "../env.ts";

/** What an isolate asks of a key's counter. */
export interface Ask {
  /** Requests that the key may make in a period. */
  readonly limit: number;
  /** Requests that wait to be allowed. */
  readonly wanted: number;
  /** The grant that this isolate had before, which ends with this call. */
  readonly ended?: Ended;
}

/** A grant that is over. */
export interface Ended {
  readonly id: number;
  /** Requests of it that were not made. */
  readonly unused: number;
}

/** Requests that an isolate may let pass without asking again. */
export interface Grant {
  readonly id: number;
  /** May be more than was wanted, and less where the limit is reached. */
  readonly count: number;
  /** Milliseconds from now until what is left of it has to be given back. */
  readonly lastsMs: number;
  /** Requests that the key has left beyond this grant. */
  readonly remaining: number;
  /** Milliseconds until the key may make more. */
  readonly freeAfterMs: number;
}

/** Methods of a key's counter. */
export interface Counter {
  /** Allows as many requests as the limit leaves, at most a few more than wanted. */
  take(ask: Ask): Promise<Grant>;
  /** Gives back what is left of a grant. */
  end(ended: Ended): Promise<void>;
}

/** The counter of a key, or of what else has a name that is counted. An exception spoils a stub, so that each call takes a new one. */
export const counterOf = (env: Bindings, key: string): Counter => {
  const stub = () => env.REQUEST_COUNTER.getByName(key) as unknown as Counter;
  return { take: (ask) => stub().take(ask), end: (ended) => stub().end(ended) };
};
