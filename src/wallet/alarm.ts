import { alarmToSet } from "../domain/alarms.ts";
import type { Uuid } from "../domain/ids.ts";
import { within } from "../waiting.ts";
import type { Driver } from "./driver.ts";
import { entryOf } from "./entry.ts";
import type { Filing } from "./filing.ts";
import type { Journal } from "./journal/journal.ts";
import type { RollbackGuard } from "./rollback-guard.ts";
import type { Runtime } from "./runtime.ts";
import type { Custody } from "./signing/custody.ts";

/** Alarm interval while rows are open; resumes an evicted object. Milliseconds. */
export const OPEN_EVERY_MS = 5_000;
/** Alarm interval while intents wait for the wallet's key to return to its account. Milliseconds. */
const WAITING_EVERY_MS = 60_000;
/** How long one alarm looks after open rows before the next one takes over. Milliseconds. */
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
}

/**
 * The object's alarm, set in the same turn as the row that needs it. It drives whatever no request waits for. It
 * catches every error and sets itself again, because the platform gives up on an alarm after six failures.
 */
export class Alarm {
  readonly #parts: AlarmParts;
  /** When the alarm is set for, as far as this instance knows. */
  #setFor: number | null = null;

  constructor(parts: AlarmParts) {
    this.#parts = parts;
  }

  /**
   * Sets the alarm to the earliest time at which something needs it, unless it rings earlier anyway. One that should have
   * rung is set again.
   * @param earliestNeedMs milliseconds from now before which nothing new needs it
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

  /** What the alarm does. Never rejects, unless the storage itself fails. */
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

  /**
   * The database doesn't have an operation that should be resumed: it is older than the journal. An operation without
   * a snapshot (from an earlier release) can't be put back, so nobody is asked about it again; if a database has it
   * again, the scheduled job finds it there.
   */
  #lacks(operation: Uuid, generation: number): void {
    const { journal, log, now } = this.#parts;
    if (journal.snapshots.has(operation)) {
      this.#parts.rollbackGuard.lacks(operation, generation);
    } else {
      log("wallet.operation_lost", { operation_uuid: operation });
      journal.operations.acknowledge(operation, now());
    }
  }

  /** Lets the Worker finish operations whose rows are over and whose effects nobody acknowledged. */
  async #resumeDue(): Promise<void> {
    const { journal, log, now, at } = this.#parts;
    const due = journal.operations.takeDue(now(), RESUMED_AT_ONCE);
    const worker = entryOf(this.#parts.ctx);
    const resume = async (operation: string) => {
      try {
        at("wallet.before_resume");
        const { generation } = journal.snapshots;
        // Only false says that it is missing: a Worker of the previous release answers nothing.
        if ((await worker.resume(operation)) === false) this.#lacks(operation as Uuid, generation);
        at("wallet.resumed");
      } catch (error) {
        log("wallet.resume_failed", { operation, error });
      }
    };
    await within(RESUME_WAIT_MS, Promise.all(due.map(resume)));
  }
}
