import { setBounded } from "../domain/bounded-map.ts";
import { pause } from "../waiting.ts";
import type { Funds } from "./chain-state/funds.ts";
import type { WorkerEntry } from "./interface.ts";
import type { Journal } from "./journal/journal.ts";
import type { Runtime } from "./runtime.ts";

/** Orders of this period predict the next: a top-up takes about half of it to be final. Milliseconds. */
const WINDOW_MS = 10_000;
/** Number of windows that a top-up covers, so that a drop needs few top-ups. */
const WINDOWS_AHEAD = 3;
/** Minimum number of tokens ordered before the contract's storage is checked. */
const FIRST_LOOK = 25;
/** Delay for a burst to arrive before its tokens are counted. Milliseconds. */
const BURST_MS = 200;
/** Maximum number of watched collections; the one with the oldest order is evicted. */
const MOST_WATCHED = 1_000;
/** Divisor for the part of the spendable balance that a top-up may use. */
const MOST_SHARE = 2n;

/** Tokens ordered in the current window and in the one before it. */
export interface Pace {
  readonly window: number;
  readonly tokens: number;
  readonly before: number;
}

export const NO_PACE: Pace = { window: 0, tokens: 0, before: 0 };

/** The pace after an order. @param now milliseconds since the epoch */
export const paced = ({ window, tokens, before }: Pace, ordered: number, now: number): Pace => {
  const current = Math.floor(now / WINDOW_MS);
  if (current === window) return { window, tokens: tokens + ordered, before };
  return { window: current, tokens: ordered, before: current === window + 1 ? tokens : 0 };
};

/** Tokens per window at this pace, and the number a top-up should cover. */
export const demandOf = ({ tokens, before }: Pace): { readonly least: number; readonly wanted: number } => {
  const least = Math.max(tokens, before);
  return { least, wanted: WINDOWS_AHEAD * least };
};

/**
 * Tokens that may be ordered before the next check: half of the storage beyond one window's.
 * @param holds tokens; null if the contract can't be topped up
 */
export const nextLookAfter = (holds: number | null, least: number): number =>
  Math.max(FIRST_LOOK, Math.floor(holds === null ? least : Math.max((holds - least) / 2, least / 4)));

interface Watched {
  pace: Pace;
  /** Tokens that may be ordered until the next check. */
  left: number;
  isLooking: boolean;
}

interface StorageAheadParts extends Pick<Runtime, "now" | "log"> {
  readonly journal: Journal;
  readonly funds: Funds;
  readonly entry: Pick<WorkerEntry, "provideStorage">;
}

/**
 * Tops up contracts before a drop's mints need the storage. A mint without enough storage fails, and all mints that
 * share its transaction wait until its operation has paid: ten seconds without a mint. The state is in memory only:
 * losing it costs a check, and a mint without enough storage still pays for itself.
 */
export class StorageAhead {
  readonly #parts: StorageAheadParts;
  readonly #watched = new Map<string, Watched>();

  constructor(parts: StorageAheadParts) {
    this.#parts = parts;
  }

  /** Records ordered tokens of a collection. Never rejects and never waits. */
  ordered(contract: string, collectionId: number, tokens: number): void {
    const name = `${contract}:${collectionId}`;
    const watched = this.#watched.get(name) ?? { pace: NO_PACE, left: FIRST_LOOK, isLooking: false };
    // Keep the most recently ordered collection last.
    this.#watched.delete(name);
    setBounded(this.#watched, MOST_WATCHED, name, watched);
    watched.pace = paced(watched.pace, tokens, this.#parts.now());
    watched.left -= tokens;
    if (watched.left > 0 || watched.isLooking) return;
    watched.isLooking = true;
    void this.#look(contract, collectionId, watched);
  }

  async #look(contract: string, collectionId: number, watched: Watched): Promise<void> {
    let holds: number | null = null;
    try {
      await pause(BURST_MS);
      const { journal, funds, entry } = this.#parts;
      const spendable = funds.forSigning(journal.intents.reserved()) / MOST_SHARE;
      const most = (spendable > 0n ? spendable : 0n).toString();
      holds = await entry.provideStorage({ contract, collectionId, ...demandOf(watched.pace), most });
    } catch (error) {
      this.#parts.log("wallet.storage_unasked", { contract, error });
    }
    watched.left = nextLookAfter(holds, demandOf(watched.pace).least);
    watched.isLooking = false;
  }
}
