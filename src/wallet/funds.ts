import type { ChainRpc } from "../chain/rpc.ts";
import { accountBalance } from "../chain/views.ts";

/** A balance read longer ago is read again before it decides. Milliseconds. */
const FRESH_MS = 30_000;

/** What the wallet can still spend, as far as this object knows. Never trusts an old figure to refuse. */
export class Funds {
  readonly #rpc: ChainRpc;
  readonly #now: () => number;
  #available = 0n;
  #readAt = Number.NEGATIVE_INFINITY;
  /** Upper bound of what rows that ended since the reading have taken. */
  #spent = 0n;

  constructor(rpc: ChainRpc, now: () => number) {
    this.#rpc = rpc;
    this.#now = now;
  }

  /** A row that had reserved so much is over. */
  spend(cost: bigint): void {
    this.#spent += cost;
  }

  /** What is missing by the known balance for `cost` beside what is reserved, yoctoNEAR; 0 when it can be paid. */
  short(cost: bigint, reserved: bigint): bigint {
    const missing = reserved + cost + this.#spent - this.#available;
    return missing > 0n ? missing : 0n;
  }

  /** As `short`, and asks the chain when the known balance is old or would refuse. @throws ChainUnavailableError */
  async missing(accountId: string, cost: bigint, reserved: () => bigint): Promise<bigint> {
    const fresh = this.#now() - this.#readAt < FRESH_MS;
    if (fresh && this.short(cost, reserved()) === 0n) return 0n;
    const balance = await accountBalance(this.#rpc, accountId, "optimistic");
    this.#available = balance?.available ?? 0n;
    this.#spent = 0n;
    this.#readAt = this.#now();
    return this.short(cost, reserved());
  }
}
