import { accessKeyNonces, type BlockHead } from "../../chain/blocks.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { Head } from "../chain-state/head.ts";
import type { LandingState } from "../interface.ts";
import type { Journal } from "../journal/journal.ts";
import { predates } from "../journal/timing.ts";
import type { Runtime } from "../runtime.ts";
import { isExpired, isSurelyAfter } from "./rules.ts";

/** Bytes may land with no known limit: the wallet is working on them, has no key, or can't read a block. */
const UNKNOWN_END: LandingState = { isOver: false, waitMs: null };

interface LandingParts extends Runtime {
  readonly journal: Journal;
  readonly rpc: ChainRpc;
  readonly head: Head;
}

/** Decides whether bytes signed for an operation can still be included in a block. See docs/transactions.md. */
export class Landing {
  readonly #parts: LandingParts;

  constructor(parts: LandingParts) {
    this.#parts = parts;
  }

  /**
   * Whether bytes of the operation can still be included. Only final state proves that they can't, so a node that lags,
   * is frozen or doesn't respond can only delay the end.
   */
  async of(operation: Uuid): Promise<LandingState> {
    const { journal } = this.#parts;
    const block = await this.#lastFinal();
    const wallet = journal.wallet();
    // Without its key the object has lost its journal too and can't know what was signed.
    if (wallet === null || block === null || !journal.intents.isOver(operation)) return UNKNOWN_END;
    if (predates(operation, wallet.restoredAt) && this.#mayBeOfFormer()) {
      return this.#until(wallet.restoredHeight ?? block.height);
    }
    const young = journal.signed
      .undecided(operation)
      .filter(({ baseHeight }) => !isExpired(baseHeight, block.height, this.#parts.head.validityPeriod));
    if (young.length === 0) return { isOver: true, height: block.height };
    const keys = await accessKeyNonces(this.#parts.rpc, wallet.accountId, "final").catch(this.#without);
    const open = young.filter(({ laneId, nonce }) => {
      const used = keys?.nonces.get(journal.lanes.get(laneId).publicKey);
      return used === undefined || used < BigInt(nonce);
    });
    if (open.length > 0) return this.#until(Math.max(...open.map(({ baseHeight }) => baseHeight)));
    return { isOver: true, height: Math.max(block.height, keys?.height ?? 0) };
  }

  /** The validity counted from a height isn't over; the wait is estimated from the block rate. */
  #until(baseHeight: number): LandingState {
    const { head } = this.#parts;
    const blocks = baseHeight + head.validityPeriod + 1 - head.block!.height;
    const { cadence } = head;
    const waitMs = cadence === null || !Number.isFinite(blocks) ? null : Math.ceil(blocks * cadence.interval);
    return { isOver: false, waitMs };
  }

  /** Records the height that bounds rows from before a restoration, once a final block is certainly newer. */
  async noteRestoration(): Promise<void> {
    if (this.#unbounded() !== null) await this.#lastFinal();
  }

  /** When the object was restored, until a final block that is certainly newer is known. */
  #unbounded(): number | null {
    const wallet = this.#parts.journal.wallet();
    return wallet === null || wallet.restoredHeight !== null ? null : wallet.restoredAt;
  }

  /** The last final block; the last known one if no node responds, because final blocks stay final. */
  async #lastFinal(): Promise<BlockHead | null> {
    const { journal, head } = this.#parts;
    await head.refresh().catch(this.#without);
    const { block } = head;
    const restoredAt = this.#unbounded();
    if (block !== null && restoredAt !== null && isSurelyAfter(block.time, restoredAt)) {
      journal.noteRestoredHeight(block.height);
    }
    return block;
  }

  readonly #without = (error: unknown): null => {
    this.#parts.log("wallet.landing_unread", { error });
    return null;
  };

  /**
   * Whether bytes signed by the lost object can still be included: their base blocks are older than the restoration's.
   */
  #mayBeOfFormer(): boolean {
    const { journal, head } = this.#parts;
    const { restoredHeight } = journal.wallet()!;
    return restoredHeight === null || !isExpired(restoredHeight, head.block!.height, head.validityPeriod);
  }
}
