/** What a call does, as far as its gas goes. */
export interface Work {
  /** What the protocol charges, Ggas. */
  readonly host: number;
  /** What the contract's own instructions grow with, by name. */
  readonly counts: Readonly<Record<string, number>>;
  /**
   * Bytes of storage that its contract can't pay for, with so many bytes free; 0: it can. Absent: what is stored is told
   * by its kind alone.
   */
  readonly lack?: (free: number) => number;
}

/** What a contract lacks to store so many bytes more. */
export const lackOf =
  (bytes: number) =>
  (free: number): number =>
    Math.max(bytes - free, 0);

/** Ggas of instructions: always, and for each of what is counted. */
export type Instructions = Readonly<Record<string, number>>;
