import { ChainUnavailableError } from "../../chain/errors.ts";
import type { ServiceContext } from "../../context.ts";
import { allLedgers } from "../../db/ledger.ts";
import { findOperationWhole } from "../../db/queries/operation-transactions.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import type { Failure } from "../../domain/failures.ts";
import type { Uuid } from "../../domain/ids.ts";
import { pause, within } from "../../waiting.ts";
import type {
  AcceptedRow,
  EndedRow,
  Intent,
  OperationEnding,
  OperationSnapshot,
  RowWithResults,
  SubmitResult,
  TransactionRecord,
} from "../../wallet/interface.ts";
import type { Kind, Outlook } from "../kind.ts";
import { kindNamed, walletFor } from "../registry.ts";
import { unpaidStorage } from "../top-up.ts";
import { endInPart, endingOf, fail, succeed } from "./endings.ts";
import { chainFailure, type Refusal, refusalFailure, unknownFailure } from "./failure.ts";
import { handOver } from "./hand-over.ts";
import { spendingOf, topUpRefusal } from "./limits.ts";

/** Pause before lagging nodes are read again. Milliseconds. */
const LOOK_AGAIN_MS = 250;

/** `Retry-After` where no node answers. Seconds. */
const UNAVAILABLE_RETRY_S = 5;

/** Pause where something else must happen first, such as the operator's decision. Milliseconds. */
const TRY_AGAIN_MS = 1_000;

/** What a drive uses of the object that it runs in. */
export interface DriveHome {
  readonly context: ServiceContext;
  /** The wallet that signs the operation's transactions. */
  readonly wallet: {
    submit(intent: Intent): Promise<SubmitResult>;
    withdraw(operation: Uuid, journaled: number, isNew: boolean): Promise<boolean>;
    transactions(operation: Uuid): Promise<TransactionRecord[]>;
    recordsAtEnd(operation: Uuid, timeoutMs: number): Promise<TransactionRecord[]>;
    databaseLacks(missing: Uuid, generation: number): Promise<void>;
    acknowledge(operation: Uuid, ending?: OperationEnding): Promise<void>;
  };
  /** Whether a caller was told that the operation is pending. */
  readonly isPromised: (operation: Uuid) => boolean;
  /** Drives another operation of this wallet; resolves at its end or when it isn't driven any more. */
  readonly driveOther: (operation: Uuid) => Promise<unknown>;
  /** Ends an operation whose results take long to read, in another isolate than the one that signs. */
  readonly finish: (operation: Uuid, height: number | null) => Promise<EndedRow | null>;
}

/**
 * Drives one operation: submits its steps to the wallet, waits for them, writes the effects. Its wallet's object runs one
 * drive of an operation at a time. If the object is lost, the next drive continues: a step is journaled once by its name,
 * and effects are written once by the operation's state.
 */
export class Drive {
  readonly #home: DriveHome;
  #row: AcceptedRow;
  readonly #kind: Kind;
  #until: number;
  #due: number;
  /** It was just accepted, and no object can have received a step of it before. */
  #isNew: boolean;
  #records: readonly TransactionRecord[] = [];
  /** Facts of its kind, until found to be outdated. */
  #known: unknown;
  readonly #first = Promise.withResolvers<void>();
  /** Its row at the end, or when its time is over. */
  readonly done: Promise<RowWithResults>;

  /** Begins at once. @param until milliseconds since the Unix epoch */
  constructor(home: DriveHome, row: AcceptedRow, until: number, isNew: boolean) {
    this.#home = home;
    this.#row = row;
    this.#kind = kindNamed(row.kind);
    this.#until = until;
    this.#due = until;
    this.#isNew = isNew;
    this.#known = row.known;
    this.done = this.#run();
    const noStep = () => this.#first.resolve();
    this.done.then(noStep, noStep);
  }

  /** The operation as it was accepted. */
  get row(): OperationRow {
    return this.#row;
  }

  /** The first step was submitted, or the operation waits or isn't driven any more. */
  get first(): Promise<void> {
    return this.#first.promise;
  }

  /** The journal has a step of it, so that it isn't withdrawn any more for a temporary reason. */
  get isBegun(): boolean {
    return this.#records.length > 0;
  }

  /** When its current transition ends at the latest, but for a call without a deadline. Milliseconds since the Unix epoch. */
  get due(): number {
    return this.#due;
  }

  /** Drives at least until a time, if it isn't over before. Milliseconds since the Unix epoch. */
  extend(until: number): void {
    this.#until = Math.max(this.#until, until);
  }

  async #run(): Promise<RowWithResults> {
    const { wallet } = this.#home;
    if (!this.#isNew) this.#records = await wallet.transactions(this.#row.id);
    for (;;) {
      this.#due = this.#until;
      const ended = await this.#advance();
      if (ended) return this.#acknowledged(ended);
      this.#first.resolve();
      if (this.#left() <= 0) return this.#row;
    }
  }

  /** Makes one transition. Returns the row once the operation has ended, else null. */
  async #advance(): Promise<EndedRow | null> {
    const outlook = await this.#kind.look(this.#home.context, this.#row, this.#records, this.#known);
    this.#known = outlook.facts;
    const next = outlook.next();
    switch (next.do) {
      case "submit":
        if (next.delay > 0 && !(await this.#pause(next.delay))) return null;
        return this.#submit(next.step, outlook);
      case "wait":
        this.#first.resolve();
        if (this.#left() <= 0) return null;
        this.#records = await this.#home.wallet.recordsAtEnd(this.#row.id, this.#left());
        checkpoint("operation.settled");
        return null;
      case "pause":
        if (await this.#pause(next.delay)) this.#records = await this.#home.wallet.transactions(this.#row.id);
        return null;
      case "follow":
        await this.#follow(next.operation);
        this.#records = await this.#home.wallet.transactions(this.#row.id);
        return null;
      case "finish":
        return this.#finish(outlook);
      case "fail":
        return this.#fail(chainFailure(this.#record(next.step), this.#records));
      case "unknown":
        return this.#fail(unknownFailure(this.#record(next.step)));
    }
  }

  async #submit(step: string, outlook: Outlook): Promise<EndedRow | null> {
    const { id, integrationId } = this.#row;
    const transaction = await outlook.transaction(step);
    if (transaction === null) {
      await this.#pause(LOOK_AGAIN_MS);
      return null;
    }
    const coming = { step, transaction, outlook };
    const refusal = await topUpRefusal(this.#home.context, this.#row, this.#records, coming);
    if (refusal !== null) return this.#refused(refusal, step);
    await outlook.before(step);
    checkpoint("operation.before_submit");
    const limits = await spendingOf(
      this.#home.context,
      this.#row,
      outlook.isInParts && !this.isBegun ? { known: outlook.facts } : null,
    ).catch((error: unknown) => {
      if (error instanceof ChainUnavailableError) return null;
      throw error;
    });
    if (limits === null)
      return this.#refused({ status: "chain_unavailable", retryAfter: UNAVAILABLE_RETRY_S }, step);
    const intent = {
      operationUuid: id,
      step,
      fairnessKey: integrationId,
      mostCost: this.#row.mostCost,
      ...transaction,
      storage: unpaidStorage(outlook.storage(step), step, this.#records),
      ...limits,
    };
    const submit = (snapshot?: OperationSnapshot) => this.#home.wallet.submit({ ...intent, snapshot });
    const { context, wallet } = this.#home;
    const answer = this.isBegun ? await submit() : await handOver(context, wallet, this.#row, submit);
    // The next attempt reads what may have changed by then.
    this.#row = { ...this.#row, acceptance: undefined };
    checkpoint("operation.after_submit");
    if (answer.status === "unchecked")
      throw new Error(`operation ${id} is new to its wallet after its first step`);
    if (answer.status === "accepted") {
      this.#isNew = false;
      this.#records = await wallet.transactions(id);
      return null;
    }
    return this.#refused(answer, step);
  }

  /** Handles a refusal of the wallet: waits and retries, or ends the operation. */
  async #refused(answer: Refusal, step: string): Promise<EndedRow | null> {
    const { id } = this.#row;
    if (this.#isWaitedOut(answer)) {
      this.#home.context.log("operation.refused", { operation_uuid: id, step, reason: answer.status });
      await this.#pause("retryAfter" in answer ? answer.retryAfter * 1000 : this.#left());
      return null;
    }
    checkpoint("operation.before_withdraw");
    if (await this.#home.wallet.withdraw(id, this.#records.length, this.#isNew)) {
      checkpoint("operation.withdrawn");
      return this.#fail(
        refusalFailure(
          answer,
          this.#records.findLast(({ state }) => state === "failed"),
          this.#records.some(({ state }) => state === "succeeded"),
        ),
      );
    }
    // A lost object may have had a step of it, and the wallet needs the operator.
    this.#isNew = false;
    this.#records = await this.#home.wallet.transactions(id);
    if (!this.isBegun) await this.#pause(TRY_AGAIN_MS);
    return null;
  }

  /**
   * Whether to wait after a refusal of the wallet; the scheduled job retries at the latest. A partial effect must be
   * completed. A temporary reason ends an operation only before its first step, while the request that accepted it waits,
   * and only if no 202 was returned (docs/operations.md).
   */
  #isWaitedOut(refusal: Refusal): boolean {
    // The cost may never drop. A new request continues what is already there. Nothing withdrawn is accepted again.
    if (refusal.status === "too_dear" || refusal.status === "withdrawn") return false;
    // Nobody can raise a key's budget, and it is too small for this step on any day.
    if (
      refusal.status === "spending_limited" &&
      refusal.isOfKey &&
      BigInt(refusal.cost) > BigInt(refusal.limit)
    )
      return false;
    if (this.#kind.isCommitted(this.#records)) return true;
    // Others have used up what was left for it when it began.
    if (refusal.status === "spending_limited" && this.#records.some(({ state }) => state === "succeeded"))
      return true;
    if (!("retryAfter" in refusal)) return false;
    return this.isBegun || !this.#isNew || this.#home.isPromised(this.#row.id);
  }

  async #finish(outlook: Outlook): Promise<EndedRow | null> {
    const { context, finish } = this.#home;
    try {
      if (outlook.isLong) this.#first.resolve();
      const ended = await (outlook.isLong
        ? finish(this.#row.id, this.#row.height)
        : endWithEffects(context, this.#row, outlook, this.#records));
      if (ended) return ended;
      // The next evaluation reads them again.
      this.#known = undefined;
    } catch (error) {
      // The effect is on the chain, even if no node responds now.
      if (!(error instanceof ChainUnavailableError)) throw error;
    }
    await this.#pause(LOOK_AGAIN_MS);
    return null;
  }

  #fail(failure: Failure): Promise<EndedRow> {
    return failWith(this.#home.context, this.#row, failure, this.#records);
  }

  /** Waits for the end of an operation that comes first, and drives it meanwhile. */
  async #follow(operation: Uuid): Promise<void> {
    const { context, driveOther } = this.#home;
    this.#first.resolve();
    const started = context.now().getTime();
    await within(
      this.#left(),
      driveOther(operation).catch(() => undefined),
    );
    // It may be unable to end, as in a wallet that may not sign.
    if (context.now().getTime() - started < TRY_AGAIN_MS) await this.#pause(TRY_AGAIN_MS);
    this.#known = undefined;
  }

  /** Acknowledges the end to the wallet, and drives the next operation in turn. */
  async #acknowledged(ended: EndedRow): Promise<RowWithResults> {
    const { context, wallet, driveOther } = this.#home;
    const { next, ...row } = ended;
    if (row.state !== "succeeded" && row.state !== "failed") return row;
    await wallet.acknowledge(row.id, endingOf(row));
    if (next) {
      driveOther(next.id).catch((error: unknown) =>
        context.log("operation.next_interrupted", { operation_uuid: next.id, error }),
      );
    }
    return row;
  }

  #record(step: string): TransactionRecord {
    const record = this.#records.find((known) => known.step === step);
    if (!record) throw new Error(`operation ${this.#row.id} has no step ${step}`);
    return record;
  }

  #left(): number {
    return this.#until - this.#home.context.now().getTime();
  }

  /** Pauses; false if the deadline comes first. */
  async #pause(milliseconds: number): Promise<boolean> {
    this.#first.resolve();
    const left = this.#left();
    await pause(Math.max(0, Math.min(milliseconds, left)));
    return milliseconds <= left;
  }
}

/**
 * Ends an operation whose last step has succeeded with its results.
 * @returns null if the nodes don't show them yet, or what was read has changed
 * @throws ChainUnavailableError
 */
const endWithEffects = async (
  context: ServiceContext,
  row: OperationRow,
  outlook: Outlook,
  records: readonly TransactionRecord[],
): Promise<EndedRow | null> => {
  const effects = await outlook.effects();
  if (effects === null) return null;
  if ("failure" in effects) return failWith(context, row, effects.failure, records);
  const write = () => succeed(context, row, effects, records);
  return effects.commit?.(write) ?? write();
};

const failWith = async (
  context: ServiceContext,
  row: OperationRow,
  failure: Failure,
  records: readonly TransactionRecord[],
): Promise<EndedRow> => {
  if (failure.code === "outcome_unknown") return fail(context, row, { failure, statements: [], records });
  const kind = kindNamed(row.kind);
  const partial = kind.partial(context, row, records, failure);
  return partial === null
    ? fail(context, row, { failure, statements: await kind.onFailure(context, row, records), records })
    : endInPart(context, row, partial, { records });
};

/**
 * Ends an operation in the Worker, as its wallet's object would; the object asks for it where the results take long to read.
 * @param height minimum height of the node that the results are read from; null: as its transactions say
 * @returns null if the results can't be read yet, or what was read has changed
 */
export const finish = async (
  context: ServiceContext,
  id: Uuid,
  height: number | null,
): Promise<EndedRow | null> => {
  const found = await findOperationWhole(allLedgers(context), id);
  if (!found) throw new Error(`operation ${id} has no row`);
  if (found.state === "succeeded" || found.state === "failed") return found;
  const row = { ...found, height: height ?? found.height };
  try {
    const records = await walletFor(context, row).transactions(id);
    const outlook = await kindNamed(row.kind).look(context, row, records);
    return outlook.next().do === "finish" ? await endWithEffects(context, row, outlook, records) : null;
  } catch (error) {
    // An error keeps only its message on the way to the object.
    if (error instanceof ChainUnavailableError) return null;
    throw error;
  }
};
