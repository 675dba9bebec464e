/** Memory that somebody holds for a while. */
interface Share {
  readonly bytes: number;
  readonly owner: string;
  /** When it lapses. */
  until: number;
}

/** What there is. */
interface SpaceLimits {
  /** For all together. */
  readonly bytes: number;
  /** For one owner, so that nobody holds all of it. */
  readonly bytesOfOwner: number;
}

interface BudgetLimits extends SpaceLimits {
  /** After how long a share lapses that is neither renewed nor given back. Milliseconds. */
  readonly lapsesAfterMs: number;
}

/** Memory of which budgets lend shares. Each budget says when its shares lapse. */
export class MemorySpace {
  readonly #limits: SpaceLimits;
  readonly #shares = new Set<Share>();

  constructor(limits: SpaceLimits) {
    this.#limits = limits;
  }

  /** Whether so much is to be had. `now` is milliseconds. */
  hasRoom(bytes: number, owner: string, now: number): boolean {
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

  add(share: Share): void {
    this.#shares.add(share);
  }

  remove(share: Share): void {
    this.#shares.delete(share);
  }
}

/**
 * Memory that requests of one isolate may hold together, of the 128 MB that a Worker has. The platform ends a request
 * whose client has gone without running another line of it, so that not every share is given back: it lapses.
 */
export class MemoryBudget {
  readonly #lapsesAfterMs: number;
  readonly #spaces: readonly MemorySpace[];

  /** @param whole what this budget is a part of: what is taken here is taken there too */
  constructor({ lapsesAfterMs, ...limits }: BudgetLimits, whole: MemorySpace | null = null) {
    this.#lapsesAfterMs = lapsesAfterMs;
    this.#spaces = [new MemorySpace(limits), ...(whole === null ? [] : [whole])];
  }

  /** Takes a share; null if it is not to be had now. Times are milliseconds. */
  take(bytes: number, owner: string, now: number): Share | null {
    if (!this.#spaces.every((space) => space.hasRoom(bytes, owner, now))) return null;
    const share = { bytes, owner, until: now + this.#lapsesAfterMs };
    for (const space of this.#spaces) space.add(share);
    return share;
  }

  /** Keeps a share from lapsing. */
  renew(share: Share, now: number): void {
    share.until = now + this.#lapsesAfterMs;
  }

  giveBack(share: Share): void {
    for (const space of this.#spaces) space.remove(share);
  }
}
