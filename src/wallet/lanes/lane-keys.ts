// wallet/lanes/: the access keys of a wallet: which signs what, when keys are added or given up.

import { accessKeyNonces, type KeyNonces } from "../../chain/blocks.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import type { Head } from "../chain-state/head.ts";
import type { Journal } from "../journal/journal.ts";
import type { SignedTransactionRow } from "../journal/signed.ts";
import type { Runtime } from "../runtime.ts";
import { KeySearch } from "./key-search.ts";

/**
 * A key of the account on a final block, and that block's height. The nonce is null if the key isn't on the account
 * any more. Null: not asked, or answered by a node that is too far behind to know.
 */
export type KeySeen = { readonly nonce: number | null; readonly height: number } | null;

interface Parts extends Runtime {
  readonly journal: Journal;
  readonly rpc: ChainRpc;
  readonly head: Head;
  /** Whether the wallet is active and its key is open. */
  readonly maySign: () => boolean;
}

/** Reads the keys of the wallet's lanes from the chain, and keeps the lanes as they are there. */
export class LaneKeys {
  readonly #parts: Parts;
  readonly #search = new KeySearch();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** When lanes whose nonce isn't known are looked at next; null if there are none. Milliseconds since the epoch. */
  get lookAt(): number | null {
    return this.#search.next(this.#parts.journal.lanes.unread().map(({ id }) => id));
  }

  /** Whether no key of the wallet's is on its account, so that nothing can be signed until the operator adds its own. */
  get isLockedOut(): boolean {
    const { lanes } = this.#parts.journal;
    return lanes.missing() !== null && lanes.ready().length === 0;
  }

  /** All keys of the account at the last final block. Lanes whose key is gone by then sign nothing any more. */
  async readFinal(): Promise<KeyNonces> {
    const { journal, rpc, log } = this.#parts;
    const keys = await accessKeyNonces(rpc, journal.wallet()!.accountId, "final");
    // A key that was there at a lower final block and isn't at this one was taken away between the two.
    const gone = journal.lanes
      .ready()
      .filter(({ publicKey, seenHeight }) => keys.height > seenHeight && !keys.nonces.has(publicKey));
    if (gone.length === 0) return keys;
    journal.lanes.gone(keys.height, ...gone.map(({ id }) => id));
    for (const { publicKey } of gone) log("wallet.key_gone", { public_key: publicKey, height: keys.height });
    return keys;
  }

  /**
   * Reads the nonces of lanes whose key is new, or newly adopted, from a final block: they may sign from then on. What
   * isn't there is looked for ever more rarely. A key that shows is there, whether or not any node tells what became of
   * the transaction that adds it: requests don't wait for that.
   */
  async readNew(): Promise<void> {
    const { journal, head, now, at } = this.#parts;
    const unread = journal.lanes.unread().filter(({ id }) => this.#search.isDue(id, now()));
    const adding = journal.lanes.adding(head.block?.height ?? 0, now());
    if (!this.#parts.maySign() || unread.length + adding.length === 0) return;
    for (const { id } of unread) this.#search.begin(id, now());
    const { nonces, height } = await this.readFinal();
    for (const { id, publicKey, nonceGap } of [...unread, ...adding]) {
      const nonce = nonces.get(publicKey);
      if (nonce === undefined) continue;
      journal.lanes.adopt(id, Number(nonce) + nonceGap, height);
      this.#search.end(id);
    }
    at("wallet.lanes_ready");
    const absent = unread.filter(({ publicKey }) => !nonces.has(publicKey));
    for (const { id } of absent) this.#search.missed(id, now());
    const { block } = head;
    if (block === null || height < block.height) return;
    const missing = absent.filter(({ id, isMissing }) => !isMissing && this.#search.isOver(id, block.time));
    this.#miss(missing, height);
  }

  /** Keys are not on the account, and no node merely lags. Where it is the wallet's own, only the operator can help. */
  #miss(lanes: readonly { readonly id: string; readonly publicKey: string }[], height: number): void {
    const { journal, log } = this.#parts;
    journal.lanes.gone(height, ...lanes.map(({ id }) => id));
    const { accountId } = journal.wallet()!;
    for (const { publicKey } of lanes) {
      log("wallet.key_missing", { account_id: accountId, public_key: publicKey, height });
    }
  }

  /**
   * A row whose nonce is used at the head is in a block, and its lane has room for the next one. A fork may undo that:
   * where the head has come to the height at which it was seen, and the nonce isn't used there, it has.
   */
  async free(open: readonly SignedTransactionRow[]): Promise<void> {
    const { journal, rpc } = this.#parts;
    if (!this.#parts.maySign()) return;
    const { height, nonces } = await accessKeyNonces(rpc, journal.wallet()!.accountId, "optimistic");
    const used = new Map<string, bigint>();
    const isUsed = ({ laneId, nonce }: SignedTransactionRow): boolean => {
      const lane = used.get(laneId) ?? nonces.get(journal.lanes.get(laneId).publicKey) ?? 0n;
      used.set(laneId, lane);
      return lane >= BigInt(nonce);
    };
    const ids = (rows: readonly SignedTransactionRow[]) => rows.map(({ id }) => id);
    const [on, off] = [open.filter(isUsed), open.filter((row) => !isUsed(row))];
    journal.signed.markIncluded(height, ...ids(on.filter(({ includedBy }) => includedBy === null)));
    journal.signed.markDropped(...ids(off.filter((row) => (row.includedBy ?? height) < height)));
  }

  /** What a look at the account's keys says about a row's. */
  seen(row: SignedTransactionRow, { nonces, height }: KeyNonces): KeySeen {
    const { publicKey, seenHeight } = this.#parts.journal.lanes.get(row.laneId);
    const nonce = nonces.get(publicKey);
    if (nonce !== undefined) return { nonce: Number(nonce), height };
    // A node that is behind what was seen before says nothing about what became of the key.
    return height > seenHeight ? { nonce: null, height } : null;
  }
}
