import { depositOf } from "../chain/actions.ts";
import { orderIn, shareNameOf, tokensOf } from "../chain/contract/shared-mints.ts";
import { type Cost, costOf, lastingOf, NO_COST, totalOf } from "../chain/cost.ts";
import { ChainUnavailableError } from "../chain/errors.ts";
import type { Settings } from "../env.ts";
import type { Funds } from "./chain-state/funds.ts";
import type { Head } from "./chain-state/head.ts";
import type { Intent, SubmitResult } from "./interface.ts";
import { encodeActions } from "./journal/encoding.ts";
import type { Journal } from "./journal/journal.ts";
import { predates } from "./journal/snapshots.ts";
import { nextDayAfter, withinDay } from "./journal/spending.ts";
import { LANE_METHODS, retryAfter } from "./lanes/lanes.ts";
import type { RollbackGuard } from "./rollback-guard.ts";
import type { Runtime } from "./runtime.ts";
import type { StorageAhead } from "./storage-ahead.ts";
import type { WholeJournal } from "./whole-journal.ts";

/** Seconds after which a wallet that may not sign yet is worth another try. */
const NOT_READY_AFTER = 5;
/** How much gas may rise until the missing amount is paid in; the named amount covers it. */
const DEARER_BY_THEN = 2n;
/** Seconds after which a wallet whose key is not on its account is worth another try. */
const LOCKED_OUT_AFTER = 60;
/** Largest transaction that the protocol takes (`max_transaction_size`); the actions can't exceed it. Bytes. */
const MAX_ACTION_BYTES = 1_572_864;

interface SubmissionParts extends Runtime {
  readonly journal: Journal;
  readonly whole: WholeJournal;
  readonly settings: Pick<Settings, "MAX_QUEUE">;
  readonly head: Head;
  readonly funds: Funds;
  readonly rollbackGuard: RollbackGuard;
  readonly storage: StorageAhead;
  /** Sets the alarm for a row that has come to the journal, in the turn in which it is called. */
  readonly arm: () => Promise<void>;
}

/** Takes intents into the journal, or says why not. */
export class Submission {
  readonly #parts: SubmissionParts;

  constructor(parts: SubmissionParts) {
    this.#parts = parts;
  }

  /**
   * Journals an intent unless its operation and step are there already. Nothing is journaled when the wallet can't
   * pay, its queue is full, no node answers, or its database was rolled back.
   */
  async submit(intent: Intent): Promise<SubmitResult> {
    const { journal, head, funds, at } = this.#parts;
    const known = this.#known(intent) ?? (await this.#ended(intent));
    if (known !== null) return known;
    const wallet = journal.wallet();
    if (wallet === null || wallet.state !== "active") {
      return { status: "busy", retryAfter: NOT_READY_AFTER, inactive: true };
    }
    const publicKey = journal.lanes.missing();
    if (publicKey !== null) {
      const lockedOut = { publicKey, accountId: wallet.accountId };
      return { status: "busy", retryAfter: LOCKED_OUT_AFTER, inactive: true, lockedOut };
    }
    const isNew = !journal.intents.hasAny(intent.operationUuid);
    const unwitnessed = isNew ? this.#parts.rollbackGuard.refusal(intent) : null;
    if (unwitnessed !== null) return unwitnessed;
    if (predates(intent.operationUuid, wallet.restoredAt) || (isNew && this.#isForgotten(intent))) {
      await this.#add(intent, NO_COST, "unknown");
      return { status: "accepted" };
    }
    const refusal = this.#full() ?? (await this.#unpaid(intent, wallet.accountId)) ?? this.#limited(intent);
    if (refusal !== null) return refusal;
    // Other calls may have come while the chain was asked. From here on everything is synchronous.
    const cost = costOf(intent, head.prices);
    const meanwhile =
      this.#known(intent) ??
      this.#tooDear(intent, cost) ??
      (isNew && journal.snapshots.behind !== null ? this.#parts.rollbackGuard.refusal(intent) : null) ??
      this.#full() ??
      (funds.cover(journal.intents.reserved(), cost) === "enough" ? null : this.#busy()) ??
      this.#limited(intent);
    if (meanwhile !== null) return meanwhile;
    at("wallet.before_journal");
    await this.#add(intent, cost, "queued");
    at("wallet.journaled");
    return { status: "accepted" };
  }

  /** The answer that is settled without looking at the chain: the step is journaled, or the operation takes none any more. */
  #known({ operationUuid, step }: Intent): SubmitResult | null {
    const { intents, operations, snapshots } = this.#parts.journal;
    if (intents.has(operationUuid, step)) return { status: "accepted" };
    // One that failed may be open again in a database that was rolled back, and another release may know a remedy.
    const isSealed = operations.isWithdrawn(operationUuid) || snapshots.hasFailed(operationUuid);
    return isSealed ? { status: "withdrawn" } : null;
  }

  /** The answer for an operation that has ended and is in a file: it has the steps that it had, and takes no other. */
  async #ended({ operationUuid, step }: Intent): Promise<SubmitResult | null> {
    const { journal, whole } = this.#parts;
    const filed = journal.intents.hasAny(operationUuid) ? null : await whole.filed(operationUuid);
    if (filed === null) return null;
    return { status: filed.records.some((record) => record.step === step) ? "accepted" : "withdrawn" };
  }

  /** Whether the operation was done and forgotten, or may have been: a database came back that was older. */
  #isForgotten({ operationUuid, snapshot }: Intent): boolean {
    return snapshot !== undefined && this.#parts.journal.snapshots.isForgotten(operationUuid);
  }

  #full(): SubmitResult | null {
    const { journal, settings } = this.#parts;
    return journal.intents.counts().queued < settings.MAX_QUEUE ? null : this.#busy();
  }

  #busy(): SubmitResult {
    const { journal } = this.#parts;
    const { queued, open } = journal.intents.counts();
    return { status: "busy", retryAfter: retryAfter(queued + open, journal.lanes.all().length) };
  }

  /** Why the intent isn't taken although the wallet could pay it; null: it is within what its operation may cost. */
  #tooDear({ operationUuid, mostCost }: Intent, cost: Cost): SubmitResult | null {
    if (mostCost === null || mostCost === undefined) return null;
    const needed = this.#parts.journal.costs.ofOperation(operationUuid) + lastingOf(cost);
    return needed <= BigInt(mostCost)
      ? null
      : { status: "too_dear", needed: needed.toString(), most: mostCost };
  }

  /** Why the intent isn't taken for now; null if the wallet can pay it beside all that it has promised. */
  async #unpaid(intent: Intent, accountId: string): Promise<SubmitResult | null> {
    const { head, funds, journal } = this.#parts;
    try {
      await Promise.all([head.fresh ? null : head.refresh(), funds.isFresh ? null : funds.read(accountId)]);
      await head.requireBlocks();
      const cover = await funds.ask(accountId, () => journal.intents.reserved(), costOf(intent, head.prices));
      if (cover === "enough") return null;
      // What waits or is on its way gives back most of what it holds.
      if (cover === "later") return this.#busy();
      return { status: "insufficient_funds", missing: this.#missing(intent).toString(), accountId };
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      return { status: "chain_unavailable", retryAfter: error.details.retryAfter ?? NOT_READY_AFTER };
    }
  }

  /** Why the intent isn't taken today; null if the day's limit has room for it beside all that is promised. */
  #limited(intent: Intent): SubmitResult | null {
    if (intent.spendingPerDay === undefined) return null;
    const { head, journal, now } = this.#parts;
    const at = now();
    const limit = BigInt(intent.spendingPerDay);
    const spent = journal.spending.of(at);
    const cost = costOf(intent, head.prices);
    const within = withinDay(limit, spent, journal.intents.reserved(), cost);
    if (within === "enough") return null;
    if (within === "later") return this.#busy();
    return {
      status: "spending_limited",
      limit: limit.toString(),
      spent: spent.toString(),
      cost: lastingOf(cost).toString(),
      nextDayAfter: nextDayAfter(at),
    };
  }

  /**
   * What has to be paid in for the intent to be accepted, yoctoNEAR. Exactly this is enough, even if gas rises until
   * then. Where the intent is the remedy of a failure, the operation that comes for it fails again first, and is
   * tried again after it.
   */
  #missing(intent: Intent): bigint {
    const { head, funds, journal } = this.#parts;
    const { burnt, leastBought } = head.prices;
    const cost = totalOf(costOf(intent, { burnt: burnt * DEARER_BY_THEN, leastBought }));
    const again = journal.intents
      .costsOfFailures(intent.operationUuid)
      .reduce((sum, failed) => sum + failed.gas * DEARER_BY_THEN + totalOf(failed), 0n);
    return journal.intents.reserved().certain + cost + again - funds.available;
  }

  /** Enters an intent and sets the alarm that looks after it, with no await between: both are stored, or neither. */
  async #add(intent: Intent, cost: Cost, state: "queued" | "unknown"): Promise<void> {
    const { journal, now } = this.#parts;
    const actions = encodeActions(intent.actions);
    if (actions.length > MAX_ACTION_BYTES) {
      throw new RangeError(`actions of ${actions.length} bytes are more than a transaction may have`);
    }
    // Where it is a mint that may share a transaction.
    const order = orderIn(intent.actions);
    journal.atomically(() => {
      journal.intents.add({
        operation: intent.operationUuid,
        step: intent.step,
        fairness: intent.fairnessKey,
        receiverId: intent.receiverId,
        method: laneMethodOf(intent),
        actions,
        cost,
        deposit: depositOf(intent.actions),
        most: intent.mostCost ?? null,
        state,
        internal: false,
        share: order && { name: shareNameOf(intent.receiverId, order), tokens: tokensOf(order) },
        now: now(),
      });
      if (intent.snapshot) journal.snapshots.add(intent.operationUuid, intent.snapshot);
      journal.operations.begin(intent.operationUuid, false);
      if (state === "unknown") journal.operations.rowsOver(intent.operationUuid, now());
    });
    if (order && state === "queued")
      this.#parts.storage.ordered(intent.receiverId, order.collectionId, tokensOf(order));
    await this.#parts.arm();
  }
}

/** The method that a function-call key could sign the intent for: one call without deposit of a listed method. */
const laneMethodOf = ({ actions }: Intent): string | null => {
  const [action, ...others] = actions;
  if (others.length > 0 || action?.kind !== "function_call" || BigInt(action.deposit) > 0n) return null;
  return LANE_METHODS.includes(action.method) ? action.method : null;
};
