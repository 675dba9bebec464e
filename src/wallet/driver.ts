import { ChainUnavailableError } from "../chain/errors.ts";
import { nextHeightAt } from "./chain-state/cadence.ts";
import type { Head } from "./chain-state/head.ts";
import type { Journal } from "./journal/journal.ts";
import type { LaneKeys } from "./lanes/lane-keys.ts";
import type { Observer } from "./observing/observe.ts";
import type { Runtime } from "./runtime.ts";
import type { Dispatcher } from "./signing/dispatch.ts";

/** First and longest pause after no node responded. Milliseconds. */
const FIRST_OUTAGE_PAUSE_MS = 500;
const LONGEST_OUTAGE_PAUSE_MS = 2_000;
/** Delay after a wake-up before the loop recomputes its due time, so that a burst counts once. Milliseconds. */
const NUDGE_MS = 10;

interface DriverParts extends Runtime {
  readonly journal: Journal;
  readonly head: Head;
  readonly keys: LaneKeys;
  readonly dispatcher: Dispatcher;
  readonly observer: Observer;
  /** Whether the wallet is active and its key is open. */
  readonly maySign: () => boolean;
}

/**
 * Checks open rows while the object is in memory. The loop holds no state that isn't in the journal; after an eviction
 * the alarm or the next call restarts it.
 */
export class Driver {
  readonly #parts: DriverParts;
  #running: Promise<void> | null = null;
  #wake: (() => void) | null = null;
  #outages = 0;
  #nudged = false;

  constructor(parts: DriverParts) {
    this.#parts = parts;
  }

  /** New work has arrived: it is signed at once if a lane has room, and watched until it is over. */
  wake(): void {
    this.#parts.dispatcher.start();
    void this.run();
    if (this.#nudged) return;
    this.#nudged = true;
    setTimeout(() => {
      this.#nudged = false;
      this.#wake?.();
    }, NUDGE_MS);
  }

  /** Starts the loop if the journal has work and it isn't running. */
  keepOn(): void {
    if (this.#running === null && this.busy) this.wake();
  }

  /** Runs until nothing is open. One loop at a time; never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#loop().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Whether the journal has work for the loop. */
  get busy(): boolean {
    const { journal, now } = this.#parts;
    const { queued, open } = journal.intents.counts();
    if (open > 0) return true;
    if (!this.#parts.maySign()) return false;
    const { lookAt, isLockedOut } = this.#parts.keys;
    const isMissing = journal.lanes.missing() !== null;
    return (queued > 0 && !isLockedOut) || (lookAt !== null && (!isMissing || lookAt <= now()));
  }

  async #loop(): Promise<void> {
    let due = Number.POSITIVE_INFINITY;
    while (this.busy) {
      try {
        // A wake-up may make the loop due earlier, never later: a burst of calls needs one round per block.
        due = Math.min(due, this.nextAt());
        if (await this.#isWokenBefore(due)) continue;
        due = Number.POSITIVE_INFINITY;
        await this.#parts.observer.round();
        this.#outages = 0;
      } catch (error) {
        this.#parts.log("wallet.round_failed", {
          error,
          unavailable: error instanceof ChainUnavailableError,
        });
        const pause = Math.min(FIRST_OUTAGE_PAUSE_MS * 2 ** this.#outages, LONGEST_OUTAGE_PAUSE_MS);
        this.#outages = Math.min(this.#outages + 1, 10);
        await this.#isWokenBefore(this.#parts.now() + pause);
        due = this.#parts.now();
      }
    }
  }

  /** When the next round is due: at once if signing needs a block, otherwise when the first row can be final. */
  nextAt(): number {
    const { head, journal, now } = this.#parts;
    const { cadence } = head;
    if (cadence === null) return now();
    const { lookAt, isLockedOut } = this.#parts.keys;
    if (this.#parts.dispatcher.wantsBlock && !isLockedOut) return nextHeightAt(cadence, 0, now());
    const backlog = journal.intents.counts().queued > 0 && !isLockedOut;
    const wanted = journal.signed
      .due(this.#parts.observer.asked)
      .map(({ dueHeight, askAt }) =>
        Math.max(askAt, dueHeight <= cadence.height ? 0 : nextHeightAt(cadence, dueHeight, now())),
      );
    if (lookAt !== null) wanted.push(lookAt);
    if (backlog || wanted.length === 0 || this.#parts.observer.asked.size > 0)
      wanted.push(nextHeightAt(cadence, cadence.height + 1, now()));
    return Math.min(...wanted);
  }

  /** Pauses until a time or a wake-up; true if woken. */
  async #isWokenBefore(time: number): Promise<boolean> {
    const pause = time - this.#parts.now();
    if (pause <= 0) return false;
    const woken = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), pause);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
    this.#wake = null;
    return woken;
  }
}
