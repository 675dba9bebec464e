import type { ServiceContext } from "../../context.ts";
import {
  FORGOTTEN,
  isRead,
  type Ledger,
  mapperOf,
  openLedger,
  runSent,
  type SentRows,
} from "../../db/ledger.ts";
import { madeAt } from "../../db/queries/archives.ts";
import { findKey } from "../../db/queries/idempotency.ts";
import { findOperationWhole } from "../../db/queries/operation-transactions.ts";
import { type OperationRow, openOperations } from "../../db/queries/operations.ts";
import { operations } from "../../db/schema/ledger.ts";
import type { SentStatement } from "../../db/statements.ts";
import { failedOn, isStorageFailed, isUnavailable } from "../../db/statements.ts";
import { DATABASE_RETRY_AFTER, ServiceError, secretMissing } from "../../domain/errors.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { KINDS } from "../../domain/operations.ts";
import { missingVersion } from "../../domain/sealing.ts";
import { withDeadlines } from "../../files/storage/deadlines.ts";
import { loggedContext } from "../../http/log.ts";
import { pause, within } from "../../waiting.ts";
import { walletOf } from "../../wallet/client.ts";
import {
  type AcceptedRow,
  entryOf,
  type NewWrite,
  type RestoredPart,
  type RowWithResults,
  type WriteResult,
} from "../../wallet/interface.ts";
import { isLarge } from "../../wallet/journal/timing.ts";
import { WalletObject } from "../../wallet/object.ts";
import { archivePage } from "./archive-pages.ts";
import { Drive, NotAccepted, type SigningWallet, TOO_SLOW } from "./drive.ts";
import { ACCEPTED_WITHIN_MS } from "./in-doubt.ts";
import { restoreLedger } from "./restore-ledger.ts";
import { Shipping } from "./shipping.ts";
import { tidyLedger } from "./tidying.ts";

/** How long an operation is driven at least, however short its caller waits. Milliseconds. */
const DRIVE_MS = 15_000;

/** A drive whose transition has overrun its time by this is taken for lost, and another one begins. Milliseconds. */
const LOST_MS = 60_000;

/** How long a call of R2 may take, and how long an alarm waits for its copies. Milliseconds. */
const R2_MS = 10_000;
const SHIP_MS = 20_000;

/** How often a ledger is tidied, and how long one time may take. Milliseconds. */
const TIDY_EVERY_MS = 60_000;
const TIDY_MS = 10_000;

/** When a large ledger moves what has ended to R2; it keeps events for a day. Milliseconds. */
const LARGE_KEPT_MS = 3_600_000;

/** More open operations than an integration can have. */
const MOST_OPEN = 100_000;

/** Operations that a run of the schedule drives at most, of one ledger. */
const MOST_WOKEN = 50;

/** Extra time for writing small effects after the wait for the chain. Milliseconds. */
const GRACE_MS = 1_000;

/** What a ledger that was emptied or set back answers until it is restored and activated. */
const setBack = (): Error => new Error(FORGOTTEN);

/**
 * The object of an integration: its ledger and its wallet. It drives the integration's operations: nothing else does. The
 * platform's object is a wallet alone, which signs for the ledgers of others.
 */
export class IntegrationWallet extends WalletObject {
  /** The running drives. */
  readonly #drives = new Map<Uuid, Drive>();
  /** The last open operation that the schedule has had driven, by its row's number. */
  #wokenAfter = 0;
  /** The last operation that a round of early archiving has looked at; null: the next round begins with the oldest. */
  #archivedTo: Uuid | null = null;
  /** When it is tidied next, milliseconds since the epoch. */
  #tidyAt = 0;
  readonly #ledger: Ledger = openLedger(async (statements) => {
    // A drive that has begun before may not end it as if it knew all.
    if (this.parts.guard.isSetBack && !statements.every(isRead)) throw setBack();
    return this.#runAll(statements);
  });

  /** Operations that a statement has returned. */
  readonly #operationsOf = mapperOf(this.#ledger.select().from(operations));

  readonly #shipping = new Shipping({
    ledger: this.#ledger,
    bucket: withDeadlines(this.env.BUCKET, R2_MS),
    now: () => this.parts.now(),
    // What was forgotten would be shipped as if it were the latest.
    owner: () => (this.parts.guard.isSetBack ? null : this.parts.guard.integrationId),
    log: (event, fields) => this.parts.log(event, fields),
  });

  override async alarm(): Promise<void> {
    await Promise.all([within(SHIP_MS, this.ship()), super.alarm()]);
    await this.#tidy();
  }

  /** Deletes what is too old, at most once a minute; of a large ledger also what R2 has. An object holds 10 GB. */
  async #tidy(): Promise<void> {
    const { guard, now } = this.parts;
    const { integrationId } = guard;
    const began = now();
    if (integrationId === null || guard.isSetBack || began < this.#tidyAt) return;
    this.#tidyAt = began + TIDY_EVERY_MS;
    const isStillLarge = () => isLarge(this.ctx.storage.sql.databaseSize);
    const context = this.#context({ id: integrationId, integrationId });
    const days = isStillLarge() ? 1 : context.settings.EVENTS_KEPT_DAYS;
    try {
      // What signs and answers gets its turn in between, and the clock advances.
      while (now() < began + TIDY_MS && (await tidyLedger(context, integrationId, days))) await pause(1);
      const before = new Date(began - LARGE_KEPT_MS);
      while (isStillLarge() && now() < began + TIDY_MS) {
        const page = await archivePage(context, integrationId, { after: this.#archivedTo, before });
        this.#archivedTo = page.last;
        if (page.last === null) break;
        await pause(1);
      }
    } catch (error) {
      this.parts.log("ledger.not_tidied", { error });
    }
  }

  /** Copies to R2 what is due. */
  ship(): Promise<void> {
    return this.#shipping.run();
  }

  protected override shippingDue(): number | null {
    return this.parts.guard.isSetBack ? null : this.#shipping.next(this.ctx.storage.sql);
  }

  async restoreLedger(integrationId: Uuid): Promise<RestoredPart> {
    const { guard, outbox, journal, now, alarm } = this.parts;
    await guard.ready(integrationId);
    const isBegun = this.ctx.storage.sql.exec("SELECT 1 FROM meta WHERE restore_cursor IS NOT NULL");
    if (!guard.isSetBack && !guard.isEmpty && isBegun.toArray().length === 0)
      return { operations: 0, isDone: true };
    // The chain alone may have shown that something was forgotten, and D1 knows how much.
    await outbox.verify();
    const { db, log } = loggedContext(this.env, this.ctx, { integration_uuid: integrationId });
    const ledger = openLedger(async (statements) => this.#runAll(statements));
    const raise = (budget: Uuid | null, spent: bigint) =>
      budget === null ? journal.spending.raise(spent, now()) : journal.budgets.raise(budget, spent, now());
    const bucket = withDeadlines(this.env.BUCKET, R2_MS);
    const sources = { db, bucket, log, now, raise };
    const part = await restoreLedger(sources, ledger, integrationId);
    if (!part.isDone) return part;
    for (const { id } of await openOperations(ledger, 0, MOST_OPEN)) journal.operations.accepted(id, now());
    await alarm.arm();
    return part;
  }

  async run(integrationId: Uuid, statements: readonly SentStatement[]): Promise<SentRows[]> {
    if (statements.every(isRead)) {
      // What was forgotten isn't to be taken for what never was.
      if (this.parts.guard.isEmpty) await this.parts.guard.ready(integrationId);
      else await this.parts.guard.compare();
      if (this.parts.guard.isSetBack) throw setBack();
      if (this.parts.outbox.isBehind) this.parts.outbox.wake();
      return this.#runAll(statements);
    }
    await this.parts.guard.ready(integrationId);
    if (this.parts.guard.isSetBack) throw setBack();
    const rows = this.#runAll(statements);
    await this.parts.alarm.arm();
    // The caller may look in D1 for what it has written.
    await this.parts.outbox.flushed();
    return rows;
  }

  async write(write: NewWrite, waitMs: number): Promise<WriteResult> {
    const { row, statements, acceptFirst } = write;
    try {
      await this.parts.guard.ready(row.integrationId);
      if (this.#drives.has(row.id) || this.#has(row.id))
        return { status: "accepted", row: await this.carryOut(row.id, waitMs) };
      if (write.key !== null && (await this.#isTaken(row.integrationId, write.key)))
        return { status: "taken" };
      const drive = this.#begin(row, Date.now() + Math.max(waitMs, DRIVE_MS), { statements, acceptFirst });
      return { status: "accepted", row: await this.#reached(drive, waitMs) };
    } catch (error) {
      if (error instanceof NotAccepted) return error.written;
      if (error instanceof ServiceError) return failedOf(error);
      const version = missingVersion(error);
      if (version !== null && !this.#has(row.id)) return failedOf(secretMissing(version, error));
      // Others are tried again by the caller, which joins what is accepted by then. What R2 didn't answer it may still carry out, over
      // what a later request puts there: the reservation stays until then.
      if (!isUnavailable(error) && !isStorageFailed(error)) throw error;
      this.#drives.get(row.id)?.abandon();
      if (this.#has(row.id)) throw error;
      this.#context(row).log("operation.not_accepted", { error });
      return UNAVAILABLE;
    }
  }

  async carryOut(id: Uuid, waitMs: number, height: number | null = null): Promise<RowWithResults | null> {
    const running = this.#drives.get(id);
    // The operator knows a height that the running drive doesn't.
    if (running && (height ?? 0) > (running.row.height ?? 0)) await running.done.catch(() => undefined);
    const found = this.#drives.get(id)?.row ?? (await this.#find(id));
    if (!found || found.state === "succeeded" || found.state === "failed") {
      await this.parts.outbox.flushed();
      return found ?? null;
    }
    await this.parts.custody.unlock();
    // A drive that was joined may have been refused meanwhile: nothing is accepted then.
    if (!this.#drives.has(id) && !this.#has(id)) throw new NotAccepted(TOO_SLOW);
    if (this.parts.guard.isSetBack) return null;
    const row = { ...found, height: Math.max(found.height ?? 0, height ?? 0) || null };
    return this.#reached(this.#driveOf(row, waitMs), waitMs);
  }

  async resume(id: Uuid, waitMs: number): Promise<void> {
    await this.parts.custody.unlock();
    const running = this.#drives.get(id);
    const row = running?.isAccepted ? running.row : await this.#find(id);
    if (!row && running) return;
    if (!row) return this.#resumeElsewhere(id);
    if (row.state === "succeeded" || row.state === "failed") {
      await this.parts.outbox.flushed();
      return this.#walletOf(row).acknowledge(row.id);
    }
    if (this.parts.guard.isSetBack) return;
    await endOf(this.#driveOf(row, waitMs), waitMs).catch((error: unknown) =>
      this.#context(row).log("operation.interrupted", { error }),
    );
  }

  /** Also drives operations that nobody drives: their alarm may never ring. */
  override async reconcile(): Promise<void> {
    await super.reconcile();
    this.parts.outbox.retryRefused();
    this.#shipping.wake(this.ctx.storage.sql);
    const open = await openOperations(this.#ledger, this.#wokenAfter, MOST_WOKEN);
    // Those that the operator has to settle don't hide the others for ever.
    this.#wokenAfter = open.length < MOST_WOKEN ? 0 : open.at(-1)!.rowNumber;
    const idle = open.filter(({ id }) => !this.#drives.has(id));
    await Promise.all(idle.map(({ id }) => this.resume(id, DRIVE_MS)));
    await this.parts.outbox.flushed();
  }

  /** The ledger of another object has the operation that this wallet signs for. */
  async #resumeElsewhere(id: Uuid): Promise<void> {
    const [intent] = this.ctx.storage.sql
      .exec<{ fairness: Uuid }>("SELECT fairness FROM intents WHERE operation = ? LIMIT 1", id)
      .toArray();
    // Its own ledger has lost the operation, or refused it.
    const isOwn = intent?.fairness === this.parts.guard.integrationId;
    if (intent && !isOwn) return walletOf(this.env, intent.fairness).resume(id, DRIVE_MS);
    const { guard } = this.parts;
    const isLedger = guard.integrationId !== null;
    // One that was set back or emptied may get it back.
    if (isLedger && (guard.isSetBack || guard.isEmpty)) return;
    await this.acknowledge(id);
    // The platform's wallet asks for an operation that nobody has.
    if (isLedger && !intent) await walletOf(this.env, "platform").acknowledge(id);
  }

  async #isTaken(integrationId: Uuid, key: string): Promise<boolean> {
    return (await findKey(this.#ledger, { integrationId, key, now: new Date() })) !== undefined;
  }

  #has(id: Uuid): boolean {
    const found = this.ctx.storage.sql.exec("SELECT 1 FROM operations WHERE id = ?", uuidToBytes(id));
    return found.toArray().length > 0;
  }

  #find(id: Uuid): Promise<RowWithResults | undefined> {
    return findOperationWhole(this.#ledger, id);
  }

  #runAll(statements: readonly SentStatement[]): SentRows[] {
    return this.parts.journal.atomically(() =>
      statements.map((statement) => runSent(this.ctx.storage.sql, statement)),
    );
  }

  /** The operation's row once it has ended or can't be proven; null: it is pending after the wait. @throws NotAccepted */
  async #reached(drive: Drive, waitMs: number): Promise<RowWithResults | null> {
    const reached = await endOf(drive, waitMs).catch(async (error: unknown) => {
      if (!this.#has(drive.row.id)) throw error;
      this.#context(drive.row).log("operation.interrupted", { error });
      // Its end may be written: a 202 would promise that it continues. Otherwise the alarm drives it again.
      return (await this.#find(drive.row.id)) ?? null;
    });
    if (reached && reached.state !== "pending") return reached;
    drive.promise();
    if (drive.isAccepted) return null;
    drive.abandon();
    // It may have been accepted in the turn before.
    if (this.#has(drive.row.id)) return null;
    if (this.#drives.get(drive.row.id) === drive) this.#drives.delete(drive.row.id);
    throw new NotAccepted(TOO_SLOW);
  }

  /** The operation's drive, begun unless it is running. */
  #driveOf(row: AcceptedRow, waitMs: number): Drive {
    const until = Date.now() + Math.max(waitMs, DRIVE_MS);
    const running = this.#drives.get(row.id);
    // A call without a deadline, such as one of R2, may never be answered.
    if (!running || (running.isAccepted && running.due + LOST_MS < Date.now()))
      return this.#begin(row, until, null);
    running.extend(until);
    return running;
  }

  #begin(row: AcceptedRow, until: number, write: Pick<NewWrite, "statements" | "acceptFirst"> | null): Drive {
    const { integrationId } = row;
    const home = {
      context: this.#context(row),
      wallet: this.#walletOf(row),
      accept: write && (() => this.#accept(row.id, write.statements)),
      driveOther: (id: Uuid) => this.resume(id, DRIVE_MS),
      finish: (id: Uuid, height: number | null) => entryOf(this.ctx).finish(integrationId, id, height),
      ended: async () => {
        // What others look for in D1. Mints change counts there alone, and are many.
        if (KINDS[row.kind].event === "nft.minted") this.parts.outbox.wake();
        else await this.parts.outbox.flushed();
      },
    };
    const drive = new Drive(home, row, until, write?.acceptFirst ?? null);
    this.#drives.set(row.id, drive);
    const end = () => {
      if (this.#drives.get(row.id) === drive) this.#drives.delete(row.id);
    };
    drive.done.then(end, end);
    return drive;
  }

  /** Accepts an operation, with what the caller of `atomically` writes besides. @throws NotAccepted */
  #accept(id: Uuid, statements: readonly SentStatement[]): OperationRow {
    const { guard, journal, now, outbox, alarm } = this.parts;
    const { sql } = this.ctx.storage;
    if (guard.isSetBack) {
      const refusal = { status: "busy", retryAfter: 60, inactive: true } as const;
      throw new NotAccepted({ status: "refused", refusal });
    }
    const row = journal.atomically(() => {
      try {
        // What D1 has reserved for it may be released soon (src/operator/jobs/unaccepted.ts).
        if (madeAt(id) < now() - ACCEPTED_WITHIN_MS) throw new NotAccepted(TOO_SLOW);
        const [inserted] = statements.map((statement) => runSent(sql, statement));
        if (inserted!.rows.length === 0) throw new NotAccepted({ status: "not_accepted" });
        journal.operations.accepted(id, now());
        const accepted = this.#operationsOf(inserted!)[0]!;
        const isForKey = accepted.keyId !== null || accepted.kind === "claim";
        if (isForKey && this.#isSuspended()) throw new NotAccepted({ status: "suspended" });
        return accepted;
      } catch (error) {
        if (failedOn(error, "idempotency_keys.created_at")) throw new NotAccepted({ status: "taken" });
        throw error;
      }
    });
    this.#context(row).log("operation.accepted", { operation_uuid: id, kind: row.kind });
    outbox.wake();
    this.#shipping.wake(sql);
    void alarm.arm();
    return row;
  }

  #isSuspended(): boolean {
    const { sql } = this.ctx.storage;
    return sql.exec("SELECT 1 FROM meta WHERE suspended_at IS NOT NULL").toArray().length > 0;
  }

  #walletOf({ kind }: Pick<OperationRow, "kind">): SigningWallet {
    if (KINDS[kind].wallet === "platform") {
      const { submit, withdraw, transactions, recordsAtEnd, acknowledge } = walletOf(this.env, "platform");
      const both = async (id: Uuid) => {
        await acknowledge(id);
        await this.acknowledge(id);
      };
      return {
        submit: (intent) => submit(intent),
        withdraw,
        transactions,
        recordsAtEnd,
        acknowledge: both,
        isOwn: false,
      };
    }
    return {
      submit: (intent, accept) => this.journal(intent, accept),
      withdraw: (...operation) => this.withdraw(...operation),
      transactions: (id) => this.transactions(id),
      recordsAtEnd: (id, timeoutMs) => this.recordsAtEnd(id, timeoutMs),
      acknowledge: (id) => this.acknowledge(id),
      isOwn: true,
    };
  }

  #context({ id, integrationId }: Pick<OperationRow, "id" | "integrationId">): ServiceContext {
    const { connections } = this.parts;
    const ledger = { integrationId, own: this.#ledger };
    const context = loggedContext(this.env, this.ctx, { operation_uuid: id });
    const env = { ...context.env, BUCKET: withDeadlines(this.env.BUCKET, R2_MS) };
    return { ...context, env, connections, ledger };
  }
}

/** An error in a form that reaches the Worker. */
const failedOf = ({ code, message, details: { cause: _, ...details } }: ServiceError): WriteResult => ({
  status: "failed",
  code,
  message,
  details,
});

/** What a database that doesn't answer before the acceptance means to the caller. */
const UNAVAILABLE: WriteResult = {
  status: "failed",
  code: "database_unavailable",
  message: "Send the request again later: the database doesn't answer. Nothing was sent.",
  details: { outcome: "not_submitted", retryable: true, retryAfter: DATABASE_RETRY_AFTER },
};

/** Waits for a drive. @returns its row; null after the wait or, if that is 0, after the first step */
const endOf = (drive: Drive, waitMs: number): Promise<RowWithResults | null> =>
  waitMs > 0
    ? within(waitMs + GRACE_MS, drive.done)
    : within(DRIVE_MS, Promise.race([drive.done, drive.first.then(() => null)]));
