import { alarmToSet } from "../domain/alarms.ts";
import type { Uuid } from "../domain/ids.ts";
import { within } from "../waiting.ts";
import type { Driver } from "./driver.ts";
import type { Filing } from "./filing.ts";
import type { Wallet } from "./interface.ts";
import type { Journal } from "./journal/journal.ts";
import type { RollbackGuard } from "./rollback-guard.ts";
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

interface AlarmParts extends Runtime {
  readonly ctx: DurableObjectState;
  readonly journal: Journal;
  readonly driver: Driver;
  readonly rollbackGuard: RollbackGuard;
  readonly filing: Filing;
  readonly custody: Pick<Custody, "unlock">;
  readonly resume: Wallet["resume"];
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
    const times = [operations.nextResume(), this.#parts.filing.next()];
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
      await this.#parts.filing.run();
    } catch (error) {
      log("wallet.alarm_failed", { error });
    } finally {
      await this.arm();
    }
  }

  /** Resumes operations whose rows are over and whose effects aren't acknowledged. */
  async #resumeDue(): Promise<void> {
    const { journal, log, now, at, rollbackGuard } = this.#parts;
    const due = journal.operations.takeDue(now(), RESUMED_AT_ONCE);
    const resume = async (operation: Uuid) => {
      try {
        at("wallet.before_resume");
        const { generation } = journal.snapshots;
        if (!(await this.#parts.resume(operation, RESUME_WAIT_MS)))
          rollbackGuard.lacks(operation, generation);
        at("wallet.resumed");
      } catch (error) {
        log("wallet.resume_failed", { operation, error });
      }
    };
    await within(RESUME_WAIT_MS, Promise.all(due.map(resume)));
  }
}
