import type { ServiceContext } from "../context.ts";
import { rateLimited } from "../domain/errors.ts";
import { pollUntil } from "../waiting.ts";

const MB = 1_048_576;

interface Share {
  readonly bytes: number;
  readonly owner: string;
  until: number;
}

interface BudgetLimits {
  readonly bytes: number;
  readonly bytesOfOwner: number;
  /** Milliseconds without renewal. */
  readonly lapsesAfterMs: number;
}

/**
 * Memory that requests of one isolate may hold together. A share leaves as much free as it takes, so that large ones
 * never keep small ones waiting. It lapses: the platform ends a request whose client has gone without another line of
 * it.
 */
export class MemoryBudget {
  readonly #limits: BudgetLimits;
  readonly #shares = new Set<Share>();

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /** Takes a share; null if there is no room for it now. Times are milliseconds. */
  take(bytes: number, owner: string, now: number): Share | null {
    let held = 2 * bytes;
    let heldByOwner = 2 * bytes;
    for (const share of this.#shares) {
      if (share.until <= now) this.#shares.delete(share);
      else {
        held += share.bytes;
        if (share.owner === owner) heldByOwner += share.bytes;
      }
    }
    if (held > this.#limits.bytes || heldByOwner > this.#limits.bytesOfOwner) return null;
    const share = { bytes, owner, until: now + this.#limits.lapsesAfterMs };
    this.#shares.add(share);
    return share;
  }

  renew(share: Share, now: number): void {
    share.until = now + this.#limits.lapsesAfterMs;
  }

  giveBack(share: Share): void {
    this.#shares.delete(share);
  }
}

/**
 * Memory for bodies, forms, files at URLs and events, of the 128 MB of an isolate
 * (https://developers.cloudflare.com/workers/platform/limits/). The longest time between two renewals of a share is
 * that of the D1 batch.
 */
export const isolateMemory = new MemoryBudget({
  bytes: 96 * MB,
  bytesOfOwner: 64 * MB,
  lapsesAfterMs: 180_000,
});

/** How long an unread request waits for memory, and how often it polls. Milliseconds. */
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 20;
/** Seconds after which other requests are likely to have ended. */
const RETRY_AFTER = 5;

export interface MemoryShare {
  /** Renews the share: a chunk was read or written. */
  readonly moved: () => void;
  readonly ended: () => void;
  /** Keeps the share for as long as the isolate lives: memory of WebAssembly never shrinks. */
  readonly kept: () => void;
}

/**
 * Reserves memory as soon as there is room, which it polls for. @param wanted `owner`: an integration, or a name for
 * requests without a key; `what`: a plural noun for the message @throws ServiceError rate_limited if there is no room
 * within 10 s
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
    kept: () => isolateMemory.renew(share, Number.POSITIVE_INFINITY),
  };
};
