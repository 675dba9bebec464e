import { newUuid } from "../domain/ids.ts";
import type { Settings } from "../env.ts";
import { journalKey } from "../files/storage/keys.ts";
import { putLines } from "../files/storage/line-files.ts";
import { within } from "../waiting.ts";
import type { Driver } from "./driver.ts";
import type { ToFile } from "./journal/forgetting.ts";
import type { Journal } from "./journal/journal.ts";
import { isLarge, nameTtlMs, type Retention, retentionOf } from "./journal/timing.ts";
import type { Runtime } from "./runtime.ts";

/** Files written per alarm: more than a wallet accepts in that time, and fewer while it is busy. */
const STEPS = 16;
const STEPS_WHILE_BUSY = 4;
/** Timeout for writing a file. A file that arrives later is unreferenced. Milliseconds. */
const PUT_MS = 10_000;
/** Pause after R2 failed to store a file. Milliseconds. */
const PAUSE_MS = 60_000;
/** Names of forgotten operations that one step deletes. */
const NAMES = 500;

interface FilingParts extends Runtime {
  readonly journal: Journal;
  readonly bucket: R2Bucket;
  /** Its id is part of the files' keys. */
  readonly ctx: Pick<DurableObjectState, "id">;
  readonly settings: Pick<Settings, "JOURNAL_KEPT_DAYS" | "JOURNAL_FILES_KEPT_DAYS">;
  readonly driver: Pick<Driver, "busy">;
}

/**
 * Removes operations from the journal after their retention time. The data that recovery needs is first written to a
 * file in R2. A crash in between leaves a file that the journal doesn't reference, and the next run writes another; the
 * scheduled job deletes both.
 */
export class Filing {
  readonly #parts: FilingParts;
  /** No writes to R2 until then. Milliseconds since the epoch. */
  #pausedUntil = 0;

  constructor(parts: FilingParts) {
    this.#parts = parts;
  }

  /** When the next operation is due, milliseconds since the epoch; null if there is none. */
  next(): number | null {
    const next = this.#parts.journal.forgetting.next(this.#terms);
    return next === null ? null : Math.max(next, this.#pausedUntil);
  }

  get #terms(): Retention {
    return retentionOf(this.#parts.journal.bytes, this.#parts.settings);
  }

  /** Removes operations that are due, up to the limit of one alarm. */
  async run(): Promise<void> {
    const { journal, now, driver } = this.#parts;
    const steps = driver.busy && !isLarge(journal.bytes) ? STEPS_WHILE_BUSY : STEPS;
    for (let step = 0; step < steps && now() >= this.#pausedUntil; step++) {
      journal.atomically(() => journal.snapshots.forgetNames(now() - nameTtlMs(journal.bytes), NAMES));
      if (!journal.forgetting.isTime(now(), this.#terms)) return;
      const taken = journal.atomically(() => journal.forgetting.take(now(), this.#terms));
      if (taken.length > 0) await this.#file(taken);
    }
  }

  async #file(taken: readonly ToFile[]): Promise<void> {
    const { journal, bucket, ctx, now, log, at } = this.#parts;
    const writtenAt = now();
    const key = journalKey(ctx.id.toString(), new Date(writtenAt), newUuid());
    at("wallet.before_file");
    try {
      const lines = taken.map(({ line }) => line);
      if ((await within(PUT_MS, putLines(bucket, key, lines))) === null) throw new Error("R2 took too long");
    } catch (error) {
      this.#pausedUntil = now() + PAUSE_MS;
      log("wallet.journal_not_filed", { operations: taken.length, again_in: PAUSE_MS, error });
      return;
    }
    at("wallet.file_written");
    journal.atomically(() => journal.forgetting.filed(taken, { key, writtenAt }));
  }
}
