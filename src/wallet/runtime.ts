/** What a wallet object provides to its parts: clock, log, and the points at which a test may kill it. */
export interface Runtime {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Logs one JSON object per line; never secrets. */
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** Passes a named point at which a test may kill the object. */
  readonly at: (point: string) => void;
}
