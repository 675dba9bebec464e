import { alarmToSet } from "../domain/alarms.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Settings } from "../env.ts";
import { within } from "../waiting.ts";
import type { Driver } from "./driver.ts";
import type { Wallet } from "./interface.ts";
import type { Journal } from "./journal/journal.ts";
import { keptMs } from "./journal/timing.ts";
import type { Outbox } from "./outbox.ts";
import type { Runtime } from "./runtime.ts";
import type { Custody } from "./signing/custody.ts";

/** Alarm interval while rows are open; resumes an evicted object. Milliseconds. */
export const OPEN_EVERY_MS = 5_000;
/** Alarm interval while intents wait for the wallet's key to be back on its account. Milliseconds. */
const WAITING_EVERY_MS = 60_000;
/** How long one alarm watches open rows before the next one takes over. Milliseconds. */
const STAY_MS = 20_000;
/** How long one alarm waits for the operations it resumes. Milliseconds. */
const RESUME_WAIT_MS = 25_000;
const RESUMED_AT_ONCE = 10;
/** An operation that is due for longer is driven by the next call too: the platform may never run an alarm. Milliseconds. */
const OVERDUE_MS = 15_000;
/** Rows of ended operations are removed together, so many at once. Milliseconds. */
const FORGET_EVERY_MS = 60_000;
const FORGOTTEN_AT_ONCE = 250;
const FORGET_STEPS = 16;

interface AlarmParts extends Runtime {
  readonly ctx: DurableObjectState;
  readonly journal: Journal;
  readonly driver: Driver;
  readonly outbox: Outbox;
  readonly settings: Pick<Settings, "JOURNAL_KEPT_DAYS">;
  readonly custody: Pick<Custody, "unlock">;
  readonly resume: Wallet["resume"];
  readonly shippingDue: () => number | null;
}

/**
 * The object's alarm, set in the same turn as the row that needs it. It drives work that no request is waiting for. It
 * catches every error and sets itself again, because the platform gives up on an alarm after six failures.
 */
export class Alarm {
  readonly #parts: AlarmParts;
  /** The time the alarm is set for, as known to this instance. */
  #setFor: number | null = null;

  constructor(parts: AlarmParts) {
    this.#parts = parts;
  }

  /**
   * Sets the alarm to the earliest time at which it is needed, unless it is set for an earlier one. An overdue alarm is
   * set again.
   * @param earliestNeedMs lower bound of the next need, milliseconds from now
   */
  async arm(earliestNeedMs = 0): Promise<void> {
    const now = this.#parts.now();
    if (alarmToSet(now, this.#setFor, now + earliestNeedMs) === null) return;
    const at = alarmToSet(now, this.#setFor, this.#wantedAt());
    if (at === null) return;
    this.#setFor = at;
    await this.#parts.ctx.storage.setAlarm(at);
  }

  #wantedAt(): number | null {
    const { journal, now } = this.#parts;
    const { operations } = journal;
    const times = [
      operations.nextResume(),
      this.#nextForgotten(),
      this.#parts.outbox.next(),
      this.#parts.shippingDue(),
    ];
    if (this.#parts.driver.busy) times.push(now() + OPEN_EVERY_MS);
    else if (journal.intents.counts().queued > 0) times.push(now() + WAITING_EVERY_MS);
    const wanted = times.filter((time) => time !== null);
    return wanted.length === 0 ? null : Math.min(...wanted);
  }

  /** Handles the alarm. Never rejects, unless the storage itself fails. */
  async ring(): Promise<void> {
    this.#setFor = null;
    const { log, at, custody } = this.#parts;
    try {
      at("wallet.alarm");
      await custody.unlock();
      await Promise.all([this.#resumeDue(), within(STAY_MS, this.#parts.driver.run())]);
      await this.#resumeDue();
      await within(STAY_MS, this.#parts.outbox.run());
      this.#forget();
    } catch (error) {
      log("wallet.alarm_failed", { error });
    } finally {
      await this.arm();
    }
  }

  get #keptMs(): number {
    const { journal, settings } = this.#parts;
    return keptMs(journal.bytes, settings.JOURNAL_KEPT_DAYS);
  }

  /** When rows of an ended operation are to be removed, milliseconds since the epoch; null: of none. */
  #nextForgotten(): number | null {
    const first = this.#parts.journal.operations.firstAcknowledged();
    return first === null ? null : first + this.#keptMs + FORGET_EVERY_MS;
  }

  #forget(): void {
    const { journal, now } = this.#parts;
    for (let step = 0; step < FORGET_STEPS; step++) {
      const before = now() - this.#keptMs;
      if (!journal.atomically(() => journal.operations.forgetOld(before, now(), FORGOTTEN_AT_ONCE))) return;
    }
  }

  /** Drives operations that are due, which nobody may wait for. */
  async #resumeDue(): Promise<void> {
    const { journal, log, now, at } = this.#parts;
    const due = journal.operations.takeDue(now(), RESUMED_AT_ONCE);
    const resume = async (operation: Uuid) => {
      try {
        at("wallet.before_resume");
        await this.#parts.resume(operation, RESUME_WAIT_MS);
        at("wallet.resumed");
      } catch (error) {
        log("wallet.resume_failed", { operation, error });
      }
    };
    await within(RESUME_WAIT_MS, Promise.all(due.map(resume)));
  }

  /** Does what is overdue, though the alarm may never ring. */
  async wake(): Promise<void> {
    await this.arm();
    this.#parts.outbox.wake();
    const next = this.#parts.journal.operations.nextResume();
    if (next !== null && next + OVERDUE_MS < this.#parts.now()) await this.#resumeDue();
  }
}
