/** What a wallet object gives to its parts: its clock, its log, and the points at which a test may kill it. */
export interface Runtime {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** One JSON object a line; never secrets. */
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** Passes a named point at which a test may kill the object. */
  readonly at: (point: string) => void;
}
