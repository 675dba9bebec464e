import { isStorageUnavailable, isUnavailable, objectFailure } from "../db/statements.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Bindings } from "../env.ts";
import { retry } from "../waiting.ts";
import type { Wallet } from "./interface.ts";

/** Retry policy of a call; an overloaded object isn't called again, nor one whose database or R2 failed. */
const ATTEMPTS = {
  tries: 5,
  firstPauseMs: 50,
  isLasting: (error: unknown) => isOverloaded(error) || isUnavailable(error) || isStorageUnavailable(error),
};
/** Retry-After of an overloaded object, seconds. */
const OVERLOADED_AFTER = 2;

/** Properties that the platform adds to an exception of a stub ("Error handling", Durable Objects documentation). */
interface StubError {
  readonly overloaded?: boolean;
}

/**
 * The wallet of an integration by its uuid, or the platform account's by `platform`. Every method is idempotent and is
 * retried; an exception breaks the stub, so each try uses a new one.
 */
export const walletOf = (env: Bindings, name: Uuid | "platform"): Wallet => {
  const stub = () => env.WALLET.getByName(name) as unknown as Wallet;
  return {
    prepareKey: (accountId) => again(() => stub().prepareKey(accountId)),
    activate: () => again(() => stub().activate()),
    restore: (...sealed) => again(() => stub().restore(...sealed)),
    write: (write, waitMs) => {
      const left = timer(waitMs);
      return again(() => stub().write(write, left()));
    },
    carryOut: (operation, waitMs, height) => {
      const left = timer(waitMs);
      return again(() => stub().carryOut(operation, left(), height));
    },
    resume: (operation, waitMs) => {
      const left = timer(waitMs);
      return again(() => stub().resume(operation, left()));
    },
    submit: (intent) => again(() => stub().submit(intent)),
    recordsAtEnd: (operation, timeoutMs) => {
      const left = timer(timeoutMs);
      return again(() => stub().recordsAtEnd(operation, left()));
    },
    restoreLedger: (integrationId) => again(() => stub().restoreLedger(integrationId)),
    suspend: (at) => again(() => stub().suspend(at)),
    withdraw: (...operation) => again(() => stub().withdraw(...operation)),
    transactions: (operation) => again(() => stub().transactions(operation)),
    landing: (operation) => again(() => stub().landing(operation)),
    acknowledge: (...operation) => again(() => stub().acknowledge(...operation)),
    spentToday: (budget) => again(() => stub().spentToday(budget)),
    status: (maxAgeMs) => again(() => stub().status(maxAgeMs)),
    stuck: (after, limit) => again(() => stub().stuck(after, limit)),
    reseal: () => again(() => stub().reseal()),
    reconcile: () => again(() => stub().reconcile()),
  };
};

/** Starts a timer and returns a function for the remaining milliseconds. */
const timer = (ms: number): (() => number) => {
  const until = Date.now() + ms;
  return () => Math.max(until - Date.now(), 0);
};

const isOverloaded = (error: unknown): boolean => (error as StubError).overloaded === true;

/** Retries after an exception, except when the object reports that it is overloaded. */
const again = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await retry(ATTEMPTS, call);
  } catch (error) {
    if (!isOverloaded(error)) throw objectFailure(error);
    throw new ServiceError("wallet_busy", "The wallet is overloaded. Try again in a few seconds.", {
      outcome: "unknown",
      retryable: true,
      retryAfter: OVERLOADED_AFTER,
      cause: error,
    });
  }
};
