import { depositOf } from "../chain/actions.ts";
import { orderIn, shareNameOf, tokensOf } from "../chain/contract/shared-mints.ts";
import { type Cost, costOf, maxSpent, NO_COST, requiredBalance } from "../chain/cost.ts";
import { ChainUnavailableError } from "../chain/errors.ts";
import type { Settings } from "../env.ts";
import type { Funds, Reserved } from "./chain-state/funds.ts";
import type { Head } from "./chain-state/head.ts";
import type { Intent, SubmitResult } from "./interface.ts";
import { withStorage } from "./journal/budgets.ts";
import { encodeActions } from "./journal/encoding.ts";
import type { Journal } from "./journal/journal.ts";
import { nextDayAfter, withinDay } from "./journal/spending.ts";
import { predates } from "./journal/timing.ts";
import { LANE_METHODS, retryAfter } from "./lanes/lanes.ts";
import type { QuotaAhead } from "./quota-ahead.ts";
import type { Runtime } from "./runtime.ts";
import type { StorageAhead } from "./storage-ahead.ts";

/** Retry-After of a wallet that may not sign yet, seconds. */
const NOT_READY_AFTER = 5;
/** Factor by which gas may rise until the missing amount is paid in; the reported amount covers it. */
const PRICE_MARGIN = 2n;
/** Retry-After of a wallet whose key isn't on its account, seconds. */
const LOCKED_OUT_AFTER = 60;
/** Maximum transaction size of the protocol (`max_transaction_size`), and so of the actions. Bytes. */
const MAX_ACTION_BYTES = 1_572_864;

interface SubmissionParts extends Runtime {
  readonly journal: Journal;
  readonly settings: Pick<Settings, "MAX_QUEUE">;
  readonly head: Head;
  readonly funds: Funds;
  readonly storage: StorageAhead;
  readonly quota: QuotaAhead;
  /** Sets the alarm for a new row, in the turn in which it is called. */
  readonly arm: () => Promise<void>;
}

/** Journals intents, or rejects them with the reason. */
export class Submission {
  readonly #parts: SubmissionParts;

  constructor(parts: SubmissionParts) {
    this.#parts = parts;
  }

  /**
   * Journals an intent unless its operation and step are already there. Journals nothing when the wallet can't pay, its
   * queue is full, or no node responds.
   * @param accept runs first in the intent's transaction; what it throws leaves nothing of both
   */
  async submit(intent: Intent, accept: () => void = () => undefined): Promise<SubmitResult> {
    const { journal, head, funds, at } = this.#parts;
    const known = this.#known(intent);
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
    if (predates(intent.operationUuid, wallet.restoredAt)) {
      await this.#add(intent, NO_COST, "unknown", accept);
      return { status: "accepted" };
    }
    const refusal = this.#full() ?? (await this.#unpaid(intent, wallet.accountId)) ?? this.#limited(intent);
    if (refusal !== null) return refusal;
    // Other calls may have arrived during the awaits. From here on everything is synchronous.
    const cost = costOf(intent, head.prices);
    const late =
      this.#known(intent) ??
      this.#tooDear(intent, cost) ??
      this.#full() ??
      (funds.cover(journal.intents.reserved(), cost) === "enough" ? null : this.#busy()) ??
      this.#limited(intent);
    if (late !== null) return late;
    at("wallet.before_journal");
    await this.#add(intent, cost, "queued", accept);
    at("wallet.journaled");
    return { status: "accepted" };
  }

  /** The response that doesn't depend on the chain: the step is journaled, or the operation accepts no more steps. */
  #known({ operationUuid, step }: Intent): SubmitResult | null {
    const state = this.#parts.journal.operations.stepState(operationUuid, step);
    if (state === null) return null;
    return { status: state === "journaled" ? "accepted" : "withdrawn" };
  }

  #full(): SubmitResult | null {
    const { journal, settings } = this.#parts;
    return journal.intents.counts().queued < settings.MAX_QUEUE ? null : this.#busy();
  }

  #busy(held?: "integration" | "key"): SubmitResult {
    const { journal } = this.#parts;
    const { queued, open } = journal.intents.counts();
    return { status: "busy", retryAfter: retryAfter(queued + open, journal.lanes.all().length), held };
  }

  /** The rejection of an intent that exceeds its operation's maximum cost; null if it doesn't. */
  #tooDear({ operationUuid, mostCost }: Intent, cost: Cost): SubmitResult | null {
    if (mostCost === null || mostCost === undefined) return null;
    const needed = this.#parts.journal.costs.ofOperation(operationUuid) + maxSpent(cost);
    return needed <= BigInt(mostCost)
      ? null
      : { status: "too_dear", needed: needed.toString(), most: mostCost };
  }

  /** The rejection of an intent that the wallet can't pay in addition to its reservations; null if it can. */
  async #unpaid(intent: Intent, accountId: string): Promise<SubmitResult | null> {
    const { head, funds, journal } = this.#parts;
    try {
      await Promise.all([head.fresh ? null : head.refresh(), funds.isFresh ? null : funds.read(accountId)]);
      await head.requireBlocks();
      const cover = await funds.ask(accountId, () => journal.intents.reserved(), costOf(intent, head.prices));
      if (cover === "enough") return null;
      // Queued and open transactions release most of what they reserve.
      if (cover === "later") return this.#busy();
      return { status: "insufficient_funds", missing: this.#missing(intent).toString(), accountId };
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      return { status: "chain_unavailable", retryAfter: error.details.retryAfter ?? NOT_READY_AFTER };
    }
  }

  /** The rejection of an intent that exceeds a daily limit, reservations included; null if it doesn't. */
  #limited(intent: Intent): SubmitResult | null {
    const { spendingPerDay, budgets = [] } = intent;
    const { journal, now } = this.#parts;
    const [{ spending }, at] = [journal, now()];
    const own =
      spendingPerDay === undefined
        ? null
        : this.#above(intent, spendingPerDay, {
            spent: spending.of(at),
            reserved: journal.intents.reserved(),
          });
    if (own !== null) return own;
    for (const { key, perDay } of budgets) {
      const used = { spent: journal.budgets.spent(key, at), reserved: journal.budgets.reserved(key) };
      const { whole } = intent;
      const storage = whole ? BigInt(whole.storage) : storageBeyond(intent);
      const refusal = this.#above(intent, perDay, { ...used, storage }, true);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  /** The rejection of an intent that exceeds one daily limit; null if it doesn't. */
  #above(
    intent: Intent,
    perDay: string,
    {
      spent,
      reserved,
      storage = 0n,
    }: { readonly spent: bigint; readonly reserved: Reserved; readonly storage?: bigint },
    isOfKey = false,
  ): SubmitResult | null {
    const [limit, at] = [BigInt(perDay), this.#parts.now()];
    const own = costOf(intent, this.#parts.head.prices);
    const { whole } = intent;
    const cost = withStorage(whole ? { ...own, certain: BigInt(whole.cost), gas: 0n } : own, storage);
    const within = withinDay(limit, spent, reserved, cost);
    if (within === "enough") return null;
    if (within === "later") return this.#busy(isOfKey ? "key" : "integration");
    return {
      status: "spending_limited",
      isOfKey,
      limit: limit.toString(),
      spent: spent.toString(),
      cost: maxSpent(cost).toString(),
      nextDayAfter: nextDayAfter(at),
    };
  }

  /**
   * The amount to pay in for the intent to be accepted, yoctoNEAR. Exactly this suffices, even if gas rises until then.
   * If the intent is the remedy of a failure, the operation fails again first and is retried after it.
   */
  #missing(intent: Intent): bigint {
    const { head, funds, journal } = this.#parts;
    const { burnt, leastBought } = head.prices;
    const cost = requiredBalance(costOf(intent, { burnt: burnt * PRICE_MARGIN, leastBought }));
    const again = journal.intents
      .costsOfFailures(intent.operationUuid)
      .reduce((sum, failed) => sum + failed.gas * PRICE_MARGIN + requiredBalance(failed), 0n);
    return journal.intents.reserved().certain + cost + again - funds.available;
  }

  /** Adds an intent and sets its alarm without an await in between: both are stored, or neither. */
  async #add(intent: Intent, cost: Cost, state: "queued" | "unknown", accept: () => void): Promise<void> {
    const { journal, now } = this.#parts;
    const actions = encodeActions(intent.actions);
    if (actions.length > MAX_ACTION_BYTES) {
      throw new RangeError(`actions of ${actions.length} bytes are more than a transaction may have`);
    }
    // Set for a mint that may share a transaction.
    const order = orderIn(intent.actions);
    journal.atomically(() => {
      accept();
      const id = journal.intents.add({
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
      if (state === "queued") journal.budgets.count(id, intent.budgets ?? [], storageBeyond(intent));
      journal.operations.begin(intent.operationUuid, false);
      if (state === "unknown") journal.operations.rowsOver([intent.operationUuid], now());
    });
    if (order && state === "queued") {
      const { storage, quota } = this.#parts;
      for (const ahead of [storage, quota])
        ahead.ordered(intent.receiverId, order.collectionId, tokensOf(order));
    }
    await this.#parts.arm();
  }
}

/** Price of the storage that an intent takes beyond its deposit, which pays for storage first, yoctoNEAR. */
const storageBeyond = ({ storage = "0", actions }: Intent): bigint => {
  const beyond = BigInt(storage) - depositOf(actions);
  return beyond > 0n ? beyond : 0n;
};

/** The method if a function-call key could sign the intent: one call of a listed method without deposit. */
const laneMethodOf = ({ actions }: Intent): string | null => {
  const [action, ...others] = actions;
  if (others.length > 0 || action?.kind !== "function_call" || BigInt(action.deposit) > 0n) return null;
  return LANE_METHODS.includes(action.method) ? action.method : null;
};
