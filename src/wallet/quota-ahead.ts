import { allowStaffMints } from "../chain/contract/calls.ts";
import { costOf } from "../chain/cost.ts";
import { setBounded } from "../domain/bounded-map.ts";
import { newUuid } from "../domain/ids.ts";
import type { Funds } from "./chain-state/funds.ts";
import type { Head } from "./chain-state/head.ts";
import { encodeActions } from "./journal/encoding.ts";
import type { Journal } from "./journal/journal.ts";
import type { Runtime } from "./runtime.ts";

const DAY_MS = 86_400_000;
/** Tokens by which a quota is raised: as many as it allows by itself (`STAFF_MINTS_A_DAY` of the contract). */
const RAISED_BY = 1_000;
/** A quota is raised this many tokens before it is needed, because a raise takes some seconds to be final. */
const AHEAD = 500;
/** Maximum number of counted collections; the one with the oldest order is evicted. */
const MOST_COUNTED = 1_000;

/** Tokens by which orders of a day raise the quota. @param before tokens ordered on that day before these */
export const raiseFor = (before: number, ordered: number): number =>
  (Math.floor((before + ordered + AHEAD) / RAISED_BY) - Math.floor((before + AHEAD) / RAISED_BY)) * RAISED_BY;

interface QuotaAheadParts extends Pick<Runtime, "now" | "log"> {
  readonly journal: Journal;
  readonly head: Head;
  readonly funds: Funds;
}

/**
 * Raises a collection's daily quota of staff mints (docs/contract.md) with a full-access key before orders reach it: mints
 * beyond it fail, and each of them is then sent again by such a key. The counts are in memory only: a restarted object
 * raises later. Only orders raise the quota, never the quota's end: a stolen key could use up any raise.
 */
export class QuotaAhead {
  readonly #parts: QuotaAheadParts;
  readonly #counted = new Map<string, { readonly day: number; readonly tokens: number }>();

  constructor(parts: QuotaAheadParts) {
    this.#parts = parts;
  }

  /** Counts ordered tokens of a collection, and journals a raise if they come near the quota. */
  ordered(contract: string, collectionId: number, tokens: number): void {
    const name = `${contract}:${collectionId}`;
    const day = Math.floor(this.#parts.now() / DAY_MS);
    const counted = this.#counted.get(name);
    const before = counted?.day === day ? counted.tokens : 0;
    // Keep the most recently ordered collection last.
    this.#counted.delete(name);
    setBounded(this.#counted, MOST_COUNTED, name, { day, tokens: before + tokens });
    const more = raiseFor(before, tokens);
    if (more > 0) this.#raise(contract, collectionId, more);
  }

  #raise(receiverId: string, collectionId: number, more: number): void {
    const { journal, head, funds, now, log } = this.#parts;
    const actions = [allowStaffMints(collectionId, more)];
    const cost = costOf({ receiverId, actions }, head.prices);
    if (funds.cover(journal.intents.reserved(), cost) !== "enough") return;
    const operation = newUuid();
    journal.atomically(() => {
      journal.intents.add({
        ...{ operation, step: "quota", fairness: "wallet", receiverId, method: null },
        ...{ actions: encodeActions(actions), cost, state: "queued", internal: true, now: now() },
      });
      journal.operations.begin(operation, true);
    });
    log("wallet.quota_raised", { contract: receiverId, collection_id: collectionId, more });
  }
}
