import type { ServiceContext } from "../context.ts";
import { setBounded } from "../domain/bounded-map.ts";
import { counted, duration } from "../domain/counted.ts";
import { rateLimited, type ServiceError } from "../domain/errors.ts";
import { REQUEST_PERIOD_S } from "../domain/quota.ts";
import { pause, within } from "../waiting.ts";
import { counterOf, type Ended } from "./request-counter.ts";

/** A key, or a name that no uuid is, whose requests are counted. */
interface CountedKey {
  readonly id: string;
  /** Requests that it may make in `REQUEST_PERIOD_S`. */
  readonly requests: number;
}

interface Verdict {
  readonly allowed: boolean;
  readonly limit: number;
  /** Null if its counter could not be reached. */
  readonly remaining: number | null;
  /** Milliseconds until the key may make more. */
  readonly freeAfterMs: number;
}

/** How long a request waits for another request's call before it calls the counter itself. Milliseconds. */
const PATIENCE_MS = 2_000;
/** How long a request waits for its counter, and then passes uncounted. Milliseconds. */
const MOST_WAIT_MS = 6_000;
/** How long requests pass uncounted after the counter has failed, and after it hasn't answered. Milliseconds. */
const UNCOUNTED_MS = 1_000;
const UNANSWERED_MS = REQUEST_PERIOD_S * 1_000;
/** How soon a call of a node that waits for its key is counted again, at the earliest. Milliseconds. */
const LOOK_EVERY_MS = 100;
/** Keys that an isolate keeps grants of; beyond it the oldest goes. */
const CAPACITY = 10_000;

interface Waiter {
  until: number;
}

/**
 * Counts waiting requests. The platform ends a request whose client has disconnected without running any more code, so
 * a waiter that isn't renewed lapses. Times are milliseconds.
 */
export class WaitCounter {
  readonly #lapsesAfterMs: number;
  readonly #waiting = new Set<Waiter>();

  constructor(lapsesAfterMs: number) {
    this.#lapsesAfterMs = lapsesAfterMs;
  }

  join(now: number): Waiter {
    const waiter = { until: now + this.#lapsesAfterMs };
    this.#waiting.add(waiter);
    return waiter;
  }

  /** It still waits, also where it had lapsed. */
  renew(waiter: Waiter, now: number): void {
    waiter.until = now + this.#lapsesAfterMs;
    this.#waiting.add(waiter);
  }

  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  count(now: number): number {
    for (const waiter of this.#waiting) if (waiter.until <= now) this.#waiting.delete(waiter);
    return this.#waiting.size;
  }
}

/** The requests of a key that this isolate may let pass, and its counter's last response. Times are milliseconds. */
class Meter {
  #left = 0;
  #grant = 0;
  #until = 0;
  #remaining = 0;
  #freeAt = 0;
  /** The limit is reached, or the counter has failed, until then. */
  #refusedUntil = 0;
  #uncountedUntil = 0;
  #asking: { readonly answer: Promise<void>; readonly since: number } | null = null;
  /** Each is renewed at least every `PATIENCE_MS`. */
  readonly #waiting = new WaitCounter(2 * PATIENCE_MS);

  /** Counts a request: at once where a grant is left, else when the counter has answered. */
  count(context: ServiceContext, key: CountedKey): Verdict | Promise<Verdict> {
    return this.#decide(context, key) ?? this.#ask(context, key);
  }

  #decide({ now: clock }: ServiceContext, { requests: limit }: CountedKey): Verdict | null {
    const now = clock().getTime();
    const freeAfterMs = Math.max(this.#freeAt - now, 0);
    if (this.#left > 0 && now < this.#until) {
      this.#left -= 1;
      return { allowed: true, limit, remaining: this.#remaining + this.#left, freeAfterMs };
    }
    if (now < this.#uncountedUntil) return { allowed: true, limit, remaining: null, freeAfterMs: 0 };
    if (now < this.#refusedUntil) return { allowed: false, limit, remaining: 0, freeAfterMs };
    return null;
  }

  async #ask(context: ServiceContext, key: CountedKey): Promise<Verdict> {
    const began = context.now().getTime();
    const waiter = this.#waiting.join(began);
    try {
      for (;;) {
        const now = context.now().getTime();
        if (now - began >= MOST_WAIT_MS) {
          const error = new Error(`the counter has not answered within ${MOST_WAIT_MS / 1_000} s`);
          this.#passUncounted(context, error, UNANSWERED_MS);
        }
        const verdict = this.#decide(context, key);
        if (verdict) return verdict;
        this.#waiting.renew(waiter, now);
        await within(PATIENCE_MS, this.#question(context, key, now));
      }
    } finally {
      this.#waiting.leave(waiter);
    }
  }

  /** Asks for all that wait, unless one has asked lately. It continues without the request that asked. */
  #question(context: ServiceContext, key: CountedKey, now: number): Promise<void> {
    if (this.#asking !== null && now - this.#asking.since < PATIENCE_MS) return this.#asking.answer;
    const answer = this.#take(context, key).finally(() => {
      if (this.#asking?.answer === answer) this.#asking = null;
    });
    this.#asking = { answer, since: now };
    context.waitUntil(answer);
    return answer;
  }

  /** Lets all requests pass for a while: the API does not depend on the counter. */
  #passUncounted(context: ServiceContext, error: unknown, forMs: number): void {
    context.log("rate_limit.failed", { error });
    this.#uncountedUntil = context.now().getTime() + forMs;
  }

  async #take(context: ServiceContext, key: CountedKey): Promise<void> {
    const counter = counterOf(context.env, key.id);
    const wanted = this.#waiting.count(context.now().getTime());
    try {
      const grant = await counter.take({ limit: key.requests, wanted, ended: this.#ended() });
      const now = context.now().getTime();
      this.#uncountedUntil = 0;
      this.#grant = grant.id;
      this.#left = grant.count;
      this.#until = now + grant.lastsMs;
      this.#remaining = grant.remaining;
      this.#freeAt = now + grant.freeAfterMs;
      if (grant.count < wanted) this.#refusedUntil = this.#freeAt;
      else if (grant.count > wanted) context.waitUntil(this.#giveBack(context, key, grant.id, grant.lastsMs));
    } catch (error) {
      this.#passUncounted(context, error, UNCOUNTED_MS);
    }
  }

  /** The rest of the grant, which can no longer be used. */
  #ended(): Ended | undefined {
    const ended = { id: this.#grant, unused: this.#left };
    this.#grant = 0;
    this.#left = 0;
    return ended.id === 0 ? undefined : ended;
  }

  /** Returns the rest of a grant when its time is over. */
  async #giveBack(context: ServiceContext, key: CountedKey, grant: number, lastsMs: number): Promise<void> {
    await pause(lastsMs);
    if (this.#grant !== grant || this.#left === 0) return;
    const ended = this.#ended();
    if (!ended) return;
    await counterOf(context.env, key.id)
      .end(ended)
      .catch((error: unknown) => context.log("rate_limit.failed", { error }));
  }
}

const meters = new Map<string, Meter>();

/** Counts a request of a key across all isolates. */
export const countRequest = (context: ServiceContext, key: CountedKey): Verdict | Promise<Verdict> => {
  let meter = meters.get(key.id);
  if (meter === undefined) {
    meter = new Meter();
    setBounded(meters, CAPACITY, key.id, meter);
  }
  return meter.count(context, key);
};

const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1_000);

/** The fields of draft-ietf-httpapi-ratelimit-headers: the policy, and the remaining requests. */
export const rateLimitHeaders = ({ limit, remaining, freeAfterMs }: Verdict): Record<string, string> => ({
  "RateLimit-Policy": `"key";q=${limit};w=${REQUEST_PERIOD_S}`,
  ...(remaining !== null && { RateLimit: `"key";r=${remaining};t=${seconds(freeAfterMs)}` }),
});

/** The error of a request beyond the limit. @param who subject of its message */
export const beyondLimit = (verdict: Verdict, who = "This key may send"): ServiceError =>
  rateLimited(
    `${who} ${counted(verdict.limit, "request")} in ${duration(REQUEST_PERIOD_S)}.`,
    Math.max(seconds(verdict.freeAfterMs), 1),
  );

/** Calls of the chain's nodes that a request may cause without counting as more than one. */
const CALLS_INCLUDED = 2;

/** How long an additional call waits until the key has a request left: long lists are read slowly. Milliseconds. */
const CALL_PATIENCE_MS = REQUEST_PERIOD_S * 1_000 + 2_000;

/** The context of a key's request: each call of a node beyond the included ones counts as another request. */
export const paidByKey = (context: ServiceContext, key: CountedKey): ServiceContext => {
  let calls = 0;
  return {
    ...context,
    async admitCall() {
      calls += 1;
      if (calls <= CALLS_INCLUDED) return;
      const until = context.now().getTime() + CALL_PATIENCE_MS;
      for (;;) {
        const verdict = await countRequest(context, key);
        if (verdict.allowed) return;
        if (context.now().getTime() + verdict.freeAfterMs > until) throw beyondLimit(verdict);
        await pause(Math.max(verdict.freeAfterMs, LOOK_EVERY_MS));
      }
    },
  };
};
