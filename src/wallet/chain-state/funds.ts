import { type Cost, totalOf } from "../../chain/cost.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import { type AccountBalance, accountBalance } from "../../chain/views.ts";

/** What decides whether a balance may be shown again. */
interface Showing {
  readonly accountId: string;
  /** Changes with all that this wallet does to its balance. */
  readonly state: string;
  /** Milliseconds since it came; 0: it is asked for now. */
  readonly maxAgeMs: number;
}

/** How long it is shown that no node answered. Milliseconds. */
const FAILURE_LASTS_MS = 1_000;

/** The wallet's balance at the last final block, as it is shown: nothing is decided by it. */
export class ShownBalance {
  readonly #rpc: ChainRpc;
  readonly #now: () => number;
  #last: {
    readonly balance: Promise<AccountBalance | null>;
    readonly state: string;
    /** When it came, and for how long it is shown then at most. A question under way is always waited for. */
    came: number;
    lastsMs: number;
  } | null = null;

  constructor(rpc: ChainRpc, now: () => number) {
    this.#rpc = rpc;
    this.#now = now;
  }

  /** The balance, asked for again where the last one is too old or the wallet has done something since; null if no node answers. */
  read({ accountId, state, maxAgeMs }: Showing): Promise<AccountBalance | null> {
    const last = this.#last;
    const isFresh = last !== null && this.#now() - last.came < Math.min(maxAgeMs, last.lastsMs);
    if (isFresh && last.state === state && maxAgeMs > 0) return last.balance;
    const entry = {
      balance: accountBalance(this.#rpc, accountId).catch(() => {
        entry.lastsMs = FAILURE_LASTS_MS;
        return null;
      }),
      state,
      came: Number.POSITIVE_INFINITY,
      lastsMs: Number.POSITIVE_INFINITY,
    };
    const came = () => {
      entry.came = this.#now();
    };
    void entry.balance.then(came);
    this.#last = entry;
    return entry.balance;
  }
}

/** What the journal has promised already, yoctoNEAR. */
export interface Reserved {
  /** What waiting intents spend at most. */
  readonly queued: bigint;
  /** The part of it that goes however little gas is burnt. */
  readonly certain: bigint;
  /** What signed rows that aren't over take, gas bought ahead included. */
  readonly open: bigint;
}

/** Maximum age of a balance that decides; an older one is read again. Milliseconds. */
const FRESH_MS = 30_000;

/**
 * Whether a cost can be paid. `later`: what waits or is on its way may take too much, but most of that is gas, which
 * comes back: it alone could be paid. `short`: it couldn't even be paid when all of that is over.
 */
export type Cover = "enough" | "later" | "short";

/**
 * Decides it. Of waiting intents only what they spend counts, because few are on their way at once; what is on its
 * way counts in full. The balance may already lack that, so it never makes anything `short`.
 * @param available what the chain says can be spent
 * @param spent of it since then, at most
 */
export const coverOf = (available: bigint, spent: bigint, reserved: Reserved, cost: Cost): Cover => {
  const needed = totalOf(cost);
  if (available - spent >= reserved.queued + reserved.open + needed) return "enough";
  return available >= reserved.certain + needed ? "later" : "short";
};

/**
 * What the wallet can still spend, as far as this object knows. It never refuses by an old balance, or by a single
 * reading.
 */
export class Funds {
  readonly #rpc: ChainRpc;
  readonly #now: () => number;
  #available = 0n;
  #height = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  /** Upper bound of what rows that ended since the reading have taken. */
  #spent = 0n;
  #endings = 0;
  #reading: Promise<void> | null = null;
  #again: Promise<void> | null = null;

  constructor(rpc: ChainRpc, now: () => number) {
    this.#rpc = rpc;
    this.#now = now;
  }

  /** A row that could take so much is over. */
  spend(cost: bigint): void {
    this.#spent += cost;
    this.#endings += 1;
  }

  /** Rows that are over since the object began. */
  get endings(): number {
    return this.#endings;
  }

  /** What the chain last said can be spent; yoctoNEAR. */
  get available(): bigint {
    return this.#available;
  }

  /** What may be signed for beside what is on its way, as far as is known; yoctoNEAR, may be negative. */
  forSigning({ open }: Reserved): bigint {
    return this.#available - this.#spent - open;
  }

  /** Milliseconds since the balance was read. */
  get age(): number {
    return this.#now() - this.#readAt;
  }

  /** Whether the known balance may decide. */
  get isFresh(): boolean {
    return this.age < FRESH_MS;
  }

  /** Whether a cost can be paid by the known balance. */
  cover(reserved: Reserved, cost: Cost): Cover {
    return coverOf(this.#available, this.#spent, reserved, cost);
  }

  /**
   * As `cover`, and asks the chain when the known balance is old or would refuse. Before it says `short` a second
   * reading has to say so too: of a later block, and of another endpoint where there is one. @throws ChainUnavailableError
   */
  async ask(accountId: string, reserved: () => Reserved, cost: Cost): Promise<Cover> {
    if (this.isFresh && this.cover(reserved(), cost) === "enough") return "enough";
    await this.read(accountId);
    const cover = this.cover(reserved(), cost);
    if (cover !== "short") return cover;
    await this.#readAgain(accountId);
    return this.cover(reserved(), cost);
  }

  /** Whether another endpoint, at a later block, shows enough for this cost alone. @throws ChainUnavailableError */
  async covers(accountId: string, cost: Cost): Promise<boolean> {
    await this.#readAgain(accountId);
    return this.#available >= totalOf(cost);
  }

  /** Reads the balance at the head, once for all who want it. @throws ChainUnavailableError */
  read(accountId: string): Promise<void> {
    this.#reading ??= this.#read(accountId, {}).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  #readAgain(accountId: string): Promise<void> {
    const [first] = this.#rpc.order();
    this.#again ??= this.#read(accountId, { avoid: first, atLeast: this.#height + 1 }).finally(() => {
      this.#again = null;
    });
    return this.#again;
  }

  async #read(accountId: string, options: Parameters<typeof accountBalance>[3]): Promise<void> {
    const balance = await accountBalance(this.#rpc, accountId, "optimistic", options);
    const height = balance?.height ?? this.#height;
    // An answer older than the known one is ignored.
    if (height < this.#height) return;
    this.#height = height;
    this.#available = balance?.available ?? 0n;
    this.#spent = 0n;
    this.#readAt = this.#now();
  }
}
