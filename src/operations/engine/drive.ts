import { ChainUnavailableError } from "../../chain/errors.ts";
import type { ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
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
  RowWithResults,
  SubmitResult,
  TransactionRecord,
  WriteResult,
} from "../../wallet/interface.ts";
import type { Effects, Gone, Kind, Outlook } from "../kind.ts";
import { kindNamed, walletFor } from "../registry.ts";
import { unpaidStorage } from "../top-up.ts";
import { endInPart, fail, succeed } from "./endings.ts";
import { chainFailure, type Refusal, refusalFailure, unknownFailure } from "./failure.ts";
import { spendingOf, topUpRefusal } from "./limits.ts";

/** Pause before lagging nodes are read again. Milliseconds. */
const LOOK_AGAIN_MS = 250;

/** `Retry-After` where no node answers. Seconds. */
const UNAVAILABLE_RETRY_S = 5;

/** Pause where something else must happen first, such as the operator's decision. Milliseconds. */
const TRY_AGAIN_MS = 1_000;

/** A wallet as a drive uses it: that of its own object, or the platform's. */
export interface SigningWallet {
  /** @param accept runs in the transaction that journals the intent; absent for the platform's wallet */
  submit(intent: Intent, accept?: () => void): Promise<SubmitResult>;
  withdraw(operation: Uuid, journaled: number, isNew: boolean): Promise<boolean>;
  transactions(operation: Uuid): Promise<TransactionRecord[]>;
  recordsAtEnd(operation: Uuid, timeoutMs: number): Promise<TransactionRecord[]>;
  acknowledge(operation: Uuid): Promise<void>;
  /** Whether it is of the object that the drive runs in, so that an operation is accepted with its first step. */
  readonly isOwn: boolean;
}

/** What a drive uses of the object that it runs in. */
export interface DriveParts {
  readonly context: ServiceContext;
  /** The wallet that signs the operation's transactions. */
  readonly wallet: SigningWallet;
  /** Accepts the operation by itself, in a transaction; resolves to its row. @throws NotAccepted */
  readonly accept: (() => OperationRow) | null;
  /** Drives another operation of this wallet; resolves at its end or when it isn't driven any more. */
  readonly driveOther: (operation: Uuid) => Promise<unknown>;
  /** Ends an operation whose results take long to read, in another isolate than the one that signs. */
  readonly finish: (operation: Uuid, height: number | null) => Promise<EndedRow | null>;
  /** The operation has ended: D1 gets to know of it. */
  readonly ended: (row: EndedRow) => Promise<void>;
}

/** An operation that wasn't accepted, as its Worker learns it. */
export class NotAccepted extends Error {
  readonly written: Exclude<WriteResult, { readonly status: "accepted" }>;

  constructor(written: NotAccepted["written"]) {
    super(`the operation is ${written.status}`);
    this.written = written;
  }
}

/** Its first step couldn't be made while its caller waited. */
export const TOO_SLOW = {
  status: "refused",
  refusal: { status: "chain_unavailable", retryAfter: UNAVAILABLE_RETRY_S },
} as const satisfies WriteResult;

/**
 * Drives one operation: submits its steps to the wallet, waits for them, writes the effects. Its wallet's object runs one
 * drive of an operation at a time. If the object is lost, the next drive continues: a step is journaled once by its name,
 * and effects are written once by the operation's state.
 */
export class Drive {
  readonly #parts: DriveParts;
  #row: AcceptedRow;
  readonly #kind: Kind;
  #until: number;
  #due: number;
  /** It was just accepted, and nobody was told that it is pending: a temporary refusal ends it. */
  #isNew: boolean;
  /** Whether it has a row. */
  #isAccepted: boolean;
  /** Its caller was told that it isn't accepted. */
  #isAbandoned = false;
  #records: readonly TransactionRecord[] = [];
  /** Facts of its kind, until found to be outdated. */
  #known: unknown;
  readonly #first = Promise.withResolvers<void>();
  /** Its row at the end, or when its time is over. */
  readonly done: Promise<RowWithResults>;

  /**
   * Begins at once. @param until milliseconds since the Unix epoch
   * @param acceptFirst of an operation that isn't accepted yet: before its first step is known; null: it is accepted
   */
  constructor(parts: DriveParts, row: AcceptedRow, until: number, acceptFirst: boolean | null) {
    this.#parts = parts;
    this.#row = row;
    this.#kind = kindNamed(row.kind);
    this.#until = until;
    this.#due = until;
    this.#isNew = acceptFirst !== null;
    this.#isAccepted = acceptFirst === null;
    this.#known = row.known;
    this.done = this.#run(acceptFirst === true);
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

  /** Whether it has a row. */
  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /** A caller is told that it isn't accepted: from now on it can't be. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** A caller is told that it is pending: from now on no temporary refusal ends it. */
  promise(): void {
    this.#isNew = false;
  }

  /** The journal has a step of it. */
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

  async #run(acceptFirst: boolean): Promise<RowWithResults> {
    const { wallet } = this.#parts;
    if (acceptFirst) this.#accept();
    if (!this.#isNew) this.#records = await wallet.transactions(this.#row.id);
    for (;;) {
      this.#due = this.#until;
      const ended = await this.#advance();
      if (ended) return this.#acknowledged(ended);
      this.#first.resolve();
      if (this.#left() <= 0) return this.#row;
    }
  }

  /** Accepts the operation by itself, if it isn't. */
  #accept(): void {
    if (this.#isAccepted) return;
    this.#accepted(this.#acceptNow());
  }

  /** @throws NotAccepted */
  #acceptNow(): OperationRow {
    if (this.#isAbandoned) throw new NotAccepted(TOO_SLOW);
    return this.#parts.accept!();
  }

  #accepted(row: OperationRow): void {
    const { limits, known } = this.#row;
    this.#row = { ...row, ...(limits && { limits }), known };
    this.#isAccepted = true;
  }

  /** Makes one transition. Returns the row once the operation has ended, else null. */
  async #advance(): Promise<EndedRow | null> {
    const outlook = await this.#kind.look(this.#parts.context, this.#row, this.#records, this.#known);
    this.#known = outlook.facts;
    const next = outlook.next();
    if (next.do !== "submit" || next.delay > 0) this.#accept();
    switch (next.do) {
      case "submit":
        if (next.delay > 0 && !(await this.#pause(next.delay))) return null;
        return this.#submit(next.step, outlook);
      case "wait":
        this.#first.resolve();
        if (this.#left() <= 0) return null;
        this.#records = await this.#parts.wallet.recordsAtEnd(this.#row.id, this.#left());
        checkpoint("operation.settled");
        return null;
      case "pause":
        if (await this.#pause(next.delay))
          this.#records = await this.#parts.wallet.transactions(this.#row.id);
        return null;
      case "follow":
        await this.#follow(next.operation);
        this.#records = await this.#parts.wallet.transactions(this.#row.id);
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
      this.#accept();
      await this.#pause(LOOK_AGAIN_MS);
      return null;
    }
    const coming = { step, transaction, outlook };
    const refusal = await topUpRefusal(this.#parts.context, this.#row, this.#records, coming);
    if (refusal !== null) return this.#refused(refusal, step);
    await outlook.before(step);
    checkpoint("operation.before_submit");
    const limits = await spendingOf(
      this.#parts.context,
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
    const { wallet } = this.#parts;
    if (!wallet.isOwn) this.#accept();
    let accepted: OperationRow | null = null;
    const accept = this.#isAccepted
      ? undefined
      : () => {
          accepted = this.#acceptNow();
        };
    const answer = await wallet.submit(intent, accept);
    if (answer.status === "accepted" && accepted !== null) this.#accepted(accepted);
    checkpoint("operation.after_submit");
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
    const { context, wallet } = this.#parts;
    if (!this.#isAccepted) throw new NotAccepted({ status: "refused", refusal: answer });
    if (this.#isWaitedOut(answer)) {
      context.log("operation.refused", { operation_uuid: id, step, reason: answer.status });
      await this.#pause("retryAfter" in answer ? answer.retryAfter * 1000 : this.#left());
      return null;
    }
    // Another drive of it, taken for lost, may still submit the step.
    if (!(await wallet.withdraw(id, this.#records.length, this.#isNew))) {
      this.#isNew = false;
      this.#records = await wallet.transactions(id);
      if (!this.isBegun) await this.#pause(TRY_AGAIN_MS);
      return null;
    }
    return this.#fail(
      refusalFailure(
        answer,
        this.#records.findLast(({ state }) => state === "failed"),
        this.#records.some(({ state }) => state === "succeeded"),
      ),
    );
  }

  /**
   * Whether to wait after a refusal of the wallet; the scheduled job retries at the latest. A partial effect must be
   * completed. A temporary reason ends an operation only before its first step, while the request that accepted it waits,
   * and only if no 202 was returned (docs/transactions.md).
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
    return this.isBegun || !this.#isNew;
  }

  async #finish(outlook: Outlook): Promise<EndedRow | null> {
    const { context, finish } = this.#parts;
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
    return failWith(this.#parts.context, this.#row, failure, this.#records);
  }

  /** Waits for the end of an operation that comes first, and drives it meanwhile. */
  async #follow(operation: Uuid): Promise<void> {
    const { context, driveOther } = this.#parts;
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
  async #acknowledged(row: EndedRow): Promise<RowWithResults> {
    const { context, wallet, driveOther, ended } = this.#parts;
    const { next, ...own } = row;
    await ended(row);
    if (row.state !== "succeeded" && row.state !== "failed") return own;
    await wallet.acknowledge(row.id);
    if (next) {
      driveOther(next.id).catch((error: unknown) =>
        context.log("operation.next_interrupted", { operation_uuid: next.id, error }),
      );
    }
    return own;
  }

  #record(step: string): TransactionRecord {
    const record = this.#records.find((known) => known.step === step);
    if (!record) throw new Error(`operation ${this.#row.id} has no step ${step}`);
    return record;
  }

  #left(): number {
    return this.#until - this.#parts.context.now().getTime();
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
  return effects && endWith(context, row, effects, records);
};

/** Ends an operation with the results of its last step. @returns null if what was read has changed */
export const endWith = (
  context: ServiceContext,
  row: OperationRow,
  effects: Effects | Gone,
  records: readonly TransactionRecord[],
): Promise<EndedRow | null> =>
  "failure" in effects
    ? failWith(context, row, effects.failure, records)
    : succeed(context, row, effects, records);

const failWith = async (
  context: ServiceContext,
  row: OperationRow,
  failure: Failure,
  records: readonly TransactionRecord[],
): Promise<EndedRow> => {
  if (failure.code === "outcome_unknown") return fail(context, row, { failure, records });
  const kind = kindNamed(row.kind);
  const partial = kind.partial(context, row, records, failure);
  return partial === null
    ? fail(context, row, { failure, ...(await kind.onFailure(context, row, records)), records })
    : endInPart(context, row, partial, { records });
};

/**
 * Ends an operation in the Worker, as its wallet's object would; the object asks for it where the results take long to read.
 * @param height minimum height of the node that the results are read from; null: as its transactions say
 * @returns null if the results can't be read yet, or what was read has changed
 */
export const finish = async (
  context: ServiceContext,
  { integrationId, id }: Pick<OperationRow, "integrationId" | "id">,
  height: number | null,
): Promise<EndedRow | null> => {
  const found = await findOperationWhole(ledgerOf(context, integrationId), id);
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
