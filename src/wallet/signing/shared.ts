import { mintTogether, orderIn } from "../../chain/contract/shared-mints.ts";
import { newUuid } from "../../domain/ids.ts";
import { MAX_MINTS } from "../../domain/mint-limits.ts";
import { type Cost, costOf, totalOf } from "../chain-state/cost.ts";
import type { Head } from "../chain-state/head.ts";
import { decodeActions, encodeActions } from "../journal/encoding.ts";
import type { Journal } from "../journal/journal.ts";
import { together, type Unit } from "../journal/queue.ts";
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

  /** Transactions for those units with a lane that have several intents, by the unit's id. */
  drafts(units: readonly Unit[], assigned: readonly Assignment[]): ReadonlyMap<number, Draft> {
    const chosen = new Set(assigned.map(({ intentId }) => intentId));
    const several = units.filter(({ id, members }) => members.length > 1 && chosen.has(id));
    return new Map(several.map((unit) => [unit.id, this.#draft(unit)]));
  }

  #draft(unit: Unit): Draft {
    const { journal, head } = this.#parts;
    const orders = unit.members.map(({ id }) => {
      const order = orderIn(decodeActions(journal.intents.toSign(id).actions));
      if (order === null) throw new Error(`intent ${id} can't share a transaction`);
      return order;
    });
    const actions = [mintTogether(orders)];
    const cost = costOf({ receiverId: unit.receiverId, actions }, head.prices);
    return { ...unit, actions: encodeActions(actions), cost, total: totalOf(cost) };
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
