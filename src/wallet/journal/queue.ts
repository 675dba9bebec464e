/** A waiting intent, or several that share a transaction, in what the rules of lanes look at. */
export interface Waiting {
  readonly id: number;
  readonly receiverId: string;
  /** The method, where a function-call key could sign it: one call, no deposit, a listed method; else null. */
  readonly method: string | null;
  /** What has to be there for it to get into a block, yoctoNEAR. */
  readonly total: bigint;
}

/** A waiting intent as the queue has it. */
export interface QueuedIntent extends Waiting {
  /** Intents with the same name may share a transaction; null: it goes alone. */
  readonly share: string | null;
  /** Tokens that it mints, where it may share a transaction. */
  readonly tokens: number;
}

/** What is signed as one transaction. Its id, and its place in the queue, are those of its first intent. */
export interface Unit extends Waiting {
  /** Intents in the order of the queue. */
  readonly members: readonly Pick<QueuedIntent, "id" | "tokens">[];
}

/**
 * The turn of a new intent: one after its caller's last waiting one, and never before the turn that is being served.
 * Intents are signed by turn, so that callers alternate whatever each of them has queued.
 */
export const turnFor = (serving: number, lastOfCaller: number | null): number =>
  Math.max(serving, lastOfCaller ?? 0) + 1;

/**
 * Puts together what shares a transaction. An intent joins the last unit of its name if that has room, and else begins
 * one at its own place: the order within a collection stays, and nobody has more transactions before it than it had
 * intents before it.
 * @param waiting in the order of the queue @param mostTokens of one transaction
 */
export const together = (waiting: readonly QueuedIntent[], mostTokens: number): Unit[] => {
  const units: (Unit & { readonly members: Pick<QueuedIntent, "id" | "tokens">[] })[] = [];
  const last = new Map<string, { readonly unit: (typeof units)[number]; tokens: number }>();
  for (const { share, tokens, ...intent } of waiting) {
    const member = { id: intent.id, tokens };
    const open = share === null ? undefined : last.get(share);
    if (open && open.tokens + tokens <= mostTokens) {
      open.unit.members.push(member);
      open.tokens += tokens;
      continue;
    }
    const unit = { ...intent, members: [member] };
    units.push(unit);
    if (share !== null) last.set(share, { unit, tokens });
  }
  return units;
};

/**
 * How many intents, from the first, one transaction takes: as many as can be paid, and one in any case, which is paid or
 * held back like any that goes alone.
 * @param total what a transaction for so many needs, yoctoNEAR; more for more @param budget yoctoNEAR
 */
export const mostPayable = (count: number, total: (count: number) => bigint, budget: bigint): number => {
  let most = count;
  while (most > 1 && total(most) > budget) most--;
  return most;
};
