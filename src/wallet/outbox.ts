import { and, asc, gt, lte, sql } from "drizzle-orm";
import { openDatabase, runSentBatch } from "../db/client.ts";
import { type Ledger, openLedger, runSent, sentOf } from "../db/ledger.ts";
import { entryOf, statementsOf } from "../db/outbox.ts";
import { setInactive } from "../db/queries/integrations.ts";
import { collections, meta, operationCounts, outbox } from "../db/schema/ledger.ts";
import { failedOn, isAtFault } from "../db/statements.ts";
import { within } from "../waiting.ts";
import { type ChangedRows, copyStatements, firstOf } from "./copied-rows.ts";
import { type D1Row, type KnownToD1, type Meta, readD1Row, writeD1Row } from "./d1-row.ts";
import { isLarge } from "./journal/timing.ts";
import type { Runtime } from "./runtime.ts";

/** Shortest time between two calls of D1 that nobody waits for, and the pause after one that failed. Milliseconds. */
const EVERY_MS = 1_000;
const PAUSE_MS = 2_000;
/** The longest of these pauses: each that follows another is twice as long. Many ledgers share a D1 that is coming back. Milliseconds. */
const LONGEST_PAUSE_MS = 30_000;
/** How long an answer waits for D1 to have what it says. Milliseconds. */
const WAIT_MS = 2_000;
/** Entries and rows of one batch. */
const ENTRIES = 40;
const ROWS = 40;
/** Statements of the entries of one batch. A single larger entry has a batch of its own. */
const MOST_BYTES = 1_000_000;
const DAY_MS = 24 * 3_600_000;

/** How long entries are kept for a D1 that is set back, by the size of the object, which holds 10 GB. Milliseconds. */
const keptMs = (bytes: number): number => (isLarge(bytes) ? 7 : 31) * DAY_MS;

/** How often what D1 has refused is tried again, and so many at a time. Milliseconds. */
const RETRY_MS = 3_600_000;
const RETRIED = 10;

interface OutboxParts extends Runtime {
  readonly storage: DurableObjectStorage;
  readonly d1: D1Database;
  /** D1 knows more of this ledger than it has itself: it was set back. */
  readonly setBack: (known: KnownToD1) => void;
}

/** What one call brings to D1. */
interface Flush extends ChangedRows {
  readonly entries: readonly Entry[];
  /** The last entry and the version that D1 then has. */
  readonly entry: number;
  readonly version: number;
  /** Whether more was waiting than the call brings. */
  readonly isCut: boolean;
}

type Entry = typeof outbox.$inferSelect;

/** An entry that D1 has refused. */
type DeadLetter = Pick<Entry, "id" | "statements" | "refusal" | "copyOf">;

/**
 * Brings D1 up to date with the ledger: entries of the outbox once and in order, and copies of rows whose version is higher.
 * Calls are numbered and tagged, and D1's row of the ledger has those of the last one, so that a call without an answer, a D1
 * that was set back and a ledger that was set back are told apart. A D1 that was set back gets all of it again.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #ledger: Ledger;
  /** The next calls, so many, bring one entry or copy each: D1 has refused some together. */
  #singleCalls = 0;
  /** What D1 has refused on its own: the entry or the version of the copy. */
  #refusedOnce: string | null = null;
  #running: Promise<void> | null = null;
  #isTimed = false;
  #lastAt = 0;
  #pausedUntil = 0;
  /** Failures since D1 took something. */
  #failures = 0;
  /** When entries that D1 has refused are tried again, and the last one of a round that isn't over. */
  #retryAt = 0;
  #retryTo: number | null = null;
  /** How many callers wait for D1. */
  #waiting = 0;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#ledger = openLedger(async (statements) =>
      parts.storage.transactionSync(() => statements.map((one) => runSent(parts.storage.sql, one))),
    );
  }

  /** Whether D1 lacks something. */
  get isBehind(): boolean {
    const { sql } = this.#parts.storage;
    return (
      sql
        .exec(
          `SELECT 1 FROM meta WHERE integration_id IS NOT NULL AND forgot_version IS NULL
           AND (version > sent_version OR EXISTS (SELECT 1 FROM outbox WHERE id > sent_entry))`,
        )
        .toArray().length > 0
    );
  }

  /** When the alarm is needed for it, milliseconds since the Unix epoch; null: not. */
  next(): number | null {
    return this.isBehind ? Math.max(this.#parts.now(), this.#pausedUntil) + PAUSE_MS : null;
  }

  /** Something has changed. */
  wake(): void {
    if (this.#isTimed || this.#running !== null) return;
    this.#isTimed = true;
    const at = Math.max(this.#lastAt + EVERY_MS, this.#pausedUntil);
    setTimeout(
      () => {
        this.#isTimed = false;
        void this.run();
      },
      Math.max(0, at - this.#parts.now()),
    );
  }

  /** Waits until D1 has what the ledger has now, at most two seconds. */
  async flushed(): Promise<void> {
    if (!this.isBehind) return;
    const until = this.#parts.now() + WAIT_MS;
    const { version } = await this.#meta();
    const last = this.#lastEntry();
    this.#waiting++;
    try {
      while (this.#parts.now() < until && this.#pausedUntil <= this.#parts.now()) {
        await within(Math.max(1, until - this.#parts.now()), this.run());
        const { sentVersion, sentEntry } = await this.#meta();
        if ((sentVersion >= version && sentEntry >= last) || !this.isBehind) return;
      }
    } finally {
      this.#waiting--;
    }
  }

  /** Sends what D1 lacks. One at a time; never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#inTurn(this.#send());
    return this.#running;
  }

  /** Compares with D1, which may have been set back, or know more than a ledger that was. @throws where D1 doesn't answer */
  async verify(): Promise<void> {
    while (this.#running !== null) await this.#running;
    const verified = this.#compare();
    this.#running = this.#inTurn(verified.catch(() => undefined));
    await verified;
  }

  /** Ends the turn of a call of D1. */
  #inTurn(call: Promise<void>): Promise<void> {
    return call.finally(() => {
      this.#running = null;
      // After a failure the alarm tries again.
      if (this.isBehind && this.#pausedUntil <= this.#parts.now()) this.wake();
    });
  }

  #lastEntry(): number {
    return (
      this.#parts.storage.sql.exec<{ id: number | null }>("SELECT max(id) AS id FROM outbox").one().id ?? 0
    );
  }

  async #send(): Promise<void> {
    const { log, now } = this.#parts;
    try {
      while (this.isBehind && now() >= this.#pausedUntil) {
        this.#lastAt = now();
        // Under load there is always something new, which the next second brings.
        if (!(await this.#sendSome()) && this.#waiting === 0) return;
      }
    } catch (error) {
      this.#pausedUntil = now() + Math.min(PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
      this.#failures += 1;
      log("ledger.outbox_interrupted", { error });
    }
  }

  async #meta(): Promise<Meta> {
    const row = await this.#ledger.select().from(meta).get();
    return row!;
  }

  /** The next call's tag, which is stored before the call. A call that is repeated has the same. */
  #nextTag(): string {
    const { sql } = this.#parts.storage;
    sql.exec("UPDATE meta SET next_tag = ? WHERE next_tag IS NULL", crypto.randomUUID());
    return sql.exec<{ tag: string }>("SELECT next_tag AS tag FROM meta").one().tag;
  }

  /** What the next call brings. */
  async #next({ sentEntry, sentVersion, version }: Meta): Promise<Flush> {
    const most = this.#singleCalls > 0 ? 1 : ROWS;
    const sizes = await this.#ledger
      .select({ id: outbox.id, bytes: sql<number>`octet_length(statements)` })
      .from(outbox)
      .where(gt(outbox.id, sentEntry))
      .orderBy(asc(outbox.id))
      .limit(this.#singleCalls > 0 ? 1 : ENTRIES);
    let sum = 0;
    const fitting = sizes.filter(({ bytes }, index) => {
      sum += bytes;
      return index === 0 || sum <= MOST_BYTES;
    });
    const entry = fitting.at(-1)?.id ?? sentEntry;
    const [entries, rows, counts] = await this.#ledger.batch([
      this.#ledger
        .select()
        .from(outbox)
        .where(and(gt(outbox.id, sentEntry), lte(outbox.id, entry)))
        .orderBy(asc(outbox.id)),
      this.#ledger
        .select()
        .from(collections)
        .where(gt(collections.ledgerVersion, sentVersion))
        .orderBy(asc(collections.ledgerVersion))
        .limit(most),
      this.#ledger
        .select()
        .from(operationCounts)
        .where(gt(operationCounts.ledgerVersion, sentVersion))
        .orderBy(asc(operationCounts.ledgerVersion))
        .limit(most),
    ]);
    if (this.#singleCalls > 0 && entries.length > 0)
      return { entries, rows: [], counts: [], entry, version: sentVersion, isCut: true };
    const cut = [rows, counts].flatMap((list) => (list.length < most ? [] : [list.at(-1)!.ledgerVersion]));
    const isCut = cut.length > 0 || sizes.length === ENTRIES || fitting.length < sizes.length;
    const to = Math.min(version, ...cut);
    const upTo = <Row extends { readonly ledgerVersion: number }>(list: readonly Row[]) =>
      list.filter(({ ledgerVersion }) => ledgerVersion <= to);
    return { entries, rows: upTo(rows), counts: upTo(counts), entry, version: to, isCut };
  }

  /** @returns whether more was waiting than the call has brought */
  async #sendSome(): Promise<boolean> {
    const { d1, at } = this.#parts;
    const before = await this.#meta();
    const flush = await this.#next(before);
    const tag = this.#nextTag();
    const row = this.#d1Row(before, flush, tag);
    const statements = [
      ...row.statements,
      ...flush.entries.flatMap(({ statements: text, refusal, isRetried }) =>
        refusal === null || isRetried ? statementsOf(text) : [],
      ),
      ...copyStatements(d1, flush),
    ];
    at("ledger.before_flush");
    try {
      await runSentBatch(d1, statements);
      at("ledger.flushed");
    } catch (error) {
      if (failedOn(error, "ledgers.entry")) await this.#compare();
      else if (isAtFault(error)) await this.#refused(before, flush, error);
      else throw error;
      return true;
    }
    this.#sent(flush, { flush: before.sentFlush + 1, tag }, row);
    this.#singleCalls = Math.max(0, this.#singleCalls - 1);
    return flush.isCut || row.isCut;
  }

  /**
   * D1 refuses something of this. What it refuses twice on its own is set aside, so that the others continue; a copy that is set
   * aside becomes an entry. @throws Error if D1 refuses the ledger's own row as well, which is no fault of theirs
   */
  async #refused(before: Meta, { entries, rows, counts, version }: Flush, error: unknown): Promise<void> {
    const { storage, d1, log, now } = this.#parts;
    const nothing = { entry: before.sentEntry, version: before.sentVersion };
    const tag = this.#nextTag();
    const row = this.#d1Row(before, nothing, tag);
    await runSentBatch(d1, [...row.statements]);
    this.#sent(nothing, { flush: before.sentFlush + 1, tag }, row);
    const isAlone = entries.length + rows.length + counts.length === 1;
    const [entry] = entries;
    const what = entry ? `entry ${entry.id}` : `copy ${version}`;
    if (this.#singleCalls > 0 && !isAlone) throw error;
    if (this.#singleCalls === 0 || this.#refusedOnce !== what) {
      this.#refusedOnce = this.#singleCalls > 0 ? what : null;
      this.#singleCalls = ENTRIES + ROWS;
      return;
    }
    this.#singleCalls = 0;
    this.#refusedOnce = null;
    log("ledger.entry_refused", { what, sent: before.sentVersion, error });
    const reason = error instanceof Error ? error.message : String(error);
    if (entry) {
      storage.sql.exec("UPDATE outbox SET refusal = ?, is_retried = 0 WHERE id = ?", reason, entry.id);
      return;
    }
    const text = entryOf(copyStatements(d1, { rows, counts }));
    storage.transactionSync(() => {
      storage.sql.exec(
        `INSERT INTO outbox (statements, created_at, refusal, copy_of) VALUES (?, ?, ?, ?)
         ON CONFLICT (copy_of) DO UPDATE SET statements = excluded.statements, refusal = excluded.refusal,
           is_retried = 0`,
        text,
        now(),
        reason,
        firstOf({ rows, counts }),
      );
      storage.sql.exec("UPDATE meta SET sent_version = ?, version = version + 1", version);
    });
  }

  /**
   * Puts what D1 has refused behind what waits, to be tried again: its cause may be gone, and a D1 that is set back later gets it
   * again in this order.
   */
  retryRefused(): void {
    const { storage, now } = this.#parts;
    const { sql } = storage;
    if (now() < this.#retryAt) return;
    this.#retryTo ??= this.#lastEntry();
    const refused = sql
      .exec<DeadLetter>(
        `SELECT id, statements, refusal, copy_of AS copyOf FROM outbox
         WHERE refusal IS NOT NULL AND id > 0 AND id <= ? AND is_retried = 0 ORDER BY id LIMIT ?`,
        this.#retryTo,
        RETRIED,
      )
      .toArray();
    storage.transactionSync(() => {
      for (const { id, statements, refusal, copyOf } of refused) {
        sql.exec("DELETE FROM outbox WHERE id = ?", id);
        sql.exec(
          "INSERT INTO outbox (statements, created_at, refusal, copy_of, is_retried) VALUES (?, ?, ?, ?, 1)",
          ...[statements, now(), refusal, copyOf],
        );
      }
    });
    const isLast = refused.length < RETRIED;
    if (isLast) this.#retryTo = null;
    this.#retryAt = isLast ? now() + RETRY_MS : 0;
    if (refused.length > 0) this.wake();
  }

  #sent(
    { entry, version }: Pick<Flush, "entry" | "version">,
    call: { readonly flush: number; readonly tag: string },
    row?: D1Row,
  ): void {
    const { storage, now, log } = this.#parts;
    this.#failures = 0;
    storage.transactionSync(() => {
      storage.sql.exec(
        "UPDATE meta SET sent_entry = ?, sent_version = ?, sent_flush = ?, sent_tag = ?, next_tag = NULL",
        entry,
        version,
        call.flush,
        call.tag,
      );
      if (row && row.named.length > 0) {
        const named = JSON.stringify(row.named);
        storage.sql.exec(
          "UPDATE unshipped SET is_named = 1 WHERE operation_id IN (SELECT unhex(value) FROM json_each(?))",
          named,
        );
        storage.sql.exec(
          "UPDATE lost_operations SET is_named = 1 WHERE id IN (SELECT unhex(value) FROM json_each(?))",
          named,
        );
      }
      if (row?.isCut) storage.sql.exec("UPDATE meta SET version = version + 1");
      const made = storage.sql
        .exec<{ id: number }>(
          `UPDATE outbox SET refusal = NULL, is_retried = 0
           WHERE refusal IS NOT NULL AND id > 0 AND is_retried = 1 AND id <= ? RETURNING id`,
          entry,
        )
        .toArray();
      for (const { id } of made) log("ledger.entry_accepted", { entry: id });
      // D1 counts what is refused.
      if (made.length > 0) storage.sql.exec("UPDATE meta SET version = version + 1");
      storage.sql.exec(
        "DELETE FROM outbox WHERE id < (SELECT min(id) + 100 FROM outbox WHERE refusal IS NULL) AND id <= ? AND created_at < ? AND refusal IS NULL",
        entry,
        now() - keptMs(storage.sql.databaseSize),
      );
    });
  }

  #d1Row(before: Meta, { entry, version }: Pick<Flush, "entry" | "version">, tag: string): D1Row {
    const { storage, now } = this.#parts;
    return writeD1Row(storage, before, { entry, version, tag, now: now() });
  }

  /** Where D1's last call isn't the one that was answered last, it is followed, or it knows more than the ledger. */
  async #compare(): Promise<void> {
    const { storage, d1, log, setBack } = this.#parts;
    const own = await this.#meta();
    if (own.integrationId === null) return;
    const known = await readD1Row(d1, own.integrationId, own.version === 0);
    const { version, sentEntry, sentFlush, sentTag, nextTag } = await this.#meta();
    if (known.flush === sentFlush && known.flushTag === sentTag) return;
    const isUnanswered = known.flush === sentFlush + 1 && known.flushTag === nextTag;
    const isBeyond = known.entry > Math.max(this.#lastEntry(), sentEntry) || known.version > version;
    if (isBeyond || (known.flush >= sentFlush && !isUnanswered)) {
      setBack(known);
      return;
    }
    if (!isUnanswered) {
      log("ledger.database_set_back", { entry: known.entry, sent: sentEntry });
      // D1 may have lost the rows that named them.
      storage.sql.exec("UPDATE unshipped SET is_named = 0 WHERE operation_id > x'' AND is_named");
      storage.sql.exec("UPDATE lost_operations SET is_named = 0 WHERE id > x'' AND is_named");
    }
    this.#sent(known, { flush: known.flush, tag: known.flushTag });
    // What that call has named, and whether it was cut, isn't known.
    storage.sql.exec("UPDATE meta SET version = version + 1");
  }

  /** Shows the operator at once that the wallet is inactive; else the scheduled job does, within its round. Never rejects. */
  async reportInactive(): Promise<void> {
    const { d1, log, now } = this.#parts;
    try {
      const { integrationId } = await this.#meta();
      if (integrationId === null) return;
      const statement = setInactive(openDatabase(d1), integrationId, new Date(now()));
      await runSentBatch(d1, [sentOf(statement)]);
    } catch (error) {
      log("ledger.outbox_interrupted", { error });
    }
  }
}
