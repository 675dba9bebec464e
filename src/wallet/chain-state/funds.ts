import { type Cost, requiredBalance } from "../../chain/cost.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import { type AccountBalance, accountBalance } from "../../chain/views.ts";

/** Conditions for reusing a displayed balance. */
interface BalanceRequest {
  readonly accountId: string;
  /** Changes with every effect of this wallet on its balance. */
  readonly state: string;
  /** Maximum age in milliseconds; 0: read now. */
  readonly maxAgeMs: number;
}

/** How long a failed read is reused. Milliseconds. */
const FAILURE_LASTS_MS = 1_000;

/** The wallet's balance at the last final block, for display only. */
export class DisplayedBalance {
  readonly #rpc: ChainRpc;
  readonly #now: () => number;
  #last: {
    readonly balance: Promise<AccountBalance | null>;
    readonly state: string;
    /** When it arrived, and how long it may be reused. A pending read is always shared. */
    came: number;
    lastsMs: number;
  } | null = null;

  constructor(rpc: ChainRpc, now: () => number) {
    this.#rpc = rpc;
    this.#now = now;
  }

  /** The balance, read again if it is too old or the wallet was active since; null if no node responds. */
  read({ accountId, state, maxAgeMs }: BalanceRequest): Promise<AccountBalance | null> {
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

/** Amounts reserved by the journal, yoctoNEAR. */
export interface Reserved {
  /** Upper bound of what queued intents spend. */
  readonly queued: bigint;
  /** The part of it that is spent regardless of the gas burnt. */
  readonly certain: bigint;
  /** What open signed rows take, including gas purchased in advance. */
  readonly open: bigint;
}

/** Maximum age of a balance used for decisions. Milliseconds. */
const FRESH_MS = 30_000;

/**
 * Whether a cost can be paid. `later`: reservations may take too much, but most of that is gas that is refunded, and
 * without them it could be paid. `short`: it couldn't be paid even then.
 */
export type Cover = "enough" | "later" | "short";

/**
 * Decides whether a cost can be paid. Queued intents count with what they spend, because few are sent at once; open
 * ones count in full. The balance may already lack their amount, so they never make a cost `short`.
 * @param available spendable according to the chain
 * @param spent upper bound of what was spent since
 */
export const coverOf = (available: bigint, spent: bigint, reserved: Reserved, cost: Cost): Cover => {
  const needed = requiredBalance(cost);
  if (available - spent >= reserved.queued + reserved.open + needed) return "enough";
  return available >= reserved.certain + needed ? "later" : "short";
};

/** The spendable balance as known to this object. It never rejects because of an old balance or a single reading. */
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

  /** Records that a row ended, with the upper bound of its cost. */
  spend(cost: bigint): void {
    this.#spent += cost;
    this.#endings += 1;
  }

  /** Number of rows that ended since the object started. */
  get endings(): number {
    return this.#endings;
  }

  /** Spendable balance at the last reading, yoctoNEAR. */
  get available(): bigint {
    return this.#available;
  }

  /** Amount left to sign for, open rows deducted; yoctoNEAR, may be negative. */
  forSigning({ open }: Reserved): bigint {
    return this.#available - this.#spent - open;
  }

  /** Milliseconds since the balance was read. */
  get age(): number {
    return this.#now() - this.#readAt;
  }

  /** Whether the known balance is recent enough for decisions. */
  get isFresh(): boolean {
    return this.age < FRESH_MS;
  }

  /** Whether the known balance covers a cost. */
  cover(reserved: Reserved, cost: Cost): Cover {
    return coverOf(this.#available, this.#spent, reserved, cost);
  }

  /**
   * Like `cover`, but reads the balance if it is old or insufficient. Returns `short` only if a second reading, of a
   * later block and from another endpoint if there is one, confirms it.
   * @throws ChainUnavailableError
   */
  async ask(accountId: string, reserved: () => Reserved, cost: Cost): Promise<Cover> {
    if (this.isFresh && this.cover(reserved(), cost) === "enough") return "enough";
    await this.read(accountId);
    const cover = this.cover(reserved(), cost);
    if (cover !== "short") return cover;
    await this.#readAgain(accountId);
    return this.cover(reserved(), cost);
  }

  /** Whether another endpoint, at a later block, has enough for this cost alone. @throws ChainUnavailableError */
  async covers(accountId: string, cost: Cost): Promise<boolean> {
    await this.#readAgain(accountId);
    return this.#available >= requiredBalance(cost);
  }

  /** Reads the balance at the head, once for concurrent calls. @throws ChainUnavailableError */
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
    // Ignore a response older than the known balance.
    if (height < this.#height) return;
    this.#height = height;
    this.#available = balance?.available ?? 0n;
    this.#spent = 0n;
    this.#readAt = this.#now();
  }
}
