/** A waiting intent in what the rules look at. */
export interface Waiting {
  readonly id: number;
  readonly receiverId: string;
  /** The method, where a function-call key could sign it: one call, no deposit, a listed method; else null. */
  readonly method: string | null;
  /** What has to be there for it to get into a block, yoctoNEAR. */
  readonly total: bigint;
}

/**
 * The turn of a new intent: one after its caller's last waiting one, and never before the turn that is being served.
 * Intents are signed by turn, so that callers alternate whatever each of them has queued.
 */
export const turnFor = (serving: number, lastOfCaller: number | null): number =>
  Math.max(serving, lastOfCaller ?? 0) + 1;
