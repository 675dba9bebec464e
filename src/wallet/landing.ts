import { accessKeyNonces, type BlockHead } from "../chain/blocks.ts";
import type { Uuid } from "../domain/ids.ts";
import type { WalletContext } from "./context.ts";
import { isExpired, isSurelyAfter } from "./rules.ts";
import { isOlder } from "./submit.ts";

/** Tells whether what was signed for an operation may still get into a block. See docs/transactions.md. */
export class Landing {
  readonly #wallet: WalletContext;

  constructor(wallet: WalletContext) {
    this.#wallet = wallet;
  }

  /**
   * Whether bytes of the operation may still be included. Only what is final speaks against it, so that a node that
   * lags, is frozen or doesn't answer delays a `false` and never brings one forward.
   */
  async canStillLand(operation: Uuid): Promise<boolean> {
    const { journal, head } = this.#wallet;
    const block = await this.#lastFinal();
    const wallet = journal.wallet();
    // Without its key the object has lost its journal as well, and can't say what it had signed.
    if (wallet === null || block === null) return true;
    if (!journal.intents.isOver(operation)) return true;
    if (isOlder(operation, wallet.restoredAt) && this.#mayBeOfFormer()) return true;
    const young = journal.signed
      .undecided(operation)
      .filter(({ baseHeight }) => !isExpired(baseHeight, block.height, head.validityPeriod));
    if (young.length === 0) return false;
    const keys = await accessKeyNonces(this.#wallet.rpc, wallet.accountId, "final").catch(this.#without);
    return young.some(({ laneId, nonce }) => {
      const used = keys?.nonces.get(journal.lanes.get(laneId).publicKey);
      return used === undefined || used < BigInt(nonce);
    });
  }

  /** Bounds what came before a restoration, as soon as a final block is there that is surely younger. */
  async noteRestoration(): Promise<void> {
    if (this.#unbounded() !== null) await this.#lastFinal();
  }

  /** When the object was restored, while no final block is known that is surely younger. */
  #unbounded(): number | null {
    const wallet = this.#wallet.journal.wallet();
    return wallet === null || wallet.restoredHeight !== null ? null : wallet.restoredAt;
  }

  /** The last final block; the last one known where no node answers, because what is final stays so. */
  async #lastFinal(): Promise<BlockHead | null> {
    const { journal, head } = this.#wallet;
    await head.refresh().catch(this.#without);
    const { block } = head;
    const restoredAt = this.#unbounded();
    if (block !== null && restoredAt !== null && isSurelyAfter(block.time, restoredAt)) {
      journal.noteRestoredHeight(block.height);
    }
    return block;
  }

  readonly #without = (error: unknown): null => {
    this.#wallet.log("wallet.landing_unread", { error: String(error) });
    return null;
  };

  /** Whether bytes that the lost object signed may still be included: their base blocks are older than that block. */
  #mayBeOfFormer(): boolean {
    const { journal, head } = this.#wallet;
    const { restoredHeight } = journal.wallet()!;
    return restoredHeight === null || !isExpired(restoredHeight, head.block!.height, head.validityPeriod);
  }
}
