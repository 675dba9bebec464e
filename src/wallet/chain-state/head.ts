import { type BlockHead, readBlock } from "../../chain/blocks.ts";
import type { GasPrices } from "../../chain/cost.ts";
import { ChainUnavailableError } from "../../chain/errors.ts";
import { type ProtocolLimits, protocolLimits } from "../../chain/protocol.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import { pause } from "../../waiting.ts";
import { type Cadence, firstCadence, heightAsked, heightBy, observeBlock } from "./cadence.ts";

/** Maximum age of the final block used as base block. Milliseconds. */
const FRESH_MS = 5_000;

/** A chain without a new final block for this long is considered halted. Milliseconds. */
const STILL_MS = 60_000;
/** How long to wait for the next block. Milliseconds. */
const NEXT_BLOCK_MS = 1_500;
/** Retry-After while the chain is halted, seconds. */
const STILL_RETRY_AFTER = 10;

/** The last final block as known to this object, read once for concurrent calls. */
export class Head {
  readonly #rpc: ChainRpc;
  readonly #now: () => number;
  #block: BlockHead | null = null;
  #limits: ProtocolLimits | null = null;
  #cadence: Cadence | null = null;
  #readAt = 0;
  /** Time of a reading after which the final height rose, as the next reading showed. */
  #roseAfter = Number.NEGATIVE_INFINITY;
  #reading: Promise<BlockHead> | null = null;

  constructor(rpc: ChainRpc, now: () => number) {
    this.#rpc = rpc;
    this.#now = now;
  }

  /** The highest final block seen; null before the first reading. */
  get block(): BlockHead | null {
    return this.#block;
  }

  /** Number of blocks after its base block in which a transaction can be included. */
  get validityPeriod(): number {
    return this.#limits?.transactionValidityPeriod ?? Number.POSITIVE_INFINITY;
  }

  /** Gas prices at the known block. Requires a previous reading. */
  get prices(): GasPrices {
    return { burnt: this.#block!.gasPrice, leastBought: this.#limits!.minGasPurchasePrice };
  }

  /** The final height certainly reached by now, by the predicted block rate. */
  get likelyHeight(): number {
    return this.#cadence === null ? (this.#block?.height ?? 0) : heightBy(this.#cadence, this.#now());
  }

  /** The final height worth polling now, by the predicted block rate. */
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

  /** Reads the last final block. A lagging node can't lower the known height. @throws ChainUnavailableError */
  refresh(): Promise<BlockHead> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /**
   * Checks that the chain still produces blocks before anything new is accepted: balances and nonces of a halted chain,
   * or of frozen nodes, are unreliable. If only the clocks differ, a second reading returns a higher block.
   * @throws ChainUnavailableError if there is no new block
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
