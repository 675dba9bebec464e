import { ChainUnavailableError } from "../../chain/errors.ts";
import { within } from "../../waiting.ts";
import type { Head } from "../chain-state/head.ts";
import type { Journal } from "../journal/journal.ts";
import type { SignedTransactionRow } from "../journal/signed.ts";
import type { LaneKeys } from "../lanes/lane-keys.ts";
import type { Runtime } from "../runtime.ts";
import type { Dispatcher } from "../signing/dispatch.ts";
import type { Looker } from "./look.ts";
import { failedPause, unansweredPause } from "./rules.ts";

/** How long a round waits for its rows. Slower ones go on by themselves. Milliseconds. */
const ROUND_MS = 1_000;
/** How many rows that were given up one reconciliation looks at again. */
const AGAIN_AT_ONCE = 5;

interface Parts extends Runtime {
  readonly journal: Journal;
  readonly head: Head;
  readonly dispatcher: Dispatcher;
  readonly looker: Looker;
  readonly keys: LaneKeys;
}

/** Looks at everything that is due, a row beside the other: what one row meets delays no other. */
export class Observer {
  readonly #parts: Parts;
  /** Rows that are being looked at. */
  readonly #asked = new Set<number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Rows that are being looked at, and are not due until that is over. */
  get asked(): ReadonlySet<number> {
    return this.#asked;
  }

  /** One look at everything that is due. @throws ChainUnavailableError if no node tells the last final block */
  async round(): Promise<void> {
    const { journal, head, now } = this.#parts;
    const { height } = await head.refresh();
    await this.#without("wallet.lanes_unread", () => this.#parts.keys.readNew());
    const open = journal.signed.open();
    const isLaneTaken = open.some(({ includedBy, landed }) => includedBy === null && !landed);
    if (journal.intents.counts().queued > 0 && isLaneTaken) {
      await this.#without("wallet.lanes_not_freed", () => this.#parts.keys.free(open));
    }
    this.#parts.dispatcher.start();
    const due = open.filter(
      (row) => row.dueHeight <= height && row.askAt <= now() && !this.#asked.has(row.id),
    );
    const readKeys = once(() => this.#parts.keys.readFinal());
    await within(ROUND_MS, Promise.all(due.map((row) => this.#look(row, readKeys))));
    this.#parts.dispatcher.start();
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
  async #look(row: SignedTransactionRow, readKeys: Parameters<Looker["look"]>[1]): Promise<void> {
    const { journal, head, now } = this.#parts;
    this.#asked.add(row.id);
    try {
      await this.#parts.looker.look(row, readKeys);
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
