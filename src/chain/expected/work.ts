/** What a call does, as far as its gas goes. */
export interface Work {
  /** What the protocol charges, Ggas. */
  readonly host: number;
  /** What the contract's own instructions grow with, by name. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Ggas of instructions: always, and for each of what is counted. */
export type Instructions = Readonly<Record<string, number>>;
