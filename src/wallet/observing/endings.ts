import { type BlockHead, readBlock } from "../../chain/blocks.ts";
import { maxSpent } from "../../chain/cost.ts";
import { TOLERATED_BLOCKS } from "../../chain/endpoints.ts";
import { type FinalOutcome, pendingResult, readOutcome, returnedBy } from "../../chain/outcome.ts";
import type { CallOptions, ChainRpc } from "../../chain/rpc.ts";
import { pause } from "../../waiting.ts";
import type { Funds } from "../chain-state/funds.ts";
import type { Head } from "../chain-state/head.ts";
import type { IntentEnding } from "../journal/intents.ts";
import type { Journal } from "../journal/journal.ts";
import type { Move } from "../journal/machine.ts";
import type { SignedTransactionRow } from "../journal/signed.ts";
import type { Records } from "../records.ts";
import type { Runtime } from "../runtime.ts";
import type { Waiters } from "../waiters.ts";
import type { MintedTokens } from "./minted-tokens.ts";
import { afterDeath } from "./rules.ts";

/** Number of cached blocks with outcomes. */
const BLOCKS_KEPT = 100;

/** Tries for a block that no node has yet, one block interval apart: nodes that lag by one or two catch up. */
const BLOCK_TRIES = 3;

/** How a row was proven dead, for the log: its validity ended, or its nonce was used or its key deleted. */
type Death = "validity" | "block";

interface EndingsParts extends Runtime {
  readonly journal: Journal;
  readonly rpc: ChainRpc;
  readonly records: Records;
  readonly head: Head;
  readonly funds: Funds;
  readonly waiters: Waiters;
  readonly mintedTokens: MintedTokens;
  /** Called when keys were added: more may follow at once. */
  readonly grown: () => void;
}

/** Ends rows by their result and notifies waiting calls. */
export class Endings {
  readonly #parts: EndingsParts;
  /** Blocks read so far, by hash. */
  readonly #blocks = new Map<string, Promise<BlockHead | null>>();

  constructor(parts: EndingsParts) {
    this.#parts = parts;
  }

  /**
   * Ends a row with a final outcome, whose effects are visible from its highest block on. For waiting callers of a
   * mint, the tokens are read in parallel with the blocks.
   * @throws ChainUnavailableError if no node has its blocks or the last final one
   */
  async landed(row: SignedTransactionRow, outcome: FinalOutcome): Promise<void> {
    const { endpoint } = this.#parts.journal.lanes.get(row.laneId);
    const shownFrom = this.#heightOf(outcome, endpoint);
    const tokens = this.#readTokens(row, outcome, shownFrom);
    const [included, height] = await Promise.all([
      this.#block(outcome.transaction_outcome.block_hash, endpoint),
      shownFrom,
    ]);
    const identity = this.#parts.records.identityOf(row);
    const { state, ...ending } = readOutcome(identity, outcome, included?.time ?? null);
    const over = this.#end(row, state === "succeeded" ? "succeed" : "fail", { ...ending, height });
    await tokens;
    this.#tell(over);
  }

  /** Height of the last block that executed a receipt of a transaction, or an upper bound. */
  async #heightOf({ receipts_outcome }: FinalOutcome, endpoint: string | null): Promise<number> {
    const hashes = [...new Set(receipts_outcome.map(({ block_hash }) => block_hash))];
    const blocks = await Promise.all(hashes.map((hash) => this.#block(hash, endpoint)));
    const shown = blocks.flatMap((block) => block?.height ?? []);
    return shown.length > 0 && shown.length === blocks.length ? Math.max(...shown) : this.#bound();
  }

  /** Reads the tokens of a mint if a call waits for it. Never rejects. */
  #readTokens(
    row: SignedTransactionRow,
    outcome: FinalOutcome,
    height: Promise<number>,
  ): Promise<void> | null {
    const { journal, waiters, mintedTokens } = this.#parts;
    const value = returnedBy(outcome);
    if (value === null) return null;
    const mints = journal.shared.mintsOf(row.intentId);
    if (!waiters.areFor(journal.shared.operationsOf(mints.map(({ intentId }) => intentId)))) return null;
    const { receiverId: contract } = journal.intents.get(row.intentId);
    return mintedTokens.read({ contract, value, mints }, height);
  }

  /**
   * An upper bound for the blocks of a transaction that a node has just reported as FINAL: a trusted node is at most
   * that many blocks behind.
   */
  async #bound(): Promise<number> {
    return (await this.#parts.head.refresh()).height + TOLERATED_BLOCKS;
  }

  /**
   * Ends a row that is proven dead. Its intent is signed again, unless the chain permanently rejects it, or it was
   * given up before and reported as such.
   */
  died(row: SignedTransactionRow, proof: Death): void {
    const { journal, log, now } = this.#parts;
    const latest = journal.signed.find(row.id);
    if (latest === null) return;
    log("wallet.dead", { hash: row.hash, proof, refusal: row.refusal });
    if (latest.state === "open" && afterDeath(latest.refusal) === "queued") {
      journal.move("lose", { intentId: row.intentId, row: row.id, ending: null, now: now() });
      return;
    }
    const why =
      latest.refusal === null
        ? "It had no effect: no block included it, and none can include it now."
        : `The chain rejects the transaction: ${latest.refusal}.`;
    const result = {
      ...pendingResult(this.#parts.records.identityOf(row)),
      status: "failure" as const,
      failure_message: why,
    };
    this.#tell(this.#end(latest, "refuse", { ...NOTHING, result }));
  }

  /** Gives up a row that can be proven neither landed nor dead: the operator decides, and it is never signed again. */
  giveUp(row: SignedTransactionRow): void {
    this.#parts.log("wallet.unknown", { hash: row.hash });
    const result = pendingResult(this.#parts.records.identityOf(row));
    this.#tell(this.#end(row, "give_up", { ...NOTHING, result }));
  }

  /**
   * Applies the move that ends a row and its intent, unless another check has ended it already.
   * @returns operations with an intent that this ends
   */
  #end(row: SignedTransactionRow, move: Move, ending: IntentEnding): string[] {
    const { journal, funds, now, at } = this.#parts;
    if (journal.signed.find(row.id) === null) return [];
    at("wallet.before_end");
    const intent = journal.intents.get(row.intentId);
    const over = journal.move(move, { intentId: row.intentId, row: row.id, ending, now: now() });
    at("wallet.ended");
    funds.spend(maxSpent(intent.cost));
    if (intent.receiverId === journal.wallet()!.accountId && move === "succeed") this.#parts.grown();
    return over;
  }

  #tell(operations: readonly string[]): void {
    for (const operation of operations) this.#parts.waiters.notify(operation);
  }

  /**
   * A block by its hash, read once for all its transactions, first from the outcome's endpoint; null if no node has it.
   */
  #block(hash: string, endpoint: string | null): Promise<BlockHead | null> {
    const known = this.#blocks.get(hash);
    if (known) return known;
    if (this.#blocks.size > BLOCKS_KEPT) this.#blocks.clear();
    const reading = this.#readBlock(hash, endpoint);
    this.#blocks.set(hash, reading);
    return reading;
  }

  async #readBlock(hash: string, endpoint: string | null): Promise<BlockHead | null> {
    for (let tries = 1; ; tries++) {
      const block = await this.#seekBlock(hash, endpoint);
      if (block !== null) return block;
      if (tries === BLOCK_TRIES) break;
      const interval = this.#parts.head.cadence?.interval ?? 0;
      await pause(interval);
    }
    this.#blocks.delete(hash);
    return null;
  }

  async #seekBlock(hash: string, endpoint: string | null): Promise<BlockHead | null> {
    const { rpc, log } = this.#parts;
    for (const options of [{ endpoint }, ...everywhere(rpc)]) {
      try {
        return await readBlock(rpc, { block: hash }, options);
      } catch (error) {
        log("wallet.no_block", { block: hash, error });
      }
    }
    return null;
  }
}

const NOTHING = { result: null, value: null, contractCode: null, height: null } as const;

/** Each endpoint in turn, the archival ones last. */
export const everywhere = (rpc: ChainRpc): CallOptions[] => [
  ...rpc.endpoints.map((endpoint) => ({ endpoint })),
  ...archival(rpc),
];

/** The archival endpoints, if there are any. */
export const archival = (rpc: ChainRpc): CallOptions[] =>
  rpc.archival.length > 0 ? [{ archival: true }] : [];
