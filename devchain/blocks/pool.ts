/** Transactions that wait for a block: by key in the order of their nonces, as a node's pool has them. */
import type { Transaction } from "../protocol/types.ts";

export class TransactionPool {
  readonly #byHash = new Map<string, Transaction>();

  add(tx: Transaction): void {
    this.#byHash.set(tx.hash, tx);
  }

  has(hash: string): boolean {
    return this.#byHash.has(hash);
  }

  get size(): number {
    return this.#byHash.size;
  }

  remove(hash: string): void {
    this.#byHash.delete(hash);
  }

  /** All that wait: keys take turns in the order in which they came, each with its lowest nonce first. */
  ordered(): Transaction[] {
    const queues = new Map<string, Transaction[]>();
    for (const tx of this.#byHash.values()) {
      const key = `${tx.signerId}|${tx.publicKey}`;
      const queue = queues.get(key);
      if (queue) queue.push(tx);
      else queues.set(key, [tx]);
    }
    const lanes = [...queues.values()];
    for (const lane of lanes) lane.sort((a, b) => a.nonce - b.nonce);
    const ordered: Transaction[] = [];
    for (let turn = 0; ordered.length < this.#byHash.size; turn++)
      for (const lane of lanes) {
        const tx = lane[turn];
        if (tx) ordered.push(tx);
      }
    return ordered;
  }
}
