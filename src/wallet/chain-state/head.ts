import { type BlockHead, readBlock } from "../../chain/blocks.ts";
import type { GasPrices } from "../../chain/cost.ts";
import { ChainUnavailableError } from "../../chain/errors.ts";
import { type ProtocolLimits, protocolLimits } from "../../chain/protocol.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import { pause } from "../../waiting.ts";
import { type Cadence, firstCadence, heightAsked, heightBy, observeBlock } from "./cadence.ts";

/** Maximum age of the final block that base blocks are taken from. Milliseconds. */
const FRESH_MS = 5_000;

/** A chain without a new final block for this long stands still. Milliseconds. */
const STILL_MS = 60_000;
/** How long a block may take to come while one is waited for. Milliseconds. */
const NEXT_BLOCK_MS = 1_500;
/** When a chain that stands still is worth another try. Seconds. */
const STILL_RETRY_AFTER = 10;

/** The last final block as this object knows it, asked for once for all who want it. */
export class Head {
  readonly #rpc: ChainRpc;
  readonly #now: () => number;
  #block: BlockHead | null = null;
  #limits: ProtocolLimits | null = null;
  #cadence: Cadence | null = null;
  #readAt = 0;
  /** The final height rose at some time after this, as two looks have shown: the time of the first of them. */
  #roseAfter = Number.NEGATIVE_INFINITY;
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

  /** What gas costs at the known block. Only after a block was read. */
  get prices(): GasPrices {
    return { burnt: this.#block!.gasPrice, leastBought: this.#limits!.minGasPurchasePrice };
  }

  /** The final height that is surely reached now, by the rhythm of blocks. */
  get likelyHeight(): number {
    return this.#cadence === null ? (this.#block?.height ?? 0) : heightBy(this.#cadence, this.#now());
  }

  /** The final height that is worth asking for now, by the rhythm of blocks. */
  get heightAsked(): number {
    return this.#cadence === null ? 0 : heightAsked(this.#cadence, this.#now());
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

  /**
   * Makes sure that blocks still come, before anything new is accepted: on a chain that stands still, or on nodes that
   * are all frozen, neither balances nor nonces are what they will be. A clock that differs from the chain's is no
   * standstill: then a second look shows a higher block.
   * @throws ChainUnavailableError if none comes
   */
  async requireBlocks(): Promise<void> {
    if (this.#moves) return;
    await pause(NEXT_BLOCK_MS);
    await this.refresh();
    if (this.#moves) return;
    throw new ChainUnavailableError(
      null,
      STILL_RETRY_AFTER,
      "The chain has produced no final block for a minute",
    );
  }

  get #moves(): boolean {
    if (this.#block === null) return false;
    const now = this.#now();
    return Math.abs(now - this.#block.time) < STILL_MS || now - this.#roseAfter < STILL_MS;
  }

  async #read(): Promise<BlockHead> {
    this.#limits = await protocolLimits(this.#rpc);
    const sentAt = this.#now();
    const block = await readBlock(this.#rpc, "final");
    const asked = { sentAt, answeredAt: this.#now() };
    if (this.#block !== null && block.height > this.#block.height) this.#roseAfter = this.#readAt;
    if (this.#block === null || block.height >= this.#block.height) {
      this.#block = block;
      this.#readAt = this.#now();
    }
    this.#cadence =
      this.#cadence === null
        ? firstCadence(block, await readBlock(this.#rpc, "optimistic"), asked, this.#now())
        : observeBlock(this.#cadence, block, asked);
    return this.#block;
  }
}
