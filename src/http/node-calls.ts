import type { Context } from "hono";
import type { ServiceContext } from "../context.ts";
import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import { REQUEST_PERIOD_S } from "../domain/quota.ts";
import { RequestWindow } from "../domain/request-window.ts";
import { pollUntil } from "../waiting.ts";
import { networksOf } from "./address-limit.ts";
import type { AppEnv } from "./app-env.ts";
import type { CountedKey } from "./rate-limit.ts";

/** Whom calls are counted against, and how many of them there may be in a period. */
export interface Payer {
  readonly name: string;
  readonly most: number;
}

/** Payers that are counted; beyond it the one that was idle longest is forgotten. */
const CAPACITY = 10_000;

/**
 * Counts calls against all that they are caused by: none of these has more than it may in any period, and a call that
 * one of them hasn't left is counted against nobody. Times are milliseconds.
 */
export class CallBudget {
  readonly #periodMs: number;
  readonly #windows = new Map<string, RequestWindow>();

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Counts a call, if each payer has it left. */
  take(payers: readonly Payer[], now: number): boolean {
    const windows = payers.map(({ name, most }) => ({ window: this.#windowOf(name), most }));
    if (windows.some(({ window, most }) => window.used(now) >= most)) return false;
    for (const { window } of windows) window.add(1, now);
    return true;
  }

  /** Milliseconds until each payer has a call left again. */
  freeAfter(payers: readonly Payer[], now: number): number {
    const waits = payers.map(({ name, most }) => {
      const window = this.#windowOf(name);
      return window.used(now) < most ? 0 : window.freeAfter(now);
    });
    return Math.max(...waits);
  }

  #windowOf(name: string): RequestWindow {
    const window = this.#windows.get(name) ?? new RequestWindow(this.#periodMs);
    this.#windows.delete(name);
    const idle = this.#windows.size >= CAPACITY ? this.#windows.keys().next().value : undefined;
    if (idle !== undefined) this.#windows.delete(idle);
    this.#windows.set(name, window);
    return window;
  }
}

/**
 * What a request asks of the chain's nodes before it is answered, or before it is accepted, is counted against whoever
 * sends it: a node has only so many answers, and an operation that is under way needs them. An operation's own calls
 * are not counted.
 */
const budget = new CallBudget(REQUEST_PERIOD_S * 1_000);

/** Calls that a key's requests may cause however few these may be: a page of 1,000 NFTs needs a dozen. */
const LEAST_OF_KEY = 50;

/** Calls that requests without a key cause in a period: of one address, of an IPv6 site, and of all in this isolate. */
const MOST_OF_ADDRESS = 400;
const MOST_OF_SITE = 1_000;
const MOST_OF_ALL = 2_000;

/** How long a call waits until its payers have one left: a period and a little, so that long lists are read slowly. Milliseconds. */
const PATIENCE_MS = REQUEST_PERIOD_S * 1_000 + 2_000;
const LOOK_EVERY_MS = 100;

/** The context of a request whose calls of nodes others pay. */
const paidBy = (context: ServiceContext, payers: readonly Payer[]): ServiceContext => ({
  ...context,
  async admitCall() {
    const time = () => context.now().getTime();
    const patience = { patienceMs: PATIENCE_MS, everyMs: LOOK_EVERY_MS, now: context.now };
    const admitted = await pollUntil(patience, () => budget.take(payers, time()) || null);
    if (admitted === null) throw tooMany(budget.freeAfter(payers, time()));
  },
});

/**
 * Calls of a key's requests: as many in a period as it may send requests, since most of them need one at most, and no fewer
 * than a few large ones need.
 */
export const paidByKey = (context: ServiceContext, { id, requests }: CountedKey): ServiceContext =>
  paidBy(context, [{ name: id, most: Math.max(requests, LEAST_OF_KEY) }]);

/** Calls of a request without a key. */
export const paidByAddress = (c: Context<AppEnv>): ServiceContext => {
  const { client, site } = networksOf(c);
  const context = paidBy(c.get("context"), [
    { name: `address ${client}`, most: MOST_OF_ADDRESS },
    ...(site === null ? [] : [{ name: `site ${site}`, most: MOST_OF_SITE }]),
    { name: "addresses", most: MOST_OF_ALL },
  ]);
  return { ...context, network: client };
};

const tooMany = (freeAfterMs: number): ServiceError => {
  const retryAfter = Math.max(Math.ceil(freeAfterMs / 1_000), 1);
  return new ServiceError(
    "rate_limited",
    `Your requests cause too many calls of the chain's nodes. Nothing was sent to the chain. Wait ${duration(retryAfter)}, and ask for less at a time.`,
    { outcome: "not_submitted", retryable: true, retryAfter },
  );
};
