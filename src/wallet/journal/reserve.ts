import { type Cost, lastingOf, totalOf } from "../../chain/cost.ts";
import type { Reserved } from "../chain-state/funds.ts";
import type { IntentState } from "./machine.ts";

/** A cost as rows of intents keep it; `cost` is what goes for good at most. */
export type CostRow = { cost: string; certain: string; ahead: string };
export const COST = "cost, certain, ahead";

export const toCost = (row: CostRow): Cost => {
  const certain = BigInt(row.certain);
  return { certain, gas: BigInt(row.cost) - certain, ahead: BigInt(row.ahead) };
};

/** What rows that are not over may take, kept along with them. */
export class Reserve {
  #queued = 0n;
  #certain = 0n;
  #open = 0n;

  /** A row goes from one state to another; null: it is new. */
  moved(from: IntentState | null, to: IntentState, cost: Cost): void {
    this.#count(from, cost, -1n);
    this.#count(to, cost, 1n);
  }

  /** What a row in a state may take changes. */
  repriced(state: IntentState, from: Cost, to: Cost): void {
    this.#count(state, from, -1n);
    this.#count(state, to, 1n);
  }

  #count(state: IntentState | null, cost: Cost, times: bigint): void {
    if (state === "queued") {
      this.#queued += times * lastingOf(cost);
      this.#certain += times * cost.certain;
    }
    if (state === "open") this.#open += times * totalOf(cost);
  }

  get sums(): Reserved {
    return { queued: this.#queued, certain: this.#certain, open: this.#open };
  }
}
