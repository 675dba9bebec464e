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
