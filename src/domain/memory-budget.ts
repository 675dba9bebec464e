/** Memory that somebody holds for a while. */
interface Share {
  readonly bytes: number;
  readonly owner: string;
  /** When it lapses. */
  until: number;
}

interface BudgetLimits {
  /** For all together. */
  readonly bytes: number;
  /** For one owner, so that nobody holds all of it. */
  readonly bytesOfOwner: number;
  /** After how long a share lapses that is neither renewed nor given back. Milliseconds. */
  readonly lapsesAfterMs: number;
}

/**
 * Memory that requests of one isolate may hold together, of the 128 MB that a Worker has. A share leaves as much free as
 * it takes, so that large ones never keep small ones waiting. The platform ends a request whose client has gone without
 * running another line of it, so that not every share is given back: it lapses.
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

  /** Keeps a share from lapsing. */
  renew(share: Share, now: number): void {
    share.until = now + this.#limits.lapsesAfterMs;
  }

  /** Keeps a share for as long as the isolate is there. */
  keep(share: Share): void {
    share.until = Number.POSITIVE_INFINITY;
  }

  giveBack(share: Share): void {
    this.#shares.delete(share);
  }
}
