import { type MintOrder, mintTogether, orderIn } from "../../chain/contract/shared-mints.ts";
import { type Cost, costOf, totalOf } from "../../chain/cost.ts";
import { newUuid } from "../../domain/ids.ts";
import { MAX_MINTS } from "../../domain/mint-limits.ts";
import type { Head } from "../chain-state/head.ts";
import { decodeActions, encodeActions } from "../journal/encoding.ts";
import type { Journal } from "../journal/journal.ts";
import { mostPayable, together, type Unit } from "../journal/queue.ts";
import type { Assignment } from "../lanes/lanes.ts";
import type { Runtime } from "../runtime.ts";

/** A transaction for several intents, before it is journaled. */
interface Draft extends Unit {
  readonly actions: Uint8Array;
  readonly cost: Cost;
}

interface Parts extends Pick<Runtime, "now"> {
  readonly journal: Journal;
  readonly head: Head;
}

/** Puts what waits into as few transactions as it fits in. Nothing is held back to wait for company. */
export class Sharing {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What waits, as it would be signed. */
  units(): Unit[] {
    return together(this.#parts.journal.intents.waiting(this.#parts.now()), MAX_MINTS);
  }

  /**
   * Transactions for those units with a lane that have several intents, by the unit's id. A transaction takes as many
   * of them as can be paid beside what has a lane before it; a unit without one sends its first intent as it is.
   * @param assigned in the order in which they are signed @param budget yoctoNEAR
   */
  drafts(
    units: readonly Unit[],
    assigned: readonly Assignment[],
    budget: bigint,
  ): ReadonlyMap<number, Draft> {
    const byId = new Map(units.map((unit) => [unit.id, unit]));
    const drafts = new Map<number, Draft>();
    for (const { intentId } of assigned) {
      // Behind the first that can't be paid nothing is signed.
      if (budget < 0n) break;
      const unit = byId.get(intentId)!;
      const draft = this.#draft(unit, budget);
      if (draft !== null) drafts.set(intentId, draft);
      budget -= (draft ?? unit).total;
    }
    return drafts;
  }

  #draft(unit: Unit, budget: bigint): Draft | null {
    const { members } = unit;
    if (members.length === 1) return null;
    const orders = members.map(({ id }) => this.#orderOf(id));
    // A release that came before or comes after this one may have let others share.
    if (!orders.every((order) => order !== null)) return null;
    const draftOf = (count: number): Draft => {
      const actions = [mintTogether(orders.slice(0, count))];
      const cost = costOf({ receiverId: unit.receiverId, actions }, this.#parts.head.prices);
      const total = totalOf(cost);
      return { ...unit, members: members.slice(0, count), actions: encodeActions(actions), cost, total };
    };
    const count = mostPayable(members.length, (count) => draftOf(count).total, budget);
    return count === 1 ? null : draftOf(count);
  }

  #orderOf(intentId: number): MintOrder | null {
    return orderIn(decodeActions(this.#parts.journal.intents.toSign(intentId).actions));
  }

  /**
   * Enters a transaction that carries intents, as an intent of the wallet's own, and answers its number. Part of the
   * signing's transaction: no intent is carried by anything that isn't signed.
   */
  carry({ receiverId, method, members, actions, cost }: Draft): number {
    const { journal, now } = this.#parts;
    const operation = newUuid();
    const shared = journal.intents.add({
      operation,
      step: "shared",
      fairness: "wallet",
      receiverId,
      method,
      actions,
      cost,
      state: "queued",
      internal: true,
      now: now(),
    });
    journal.operations.begin(operation, true);
    journal.shared.carry(shared, members, now());
    return shared;
  }
}
