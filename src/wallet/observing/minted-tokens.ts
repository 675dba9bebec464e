import { shownTogether } from "../../chain/contract/shared-mints.ts";
import { type ContractToken, shownTokens } from "../../chain/contract/views.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import { within } from "../../waiting.ts";
import type { Carried } from "../journal/parts.ts";
import type { Runtime } from "../runtime.ts";

/** How long those who wait for the end of their mints wait for the tokens as well. Milliseconds. */
const LONGEST_MS = 2_000;
/** Intents whose tokens are kept for whoever asks first. The oldest go first. */
const MOST_KEPT = 1_000;

/** A transaction that has minted. */
export interface Minting {
  readonly contract: string;
  /** JSON of the tokens' ids, in the order of the call. */
  readonly value: Uint8Array;
  /** The mints whose tokens they are, in the order of the call. */
  readonly mints: readonly Carried[];
}

interface MintedTokensParts extends Pick<Runtime, "log"> {
  readonly rpc: ChainRpc;
}

/**
 * The tokens of mints, read once for all that shared a transaction. It only saves time and calls: what isn't here,
 * because it took long, failed or was given out, is read by whoever needs it.
 */
export class MintedTokens {
  readonly #parts: MintedTokensParts;
  readonly #kept = new Map<number, readonly (ContractToken | null)[]>();

  constructor(parts: MintedTokensParts) {
    this.#parts = parts;
  }

  /**
   * Reads them, for a while at most. They are asked for while it isn't known yet from which height on they show, and
   * once more if they were shown below that. Never rejects.
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

  /** The tokens of an intent, the first time that they are asked for. */
  take(intentId: number): readonly (ContractToken | null)[] | undefined {
    const tokens = this.#kept.get(intentId);
    this.#kept.delete(intentId);
    return tokens;
  }
}
