import { shownTogether } from "../../chain/contract/shared-mints.ts";
import { type ContractToken, shownTokens } from "../../chain/contract/views.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import { within } from "../../waiting.ts";
import type { Carried } from "../journal/parts.ts";
import type { Runtime } from "../runtime.ts";

/** Maximum time that callers waiting for their mints also wait for the tokens. Milliseconds. */
const LONGEST_MS = 2_000;
/** Maximum number of intents with cached tokens. The oldest are evicted. */
const MOST_KEPT = 1_000;

/** A transaction that has minted. */
export interface Minting {
  readonly contract: string;
  /** JSON array of token ids, in the order of the call. */
  readonly value: Uint8Array;
  /** The mints of these tokens, in the order of the call. */
  readonly mints: readonly Carried[];
}

interface MintedTokensParts extends Pick<Runtime, "log"> {
  readonly rpc: ChainRpc;
}

/**
 * Tokens of mints, read once for all mints of a transaction. Only an optimization: tokens missing here, because reading
 * was slow, failed, or they were already returned, are read by the caller.
 */
export class MintedTokens {
  readonly #parts: MintedTokensParts;
  readonly #kept = new Map<number, readonly (ContractToken | null)[]>();

  constructor(parts: MintedTokensParts) {
    this.#parts = parts;
  }

  /**
   * Reads the tokens, with a timeout. The first read starts before the required height is known, and is repeated if it
   * was below that height. Never rejects.
   */
  async read(minting: Minting, height: Promise<number>): Promise<void> {
    const reading = this.#read(minting, height).catch((error: unknown) => {
      this.#parts.log("wallet.tokens_unread", { contract: minting.contract, error });
    });
    await within(LONGEST_MS, reading);
  }

  async #read({ contract, value, mints }: Minting, height: Promise<number>): Promise<void> {
    const ids = JSON.parse(new TextDecoder().decode(value)) as string[];
    const [first, atLeast] = await Promise.all([this.#show(contract, ids, 0), height]);
    const { tokens } = first.height >= atLeast ? first : await this.#show(contract, ids, atLeast);
    const shares = shownTogether(ids, tokens, mints);
    if (shares === null) return;
    for (const [index, { intentId }] of mints.entries()) this.#kept.set(intentId, shares[index]!);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
  }

  #show(contract: string, ids: readonly string[], atLeast: number) {
    return shownTokens(this.#parts.rpc, contract, ids, atLeast);
  }

  /** Returns the tokens of an intent once. */
  take(intentId: number): readonly (ContractToken | null)[] | undefined {
    const tokens = this.#kept.get(intentId);
    this.#kept.delete(intentId);
    return tokens;
  }
}
