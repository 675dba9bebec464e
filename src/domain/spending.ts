/** What a write to the chain may cost, and how it is told. Amounts are yoctoNEAR. */

/** What a caller has set for a write: what it was quoted, null without a quote, and the most that it may cost. */
export interface CostLimit {
  readonly quoted: string | null;
  readonly most: string;
}

/** Code of a transaction that was not signed because its operation could cost more than it may. */
export const TOO_DEAR = "TOO_DEAR";

/** What an operation could cost, and what it may. */
interface Excess {
  readonly needed: bigint | string;
  readonly most: bigint | string;
}

/** Says by how much a write is too dear, and what to do. */
export const tooDear = ({ needed, most }: Excess): string =>
  `Allow at least ${needed} yoctoNEAR, or ask for a new quote: the write could cost that much by now, and ${most} is the most that it may.`;
