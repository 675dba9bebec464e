import { type BlockHead, readBlock } from "../chain/blocks.ts";
import { type ProtocolLimits, protocolLimits } from "../chain/protocol.ts";
import type { ChainRpc } from "../chain/rpc.ts";
import { type Cadence, firstCadence, heightBy, observeBlock } from "./cadence.ts";

/** Base blocks are taken from a final block that was seen no longer ago. Milliseconds. */
const FRESH_MS = 5_000;

/** The last final block as this object knows it, asked for once for all who want it. */
export class Head {
  readonly #rpc: ChainRpc;
  readonly #now: () => number;
  #block: BlockHead | null = null;
  #limits: ProtocolLimits | null = null;
  #cadence: Cadence | null = null;
  #readAt = 0;
  #reading: Promise<BlockHead> | null = null;

  constructor(rpc: ChainRpc, now: () => number) {
    this.#rpc = rpc;
    this.#now = now;
  }

  /** The highest final block seen; null before any was. */
  get block(): BlockHead | null {
    return this.#block;
  }

  /** Blocks after its base block in which a transaction may be included. */
  get validityPeriod(): number {
    return this.#limits?.transactionValidityPeriod ?? Number.POSITIVE_INFINITY;
  }

  /** The final height that is surely reached now, by the rhythm of blocks. */
  get likelyHeight(): number {
    return this.#cadence === null ? (this.#block?.height ?? 0) : heightBy(this.#cadence, this.#now());
  }

  get cadence(): Cadence | null {
    return this.#cadence;
  }

  /** Whether transactions may be signed on the known block. */
  get fresh(): boolean {
    return this.#block !== null && this.#limits !== null && this.#now() - this.#readAt < FRESH_MS;
  }

  /** Reads the last final block. A node that lags can't take it back. @throws ChainUnavailableError */
  refresh(): Promise<BlockHead> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<BlockHead> {
    this.#limits = await protocolLimits(this.#rpc);
    const block = await readBlock(this.#rpc, "final");
    if (this.#block === null || block.height >= this.#block.height) {
      this.#block = block;
      this.#readAt = this.#now();
    }
    this.#cadence =
      this.#cadence === null
        ? firstCadence(block, await readBlock(this.#rpc, "optimistic"), this.#now())
        : observeBlock(this.#cadence, block, this.#now());
    return this.#block;
  }
}
