import type { ClientOptions } from "../client/src/index.ts";

type Retry = Parameters<NonNullable<ClientOptions["onRetry"]>>[0];

/**
 * How long a command waits for an Idempotency-Key that it had before it was killed: the service frees one that nobody
 * works for five minutes after it was taken. Milliseconds.
 */
export const HELD_KEY_MS = 6 * 60_000;

let isWaitTold = false;

/** Tells a person, once, that a call waits for a key, which takes minutes. */
export function tellHeldKey({ isKeyHeld }: Pick<Retry, "isKeyHeld">): void {
  if (!isKeyHeld || isWaitTold) return;
  isWaitTold = true;
  process.stderr.write(
    "\nA request of an earlier run is still open at the service. This run waits until it is closed, at most about 5 minutes, and goes on by itself.\n",
  );
}

/** Tells a person that a call is sent again. */
export function tellRetry(retry: Retry): void {
  if (retry.isKeyHeld) tellHeldKey(retry);
  else process.stderr.write(`\n${retry.reason} Again in ${(retry.pauseMs / 1000).toFixed(1)} s.\n`);
}
