import type { ServiceContext } from "../context.ts";
import { rateLimited } from "../domain/errors.ts";
import { MemoryBudget } from "../domain/memory-budget.ts";
import { pollUntil } from "../waiting.ts";

const MB = 1_048_576;

/**
 * What requests hold of an isolate's memory while bodies, forms, files at URLs and events pass through. Cloudflare gives
 * an isolate 128 MB (https://developers.cloudflare.com/workers/platform/limits/); the rest is for the code. A form is
 * renewed with every piece; what takes longest without one is the batch of D1.
 */
export const isolateMemory = new MemoryBudget({
  bytes: 96 * MB,
  bytesOfOwner: 64 * MB,
  lapsesAfterMs: 180_000,
});

/** How long a request waits, unread, until others have ended, and how often it looks. Milliseconds. */
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 20;
/** Seconds after which some of the others are likely to have ended. */
const RETRY_AFTER = 5;

/** A share of the isolate's memory. */
export interface MemoryShare {
  /** A piece came, or was taken: the share doesn't lapse yet. */
  readonly moved: () => void;
  /** It is over. */
  readonly ended: () => void;
  /** It stays for as long as the isolate: memory of WebAssembly only grows. */
  readonly kept: () => void;
}

/**
 * A share of the isolate's memory, as soon as there is room for it. Nobody is woken: the request that holds the memory
 * may be gone.
 * @param wanted `owner`: an integration, or a name for what needs no key; `what`: what comes in, in the plural
 * @throws ServiceError rate_limited if there is no room within 10 s
 */
export const memoryShare = async (
  { now }: ServiceContext,
  { bytes, owner, what }: { readonly bytes: number; readonly owner: string; readonly what: string },
): Promise<MemoryShare> => {
  const time = () => now().getTime();
  const patience = { patienceMs: PATIENCE_MS, everyMs: LOOK_EVERY_MS, now };
  const share = await pollUntil(patience, () => isolateMemory.take(bytes, owner, time()));
  if (share === null)
    throw rateLimited(`Too many ${what} are open at once. Send fewer at a time.`, RETRY_AFTER);
  return {
    moved: () => isolateMemory.renew(share, time()),
    ended: () => isolateMemory.giveBack(share),
    kept: () => isolateMemory.keep(share),
  };
};
