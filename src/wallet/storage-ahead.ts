import { setBounded } from "../domain/bounded-map.ts";
import { pause } from "../waiting.ts";
import type { Funds } from "./chain-state/funds.ts";
import type { WorkerEntry } from "./entry.ts";
import type { Journal } from "./journal/journal.ts";
import type { Runtime } from "./runtime.ts";

/** Orders of so long say what comes next: a top-up takes about half of it to be final. Milliseconds. */
const WINDOW_MS = 10_000;
/** How much more than the orders of a window a contract is given, so that a drop needs few top-ups. */
const WINDOWS_AHEAD = 3;
/** Tokens that a wallet orders before it asks what their contract can hold, at first and at least. */
const FIRST_LOOK = 25;
/** How long a burst is given to arrive before its tokens are counted. Milliseconds. */
const BURST_MS = 200;
/** Collections that are watched at once; beyond it the one goes whose last order is longest ago. */
const MOST_WATCHED = 1_000;
/** Share of what the wallet can spend that goes into a top-up at most, as its divisor. */
const MOST_SHARE = 2n;

/** Tokens that were ordered in this window and in the one before it. */
export interface Pace {
  readonly window: number;
  readonly tokens: number;
  readonly before: number;
}

export const NO_PACE: Pace = { window: 0, tokens: 0, before: 0 };

/** The pace after tokens were ordered. @param now milliseconds since the epoch */
export const paced = ({ window, tokens, before }: Pace, ordered: number, now: number): Pace => {
  const current = Math.floor(now / WINDOW_MS);
  if (current === window) return { window, tokens: tokens + ordered, before };
  return { window: current, tokens: ordered, before: current === window + 1 ? tokens : 0 };
};

/** Tokens that a window takes at this pace, and those that a top-up should be for. */
export const demandOf = ({ tokens, before }: Pace): { readonly least: number; readonly wanted: number } => {
  const least = Math.max(tokens, before);
  return { least, wanted: WINDOWS_AHEAD * least };
};

/**
 * How many more tokens may be ordered before the contract is looked at again: half of what it holds beyond a window's.
 * @param holds tokens; null: nothing can be done about this contract
 */
export const nextLookAfter = (holds: number | null, least: number): number =>
  Math.max(FIRST_LOOK, Math.floor(holds === null ? least : Math.max((holds - least) / 2, least / 4)));

interface Watched {
  pace: Pace;
  /** Tokens that may be ordered until the next look. */
  left: number;
  isLooking: boolean;
}

interface StorageAheadParts extends Pick<Runtime, "now" | "log"> {
  readonly journal: Journal;
  readonly funds: Funds;
  readonly entry: Pick<WorkerEntry, "provideStorage">;
}

/**
 * Has contracts topped up before a drop's mints need it. A mint that its contract can't pay the storage of fails, and
 * all that share its transaction wait until its operation has paid: ten seconds in which nothing of the drop is minted.
 * Kept in memory only: what is forgotten costs a look, and a mint that finds too little pays as ever.
 */
export class StorageAhead {
  readonly #parts: StorageAheadParts;
  readonly #watched = new Map<string, Watched>();

  constructor(parts: StorageAheadParts) {
    this.#parts = parts;
  }

  /** Tokens of a collection were ordered. Never rejects and never waits. */
  ordered(contract: string, collectionId: number, tokens: number): void {
    const name = `${contract}:${collectionId}`;
    const watched = this.#watched.get(name) ?? { pace: NO_PACE, left: FIRST_LOOK, isLooking: false };
    // The one whose orders came last is the newest.
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
