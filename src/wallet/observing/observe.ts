import { ChainUnavailableError } from "../../chain/errors.ts";
import type { Head } from "../chain-state/head.ts";
import type { Journal } from "../journal/journal.ts";
import type { SignedTransactionRow } from "../journal/signed.ts";
import type { LaneKeys } from "../lanes/lane-keys.ts";
import type { Runtime } from "../runtime.ts";
import type { Dispatcher } from "../signing/dispatch.ts";
import type { Looker, Round } from "./look.ts";
import { failedPause, unansweredPause } from "./rules.ts";

/** Rows polled in parallel with the final block and the lanes' nonces: the remaining connections. */
const POLLED_EARLY = 4;
/** Number of given-up rows that one reconciliation checks again. */
const AGAIN_AT_ONCE = 5;

interface ObserverParts extends Runtime {
  readonly journal: Journal;
  readonly head: Head;
  readonly dispatcher: Dispatcher;
  readonly looker: Looker;
  readonly keys: LaneKeys;
}

/** Checks all due rows in parallel: a problem with one row doesn't delay others. */
export class Observer {
  readonly #parts: ObserverParts;
  /** Rows being checked. */
  readonly #asked = new Set<number>();

  constructor(parts: ObserverParts) {
    this.#parts = parts;
  }

  /** Rows being checked, which aren't due until that ends. */
  get asked(): ReadonlySet<number> {
    return this.#asked;
  }

  /**
   * Starts checking all due rows without waiting for them, because lanes wait for a round. Rows whose outcome should be
   * final are polled in parallel with the final block, so that their callers wait for one response instead of two.
   * @throws ChainUnavailableError if no node returns the last final block
   */
  async round(): Promise<void> {
    const { head } = this.#parts;
    const refreshed = head.refresh();
    const hasFinalBlock = refreshed.then(
      () => true,
      () => false,
    );
    const readKeys = once(() => this.#parts.keys.readFinal());
    const begin = (rows: readonly SignedTransactionRow[]) => {
      for (const row of rows) void this.#look(row, { hasFinalBlock, readKeys });
    };
    const expected = this.#dueAt(head.heightAsked).filter(
      ({ landed, unproven }) => !landed && unproven === 0,
    );
    begin(expected.slice(0, POLLED_EARLY));
    const freed = this.#freeLanes();
    const { height } = await refreshed;
    await this.#without("wallet.lanes_unread", () => this.#parts.keys.readNew());
    await freed;
    this.#parts.dispatcher.start();
    begin(this.#dueAt(height));
  }

  /** Finds lanes that have room again, if intents are queued. Never rejects. */
  async #freeLanes(): Promise<void> {
    const { journal, keys } = this.#parts;
    const open = journal.signed.open();
    const isLaneTaken = open.some(({ includedBy, landed }) => includedBy === null && !landed);
    if (journal.intents.counts().queued === 0 || !isLaneTaken) return;
    await this.#without("wallet.lanes_not_freed", () => keys.free(open));
  }

  /** Open rows that are due at a final height and aren't being checked. */
  #dueAt(height: number): SignedTransactionRow[] {
    const { journal, now } = this.#parts;
    return journal.signed
      .open()
      .filter((row) => row.dueHeight <= height && row.askAt <= now() && !this.#asked.has(row.id));
  }

  /** Checks some given-up rows again. Never rejects. */
  async lookAgain(): Promise<void> {
    const readKeys = once(async () => {
      await this.#parts.head.refresh();
      return this.#parts.keys.readFinal();
    });
    for (const row of this.#parts.journal.signed.givenUp(AGAIN_AT_ONCE)) {
      await this.#without("wallet.look_failed", () => this.#parts.looker.lookAgain(row, readKeys));
    }
  }

  /** Checks one row. Never rejects: on an error, only this row is postponed. */
  async #look(row: SignedTransactionRow, round: Round): Promise<void> {
    const { journal, head, now } = this.#parts;
    this.#asked.add(row.id);
    try {
      await this.#parts.looker.look(row, round);
    } catch (error) {
      this.#parts.log("wallet.look_failed", { hash: row.hash, error });
      const isOutage = error instanceof ChainUnavailableError;
      const pause = isOutage ? unansweredPause(row.tries) : failedPause(row.tries);
      journal.signed.putOff(row.id, head.block?.height ?? 0, now() + pause);
    } finally {
      this.#asked.delete(row.id);
      this.#parts.dispatcher.start();
    }
  }

  /** Runs work that isn't urgent: a failure is logged and the next round retries. */
  async #without(event: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.log(event, { error });
    }
  }
}

/** Runs work once, on first use. */
const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let done: Promise<T> | null = null;
  return () => {
    done ??= work();
    return done;
  };
};
