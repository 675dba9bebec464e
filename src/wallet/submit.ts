import { ChainUnavailableError } from "../chain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import type { WalletContext } from "./context.ts";
import { costOf } from "./cost.ts";
import { encodeActions } from "./encoding.ts";
import type { Intent, SubmitResult } from "./interface.ts";
import { beganAt } from "./journal/origins.ts";
import { LANE_METHODS, retryAfter } from "./lanes.ts";
import type { Lineage } from "./lineage.ts";

/** Seconds after which a wallet that may not sign yet is worth another try. */
const NOT_READY_AFTER = 5;
/** Largest transaction (near-facts), which the actions can't exceed. Bytes. */
const MAX_ACTION_BYTES = 1_572_864;

/** Takes intents into the journal, or says why not. */
export class Submission {
  readonly #wallet: WalletContext;
  readonly #lineage: Lineage;

  constructor(wallet: WalletContext, lineage: Lineage) {
    this.#wallet = wallet;
    this.#lineage = lineage;
  }

  /**
   * Journals an intent unless its operation and step are there already. Nothing is journaled when the wallet can't
   * pay, its queue is full, no node answers, or the database that it comes from has gone back in time.
   */
  async submit(intent: Intent): Promise<SubmitResult> {
    const { journal, at } = this.#wallet;
    const known = this.#known(intent);
    if (known !== null) return known;
    const wallet = journal.wallet();
    if (wallet === null || wallet.state !== "active") {
      return { status: "busy", retryAfter: NOT_READY_AFTER, inactive: true };
    }
    const isNew = !journal.intents.hasAny(intent.operationUuid);
    const unwitnessed = isNew ? this.#lineage.refusal(intent) : null;
    if (unwitnessed !== null) return unwitnessed;
    if (isOlder(intent.operationUuid, wallet.restoredAt) || (isNew && this.#isForgotten(intent))) {
      await this.#add(intent, 0n, "unknown");
      return { status: "accepted" };
    }
    const refusal = this.#full() ?? (await this.#unpaid(intent, wallet.accountId));
    if (refusal !== null) return refusal;
    // Other calls may have come while the chain was asked. From here on nothing comes between.
    const cost = costOf(intent.actions, this.#wallet.head.block!.gasPrice);
    const meanwhile =
      this.#known(intent) ??
      (isNew && journal.origins.behind !== null ? this.#lineage.refusal(intent) : null) ??
      this.#full() ??
      this.#short(wallet.accountId, cost);
    if (meanwhile !== null) return meanwhile;
    at("wallet.before_journal");
    await this.#add(intent, cost, "queued");
    at("wallet.journaled");
    return { status: "accepted" };
  }

  /** The answer that is settled without looking at the chain: the step is journaled, or the operation withdrawn. */
  #known({ operationUuid, step }: Intent): SubmitResult | null {
    const { intents, operations } = this.#wallet.journal;
    if (intents.has(operationUuid, step)) return { status: "accepted" };
    return operations.isWithdrawn(operationUuid) ? { status: "withdrawn" } : null;
  }

  /** Whether the operation is so old that it may have been done and forgotten: a database came back that was older. */
  #isForgotten({ operationUuid, origin }: Intent): boolean {
    const until = origin === undefined ? null : this.#wallet.journal.origins.forgottenUntil();
    return until !== null && beganAt(operationUuid) <= until;
  }

  #full(): SubmitResult | null {
    const { journal, settings } = this.#wallet;
    const { queued } = journal.intents.counts();
    if (queued < settings.MAX_QUEUE) return null;
    return { status: "busy", retryAfter: retryAfter(queued, journal.lanes.all().length) };
  }

  #short(accountId: string, cost: bigint): SubmitResult | null {
    const { funds, journal } = this.#wallet;
    const missing = funds.short(cost, journal.intents.reserved());
    return missing > 0n ? { status: "insufficient_funds", missing: missing.toString(), accountId } : null;
  }

  async #unpaid(intent: Intent, accountId: string): Promise<SubmitResult | null> {
    const { head, funds, journal } = this.#wallet;
    try {
      const block = head.fresh ? head.block! : await head.refresh();
      await head.requireBlocks();
      const cost = costOf(intent.actions, block.gasPrice);
      const missing = await funds.missing(accountId, cost, () => journal.intents.reserved());
      return missing > 0n ? { status: "insufficient_funds", missing: missing.toString(), accountId } : null;
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      return { status: "chain_unavailable", retryAfter: error.details.retryAfter ?? NOT_READY_AFTER };
    }
  }

  /** Enters an intent and sets the alarm that looks after it, with no await between: both are stored, or neither. */
  async #add(intent: Intent, cost: bigint, state: "queued" | "unknown"): Promise<void> {
    const { journal, now } = this.#wallet;
    const actions = encodeActions(intent.actions);
    if (actions.length > MAX_ACTION_BYTES) {
      throw new RangeError(`actions of ${actions.length} bytes are more than a transaction may have`);
    }
    journal.atomically(() => {
      journal.intents.add({
        operation: intent.operationUuid,
        step: intent.step,
        fairness: intent.fairnessKey,
        receiverId: intent.receiverId,
        method: laneMethodOf(intent),
        actions,
        cost,
        state,
        internal: false,
        now: now(),
      });
      if (intent.origin) journal.origins.add(intent.operationUuid, intent.origin);
      journal.operations.begin(intent.operationUuid, false);
      if (state === "unknown") journal.operations.rowsOver(intent.operationUuid, now());
    });
    await this.#wallet.arm();
  }
}

/** The method that a function-call key could sign the intent for: one call without deposit of a listed method. */
const laneMethodOf = ({ actions }: Intent): string | null => {
  const [action, ...others] = actions;
  if (others.length > 0 || action?.kind !== "function_call" || BigInt(action.deposit) > 0n) return null;
  return LANE_METHODS.includes(action.method) ? action.method : null;
};

/**
 * Whether an operation began before the object was restored: rows of it may have been lost with the former object, so
 * that signing it could do it twice.
 */
export const isOlder = (operationUuid: Uuid, restoredAt: number | null): boolean =>
  restoredAt !== null && beganAt(operationUuid) <= restoredAt;
