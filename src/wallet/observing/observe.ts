import { ChainUnavailableError } from "../../chain/errors.ts";
import type { Head } from "../chain-state/head.ts";
import type { Journal } from "../journal/journal.ts";
import type { SignedTransactionRow } from "../journal/signed.ts";
import type { LaneKeys } from "../lanes/lane-keys.ts";
import type { Runtime } from "../runtime.ts";
import type { Dispatcher } from "../signing/dispatch.ts";
import type { Looker, Round } from "./look.ts";
import { failedPause, unansweredPause } from "./rules.ts";

/** Rows that are asked about beside the last final block and the lanes' nonces: the connections that these leave. */
const BESIDE = 4;
/** How many rows that were given up one reconciliation looks at again. */
const AGAIN_AT_ONCE = 5;

interface ObserverParts extends Runtime {
  readonly journal: Journal;
  readonly head: Head;
  readonly dispatcher: Dispatcher;
  readonly looker: Looker;
  readonly keys: LaneKeys;
}

/** Looks at everything that is due, a row beside the other: what one row meets delays no other. */
export class Observer {
  readonly #parts: ObserverParts;
  /** Rows that are being looked at. */
  readonly #asked = new Set<number>();

  constructor(parts: ObserverParts) {
    this.#parts = parts;
  }

  /** Rows that are being looked at, and are not due until that is over. */
  get asked(): ReadonlySet<number> {
    return this.#asked;
  }

  /**
   * Begins to look at everything that is due, and waits for none of it: what a round waits for, lanes wait for. Rows
   * whose outcome should be final by now are asked about beside the last final block, so that their callers wait for one
   * answer and not for two.
   * @throws ChainUnavailableError if no node tells the last final block
   */
  async round(): Promise<void> {
    const { head } = this.#parts;
    const refreshed = head.refresh();
    const told = refreshed.then(
      () => true,
      () => false,
    );
    const readKeys = once(() => this.#parts.keys.readFinal());
    const begin = (rows: readonly SignedTransactionRow[]) => {
      for (const row of rows) void this.#look(row, { told, readKeys });
    };
    const expected = this.#dueAt(head.heightAsked).filter(
      ({ landed, unproven }) => !landed && unproven === 0,
    );
    begin(expected.slice(0, BESIDE));
    const freed = this.#freeLanes();
    const { height } = await refreshed;
    await this.#without("wallet.lanes_unread", () => this.#parts.keys.readNew());
    await freed;
    this.#parts.dispatcher.start();
    begin(this.#dueAt(height));
  }

  /** Sees which lanes have room again, where something waits for one. Never rejects. */
  async #freeLanes(): Promise<void> {
    const { journal, keys } = this.#parts;
    const open = journal.signed.open();
    const isLaneTaken = open.some(({ includedBy, landed }) => includedBy === null && !landed);
    if (journal.intents.counts().queued === 0 || !isLaneTaken) return;
    await this.#without("wallet.lanes_not_freed", () => keys.free(open));
  }

  /** Open rows that are due at a final height, and that nobody is asking about. */
  #dueAt(height: number): SignedTransactionRow[] {
    const { journal, now } = this.#parts;
    return journal.signed
      .open()
      .filter((row) => row.dueHeight <= height && row.askAt <= now() && !this.#asked.has(row.id));
  }

  /** Looks again at some rows that were given up, one reconciliation's share. Never rejects. */
  async lookAgain(): Promise<void> {
    const readKeys = once(async () => {
      await this.#parts.head.refresh();
      return this.#parts.keys.readFinal();
    });
    for (const row of this.#parts.journal.signed.givenUp(AGAIN_AT_ONCE)) {
      await this.#without("wallet.look_failed", () => this.#parts.looker.lookAgain(row, readKeys));
    }
  }

  /** Looks at one row. Never rejects: whatever comes of it, this row alone is put off. */
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

  /** Does work that isn't urgent: a failure is logged, and the next round tries again. */
  async #without(event: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.log(event, { error });
    }
  }
}

/** Work that is done once, when it is first wanted. */
const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let done: Promise<T> | null = null;
  return () => {
    done ??= work();
    return done;
  };
};
