import { RequestWindow } from "./request-window.ts";

/** Whom calls are counted against, and how many of them there may be in a period. */
export interface Payer {
  readonly name: string;
  readonly most: number;
}

/** Payers that are counted; beyond it the one that was idle longest is forgotten. */
const CAPACITY = 10_000;

/**
 * Counts calls against all that they are caused by: none of these has more than it may in any period, and a call that
 * one of them hasn't left is counted against nobody. Times are milliseconds.
 */
export class CallBudget {
  readonly #periodMs: number;
  readonly #windows = new Map<string, RequestWindow>();

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Counts a call, if each payer has it left. */
  take(payers: readonly Payer[], now: number): boolean {
    const windows = payers.map(({ name, most }) => ({ window: this.#windowOf(name), most }));
    if (windows.some(({ window, most }) => window.used(now) >= most)) return false;
    for (const { window } of windows) window.add(1, now);
    return true;
  }

  /** Milliseconds until each payer has a call left again. */
  freeAfter(payers: readonly Payer[], now: number): number {
    const waits = payers.map(({ name, most }) => {
      const window = this.#windowOf(name);
      return window.used(now) < most ? 0 : window.freeAfter(now);
    });
    return Math.max(...waits);
  }

  #windowOf(name: string): RequestWindow {
    const window = this.#windows.get(name) ?? new RequestWindow(this.#periodMs);
    this.#windows.delete(name);
    const idle = this.#windows.size >= CAPACITY ? this.#windows.keys().next().value : undefined;
    if (idle !== undefined) this.#windows.delete(idle);
    this.#windows.set(name, window);
    return window;
  }
}
