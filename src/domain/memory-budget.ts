/** Memory that somebody holds for a while. */
interface Share {
  readonly bytes: number;
  readonly owner: string;
  /** When it lapses. */
  until: number;
}

/** What a budget has. */
interface BudgetLimits {
  /** For all together. */
  readonly bytes: number;
  /** For one owner, so that nobody holds all of it. */
  readonly bytesOfOwner: number;
  /** After how long a share lapses that is neither renewed nor given back. Milliseconds. */
  readonly lapsesAfterMs: number;
}

/**
 * Memory that requests of one isolate may hold together, of the 128 MB that a Worker has. The platform ends a request
 * whose client has gone without running another line of it, so that not every share is given back: it lapses.
 */
export class MemoryBudget {
  readonly #limits: BudgetLimits;
  readonly #shares = new Set<Share>();

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /** Takes a share; null if it is not to be had now. Times are milliseconds. */
  take(bytes: number, owner: string, now: number): Share | null {
    for (const share of this.#shares) if (share.until <= now) this.#shares.delete(share);
    let held = 0;
    let heldByOwner = 0;
    for (const share of this.#shares) {
      held += share.bytes;
      if (share.owner === owner) heldByOwner += share.bytes;
    }
    if (held + bytes > this.#limits.bytes || heldByOwner + bytes > this.#limits.bytesOfOwner) return null;
    const share = { bytes, owner, until: now + this.#limits.lapsesAfterMs };
    this.#shares.add(share);
    return share;
  }

  /** Keeps a share from lapsing. */
  renew(share: Share, now: number): void {
    share.until = now + this.#limits.lapsesAfterMs;
  }

  giveBack(share: Share): void {
    this.#shares.delete(share);
  }
}
