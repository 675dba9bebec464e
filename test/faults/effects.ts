/** What really happened: the calls of contracts that succeeded, read from the blocks of the chain itself. */
import type { Chain } from "../../devchain/blocks/chain.ts";
import { MARKERS } from "./marker.ts";
import { burnOf, METHODS, revealOf } from "./workload.ts";

/** A call of a contract that succeeded. */
export interface Effect {
  readonly hash: string;
  readonly method: string;
  readonly height: number;
}

/** A transaction that carries evidence of an operation, whatever became of it. */
interface Carrier extends Effect {
  readonly signer: string;
  readonly nonce: number;
  readonly succeeded: boolean;
}

/** Blocks above a transaction's within which all its receipts are executed. */
const EXECUTION_BLOCKS = 10;

/** What names operations in a call: markers, the token that it burns, the collection that it reveals. */
const evidenceIn = (contract: string, method: string, args: Uint8Array): Set<string> => {
  const bytes = Buffer.from(args);
  const text = bytes.toString("latin1");
  const names = new Set<string>(text.match(MARKERS) ?? []);
  if (method === METHODS.nft_burn)
    names.add(burnOf(contract, (JSON.parse(text) as { token_id: string }).token_id));
  if (method === METHODS.collection_reveal) names.add(revealOf(contract, bytes.readUInt32LE()));
  return names;
};

/** Effects by their evidence, over the blocks read so far. */
export class Effects {
  readonly #chain: Chain;
  readonly #byEvidence = new Map<string, Carrier[]>();
  #read = 0;
  #shared = 0;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** Reads the blocks that became final since. With `all`, those whose receipts may still run as well. */
  read(all = false): void {
    const { store, finalHeight } = this.#chain;
    const until = all ? finalHeight : store.heightAtOrBelow(Math.max(0, finalHeight - EXECUTION_BLOCKS));
    // Heights may be passed over, a million at once: blocks are followed backwards by their links.
    const heights: number[] = [];
    for (let height: number | null = until; height !== null && height > this.#read; ) {
      heights.push(height);
      height = this.#chain.block(height)?.prevHeight ?? null;
    }
    for (const height of heights.reverse()) {
      for (const hash of this.#chain.block(height)!.transactions) this.#add(hash, height);
    }
    this.#read = Math.max(this.#read, until);
  }

  #add(hash: string, height: number): void {
    const { tx } = this.#chain.transaction(hash)!;
    for (const action of tx.actions) {
      if (action.type !== "FunctionCall") continue;
      const names = evidenceIn(tx.receiverId, action.methodName, action.args);
      if (names.size > 1 && this.#succeeded(hash)) this.#shared += 1;
      for (const name of names) {
        const { signerId: signer, nonce } = tx;
        const carrier = {
          hash,
          method: action.methodName,
          height,
          signer,
          nonce,
          succeeded: this.#succeeded(hash),
        };
        this.#byEvidence.set(name, [...(this.#byEvidence.get(name) ?? []), carrier]);
      }
    }
  }

  #succeeded(hash: string): boolean {
    let outcome = this.#chain.outcome(hash);
    while (outcome && "SuccessReceiptId" in outcome.status)
      outcome = this.#chain.outcome(outcome.status.SuccessReceiptId);
    return outcome !== undefined && "SuccessValue" in outcome.status;
  }

  /** The calls of a method with this evidence that succeeded. */
  of(evidence: string, method: string): Effect[] {
    return this.carriers(evidence).filter((carrier) => carrier.succeeded && carrier.method === method);
  }

  /** How many calls did what several operations wanted. */
  get shared(): number {
    return this.#shared;
  }

  /** All transactions with this evidence that are in blocks. */
  carriers(evidence: string): readonly Carrier[] {
    return this.#byEvidence.get(evidence) ?? [];
  }
}
