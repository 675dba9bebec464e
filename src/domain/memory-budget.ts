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
  readonly #whole: MemoryBudget | null;
  readonly #shares = new Set<Share>();

  /** @param whole a budget that this one is a part of: what is taken here is taken there too */
  constructor(limits: BudgetLimits, whole: MemoryBudget | null = null) {
    this.#limits = limits;
    this.#whole = whole;
  }

  /** Takes a share; null if it is not to be had now. Times are milliseconds. */
  take(bytes: number, owner: string, now: number): Share | null {
    const budgets = this.#budgets();
    if (!budgets.every((budget) => budget.#hasRoom(bytes, owner, now))) return null;
    const share = { bytes, owner, until: now + this.#limits.lapsesAfterMs };
    for (const budget of budgets) budget.#shares.add(share);
    return share;
  }

  /** This one and those that it is a part of. */
  #budgets(): MemoryBudget[] {
    return [this, ...(this.#whole === null ? [] : this.#whole.#budgets())];
  }

  #hasRoom(bytes: number, owner: string, now: number): boolean {
    let held = bytes;
    let heldByOwner = bytes;
    for (const share of this.#shares) {
      if (share.until <= now) this.#shares.delete(share);
      else {
        held += share.bytes;
        if (share.owner === owner) heldByOwner += share.bytes;
      }
    }
    return held <= this.#limits.bytes && heldByOwner <= this.#limits.bytesOfOwner;
  }

  /** Keeps a share from lapsing. */
  renew(share: Share, now: number): void {
    share.until = now + this.#limits.lapsesAfterMs;
  }

  giveBack(share: Share): void {
    for (const budget of this.#budgets()) budget.#shares.delete(share);
  }
}
