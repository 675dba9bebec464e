import { ChainUnavailableError } from "../../chain/errors.ts";
import type { ServiceContext } from "../../context.ts";
import { findOperationWhole } from "../../db/queries/operation-transactions.ts";
import {
  commitTo,
  findOperation,
  leaseEffects,
  type OperationRow,
  releaseEffects,
} from "../../db/queries/operations.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import type { Failure } from "../../domain/failures.ts";
import type { Uuid } from "../../domain/ids.ts";
import { pause } from "../../waiting.ts";
import type { OperationSnapshot, TransactionRecord, Wallet } from "../../wallet/interface.ts";
import type { Kind, Outlook } from "../kind.ts";
import { kindNamed, walletFor, walletName } from "../registry.ts";
import { acknowledgeSoon } from "./acknowledgements.ts";
import { type EndedRow, endingOf, fail, type RowWithResults, succeed } from "./endings.ts";
import { chainFailure, type Refusal, refusalFailure, unknownFailure } from "./failure.ts";
import { type AcceptedRow, handOver } from "./hand-over.ts";
import { spendingOf, topUpRefusal } from "./limits.ts";

/**
 * First and longest pause before checking again whether the previous operation has ended; doubles each time.
 * Milliseconds.
 */
const FIRST_MS = 1_000;
const MOST_MS = 8_000;

/**
 * Waits for the end of a previous operation. Its wallet is notified, but the database decides, and a notification may
 * be lost, so the database is checked again after growing pauses.
 */
class PreviousOperation {
  readonly #wallet: Wallet;
  /** The operation whose end the wallet has reported, so that it sends no further notification. */
  #reported: Uuid | null = null;
  #looks = 0;

  constructor(wallet: Wallet) {
    this.#wallet = wallet;
  }

  /** Returns when it is time to check whether the operation has ended. @param leftMs maximum wait, milliseconds */
  async after(operation: Uuid, leftMs: number): Promise<void> {
    const patience = Math.min(FIRST_MS * 2 ** this.#looks, MOST_MS, leftMs);
    this.#looks += 1;
    if (patience <= 0) return;
    // The wallet is notified after the batch that writes the end: a database without it was rolled back.
    if (this.#reported === operation) return pause(patience);
    if (!(await this.#wallet.acknowledged(operation, patience))) return;
    this.#reported = operation;
    this.#looks = 0;
  }
}

/** Pause before lagging nodes are read again. Milliseconds. */
const LOOK_AGAIN_MS = 250;

/** How long the next operation in turn is driven. Milliseconds. */
const NEXT_MS = 15_000;

/** Pause while another call writes the effects. Milliseconds. */
const ELSEWHERE_MS = 1_000;

/** The progress of an operation. */
export interface Progress {
  readonly row: RowWithResults;
  /** The wallet's journal has a step of it, so it is no longer abandoned for a temporary reason. */
  readonly isBegun: boolean;
}

/**
 * Drives an operation until a deadline: submits steps to the wallet, waits for them, writes the effects. Safe to call
 * concurrently: a step is journaled once by its name, and effects are written once by the operation's state.
 * @param until milliseconds since the Unix epoch
 * @param isNew the caller has just accepted it, and may withdraw it before its first step is journaled
 */
export const drive = async (
  context: ServiceContext,
  row: AcceptedRow,
  until: number,
  isNew = false,
): Promise<Progress> => {
  const work = new Drive(context, row, until, isNew);
  return { row: await work.run(), isBegun: work.isBegun };
};

class Drive {
  readonly #context: ServiceContext;
  readonly #row: AcceptedRow;
  readonly #kind: Kind;
  readonly #wallet: Wallet;
  readonly #until: number;
  /** This call accepted the operation and drives it: no wallet object can have received a step of it before. */
  #isNew: boolean;
  readonly #turn: PreviousOperation;
  #records: readonly TransactionRecord[] = [];
  /** Facts of its kind, until found to be outdated. */
  #known: unknown;
  #leased = false;

  constructor(context: ServiceContext, row: AcceptedRow, until: number, isNew: boolean) {
    this.#context = context;
    this.#row = row;
    this.#kind = kindNamed(row.kind);
    this.#wallet = walletFor(context, row);
    this.#until = until;
    this.#isNew = isNew;
    this.#turn = new PreviousOperation(this.#wallet);
    this.#known = row.known;
  }

  get isBegun(): boolean {
    return this.#records.length > 0;
  }

  async run(): Promise<RowWithResults> {
    if (!this.#isNew) this.#records = await this.#wallet.transactions(this.#row.id);
    for (;;) {
      const ended = await this.#advance();
      if (ended) return this.#acknowledged(ended);
      if (this.#left() <= 0) return this.#row;
    }
  }

  /** Makes one transition. Returns the row once the operation has ended, else null. */
  async #advance(): Promise<EndedRow | null> {
    const outlook = await this.#kind.look(this.#context, this.#row, this.#records, this.#known);
    this.#known = outlook.facts;
    const next = outlook.next();
    switch (next.do) {
      case "submit":
        if (next.delay > 0 && !(await this.#pause(next.delay))) return null;
        return this.#submit(next.step, outlook);
      case "wait":
        if (this.#left() <= 0) return null;
        this.#records = await this.#wallet.recordsAtEnd(this.#row.id, this.#left());
        checkpoint("operation.settled");
        return null;
      case "pause":
        if (await this.#pause(next.delay)) this.#records = await this.#wallet.transactions(this.#row.id);
        return null;
      case "follow":
        await this.#turn.after(next.operation, this.#left());
        this.#known = undefined;
        this.#records = await this.#wallet.transactions(this.#row.id);
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
    const refusal = await topUpRefusal(this.#context, this.#row, this.#records, coming);
    if (refusal !== null) return this.#refused(refusal, step);
    await outlook.before(step);
    checkpoint("operation.before_submit");
    const intent = {
      operationUuid: id,
      step,
      fairnessKey: integrationId,
      mostCost: this.#row.mostCost,
      ...transaction,
      ...(await spendingOf(this.#context, this.#row)),
    };
    const submit = async (snapshot?: OperationSnapshot) => {
      const answer = await this.#wallet.submit({ ...intent, snapshot }, Math.max(this.#left(), 0));
      // An object lost during the call may have sent it; the one that responded doesn't know.
      if (answer.repeated) this.#isNew = false;
      return answer;
    };
    const answer = this.isBegun
      ? await submit()
      : await handOver(this.#context, this.#wallet, this.#row, submit);
    checkpoint("operation.after_submit");
    if (answer.status === "unchecked")
      throw new Error(`operation ${id} is new to its wallet after its first step`);
    if (answer.status === "accepted") {
      this.#isNew = false;
      this.#records = answer.records ?? (await this.#wallet.recordsAtEnd(id, Math.max(this.#left(), 0)));
      checkpoint("operation.settled");
      return null;
    }
    return this.#refused(answer, step);
  }

  /** Handles a refusal of the wallet: waits and retries, or ends the operation. */
  async #refused(answer: Refusal, step: string): Promise<EndedRow | null> {
    const { id } = this.#row;
    if (await this.#isWaitedOut(answer)) {
      this.#context.log("operation.refused", { operation_uuid: id, step, reason: answer.status });
      await this.#pause("retryAfter" in answer ? answer.retryAfter * 1000 : this.#left());
      return null;
    }
    checkpoint("operation.before_withdraw");
    if (await this.#wallet.withdraw(id, this.#records.length, this.#isNew)) {
      checkpoint("operation.withdrawn");
      return this.#fail(
        refusalFailure(
          answer,
          this.#records.findLast(({ state }) => state === "failed"),
        ),
      );
    }
    // Another call has submitted a step; or a lost object may have had one, and the wallet waits for the operator.
    this.#isNew = false;
    this.#records = await this.#wallet.transactions(id);
    if (!this.isBegun) await this.#pause(ELSEWHERE_MS);
    return null;
  }

  /**
   * Whether to wait after a refusal of the wallet; the scheduled job retries at the latest. A partial effect must be
   * completed. A temporary reason ends an operation only before its first step, by the request that accepted it, and
   * only if no 202 was returned (docs/operations.md).
   */
  async #isWaitedOut(refusal: Refusal): Promise<boolean> {
    // The cost may never drop. A new request continues what is already there.
    if (refusal.status === "too_dear") return false;
    if (this.#kind.isCommitted(this.#records)) return true;
    if (!("retryAfter" in refusal)) return false;
    if (this.isBegun) return true;
    // An interrupted withdrawal: no 202 can have been returned since.
    if (this.#row.commitment === "given_up") return false;
    return !(this.#isNew && (await commitTo(this.#context.db, this.#row.id, "given_up")));
  }

  async #finish(outlook: Outlook): Promise<EndedRow | null> {
    const elsewhere = await this.#takeOn(outlook.effort);
    if (elsewhere !== null) return elsewhere.state === "pending" ? null : elsewhere;
    try {
      const effects = await outlook.effects();
      if (effects && "failure" in effects) return await this.#fail(effects.failure);
      if (effects) {
        const write = () => succeed(this.#context, this.#row, effects, this.#records);
        const ended = await (effects.commit?.(write) ?? write());
        // The next evaluation reads it again.
        if (ended === null) this.#known = undefined;
        return ended;
      }
    } catch (error) {
      if (this.#leased) await releaseEffects(this.#context.db, this.#row.id);
      this.#leased = false;
      // The effect is on the chain, even if no node responds now.
      if (!(error instanceof ChainUnavailableError)) throw error;
    }
    await this.#pause(LOOK_AGAIN_MS);
    return null;
  }

  /** Leases expensive effects. If another call holds the lease, returns the current row after a pause. */
  async #takeOn(effort: number): Promise<RowWithResults | null> {
    if (effort === 0 || this.#leased) return null;
    const { db, now } = this.#context;
    const time = now();
    this.#leased = await leaseEffects(db, this.#row.id, time, new Date(time.getTime() + effort));
    if (this.#leased) return null;
    await this.#pause(ELSEWHERE_MS);
    return (await findOperationWhole(db, this.#row.id)) ?? null;
  }

  #fail(failure: Failure): Promise<EndedRow> {
    const statements =
      failure.code === "outcome_unknown" ? [] : this.#kind.onFailure(this.#context, this.#row, this.#records);
    return fail(this.#context, this.#row, { failure, statements, records: this.#records });
  }

  /**
   * Acknowledges the end to the wallet; if that is lost, its alarm resumes the operation. The next operation in turn
   * continues at once.
   */
  #acknowledged(ended: EndedRow): RowWithResults {
    if (ended.state === "succeeded" || ended.state === "failed") {
      const { waitUntil } = this.#context;
      if (ended.next) waitUntil(driveNext(this.#context, ended.next));
      const acknowledgement = { operationUuid: ended.id, ending: endingOf(ended) };
      acknowledgeSoon(this.#context, this.#wallet, walletName(ended), acknowledgement);
    }
    return ended;
  }

  #record(step: string): TransactionRecord {
    const record = this.#records.find((known) => known.step === step);
    if (!record) throw new Error(`operation ${this.#row.id} has no step ${step}`);
    return record;
  }

  #left(): number {
    return this.#until - this.#context.now().getTime();
  }

  /** Pauses; false if the deadline comes first. */
  async #pause(milliseconds: number): Promise<boolean> {
    const left = this.#left();
    await pause(Math.max(0, Math.min(milliseconds, left)));
    return milliseconds <= left;
  }
}

/** Drives an operation by its id if it is open. Returns its row; undefined if there is none. */
export const driveById = async (
  context: ServiceContext,
  id: OperationRow["id"],
  until: number,
): Promise<OperationRow | undefined> => {
  const row = await findOperation(context.db, id);
  if (!row) return undefined;
  if (row.state !== "pending" && row.state !== "unknown") return row;
  return (await drive(context, row, until)).row;
};

/** Drives the next operation in turn after one has ended; its own request may have ended long ago. */
const driveNext = async (context: ServiceContext, { id }: Pick<OperationRow, "id">): Promise<void> => {
  try {
    await driveById(context, id, context.now().getTime() + NEXT_MS);
  } catch (error) {
    context.log("operation.next_interrupted", { operation_uuid: id, error });
  }
};
