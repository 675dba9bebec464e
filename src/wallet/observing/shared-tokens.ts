import { shownTogether } from "../../chain/contract/shared-mints.ts";
import { type ContractToken, contractViews } from "../../chain/contract/views.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import { within } from "../../waiting.ts";
import type { Runtime } from "../runtime.ts";

/** How long those who wait for the end of their mints wait for the tokens as well. Milliseconds. */
const LONGEST_MS = 2_000;
/** Intents whose tokens are kept for whoever asks first. The oldest go first. */
const MOST_KEPT = 1_000;

/** A shared transaction that has succeeded. */
export interface SharedMint {
  readonly contract: string;
  /** Height from which on its tokens show. */
  readonly height: number;
  /** JSON of the tokens' ids, in the order of the call. */
  readonly value: Uint8Array | null;
  /** What it carried, in the order of the call. */
  readonly carried: readonly { readonly intentId: number; readonly tokens: number }[];
}

interface Parts extends Pick<Runtime, "log"> {
  readonly rpc: ChainRpc;
}

/**
 * The tokens of mints that shared a transaction, read once for all. It only saves calls: what isn't here, because it
 * took long, failed or was given out, is read by whoever needs it.
 */
export class SharedTokens {
  readonly #parts: Parts;
  readonly #kept = new Map<number, readonly (ContractToken | null)[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reads them, for a while at most. Never rejects. */
  async read(mint: SharedMint): Promise<void> {
    const reading = this.#read(mint).catch((error: unknown) => {
      this.#parts.log("wallet.tokens_unread", { contract: mint.contract, error });
    });
    await within(LONGEST_MS, reading);
  }

  async #read({ contract, height, value, carried }: SharedMint): Promise<void> {
    const ids = JSON.parse(new TextDecoder().decode(value ?? new Uint8Array())) as string[];
    const tokens = await contractViews(this.#parts.rpc, contract, height).tokens(ids);
    const shares = shownTogether(ids, tokens, carried);
    if (shares === null) return;
    for (const [index, { intentId }] of carried.entries()) this.#kept.set(intentId, shares[index]!);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
  }

  /** The tokens of an intent, the first time that they are asked for. */
  take(intentId: number): readonly (ContractToken | null)[] | undefined {
    const tokens = this.#kept.get(intentId);
    this.#kept.delete(intentId);
    return tokens;
  }
}
