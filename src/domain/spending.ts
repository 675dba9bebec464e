import type { Uuid } from "./ids.ts";

/** A write's quoted cost, null without a quote, and its highest allowed cost. */
export interface CostLimit {
  readonly quoted: string | null;
  readonly most: string;
  /** State of the draft that the write must find, because it was quoted; null or absent: any. */
  readonly quotedState?: string | null;
  /** The execution of the quote that the write is, which it can be once; null or absent: none. */
  readonly execution?: Execution | null;
}

/** The execution of a kept quote under its Idempotency-Key. */
export interface Execution {
  readonly integrationId: Uuid;
  readonly quoteId: Uuid;
  readonly key: string;
  /** When the quote was made. */
  readonly since: Date;
}

/** Code of a transaction that was not signed because its operation could exceed its highest allowed cost. */
export const TOO_DEAR = "TOO_DEAR";

interface Excess {
  readonly needed: bigint | string;
  readonly most: bigint | string;
}

export const tooDear = ({ needed, most }: Excess): string =>
  `Allow at least ${needed} yoctoNEAR or request a new quote: the write could now cost that much, but its limit is ${most}.`;
