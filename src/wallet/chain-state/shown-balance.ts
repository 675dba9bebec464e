import type { ChainRpc } from "../../chain/rpc.ts";
import { type AccountBalance, accountBalance } from "../../chain/views.ts";

/** What decides whether a balance may be shown again. */
interface Showing {
  readonly accountId: string;
  /** Changes with all that this wallet does to its balance. */
  readonly state: string;
  /** Milliseconds since it was asked for. */
  readonly maxAgeMs: number;
}

/** The wallet's balance at the last final block, as it is shown: nothing is decided by it. */
export class ShownBalance {
  readonly #rpc: ChainRpc;
  readonly #now: () => number;
  #last: {
    readonly balance: Promise<AccountBalance | null>;
    readonly state: string;
    readonly at: number;
  } | null = null;

  constructor(rpc: ChainRpc, now: () => number) {
    this.#rpc = rpc;
    this.#now = now;
  }

  /** The balance, asked for again where the last one is too old or the wallet has done something since; null if no node answers. */
  read({ accountId, state, maxAgeMs }: Showing): Promise<AccountBalance | null> {
    const at = this.#now();
    const last = this.#last;
    if (last !== null && last.state === state && at - last.at < maxAgeMs) return last.balance;
    const balance = accountBalance(this.#rpc, accountId).catch(() => {
      if (this.#last?.balance === balance) this.#last = null;
      return null;
    });
    this.#last = { balance, state, at };
    return balance;
  }
}
