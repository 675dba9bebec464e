/** A queued intent, or several that share a transaction, as the lane rules see it. */
export interface Waiting {
  readonly id: number;
  readonly receiverId: string;
  /** The method, if a function-call key could sign it: one call of a listed method without deposit; otherwise null. */
  readonly method: string | null;
  /** Balance needed for inclusion in a block, yoctoNEAR. */
  readonly total: bigint;
}

/** A queued intent. */
export interface QueuedIntent extends Waiting {
  /** Intents with the same name may share a transaction; null if it can't share. */
  readonly share: string | null;
  /** Number of tokens it mints, if it may share a transaction. */
  readonly tokens: number;
}

/** Intents to be signed as one transaction. Its id and queue position are those of the first intent. */
export interface Unit extends Waiting {
  /** Intents in queue order. */
  readonly members: readonly Pick<QueuedIntent, "id" | "tokens">[];
}

/**
 * The turn of a new intent: one after its caller's last queued intent, and never before the turn being served. Intents
 * are signed by turn, so that callers alternate however many each has queued.
 */
export const turnFor = (serving: number, lastOfCaller: number | null): number =>
  Math.max(serving, lastOfCaller ?? 0) + 1;

/**
 * Groups queued intents that can share a transaction. An intent joins the last unit of its share name if there is room;
 * otherwise it starts one at its own position. This keeps the order within a collection, and puts no intent behind more
 * transactions than it had intents before it.
 * @param waiting in queue order
 * @param mostTokens limit of one transaction
 */
export const together = (waiting: readonly QueuedIntent[], mostTokens: number): Unit[] => {
  const units: (Unit & { readonly members: Pick<QueuedIntent, "id" | "tokens">[] })[] = [];
  const last = new Map<string | null, { readonly unit: (typeof units)[number]; tokens: number }>();
  for (const { share, tokens, ...intent } of waiting) {
    const member = { id: intent.id, tokens };
    const open = last.get(share);
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
 * The number of intents, from the first, that one transaction carries: as many as can be paid, and at least one, which
 * is then paid or held back like an unshared intent.
 * @param total balance needed for a transaction of that many, yoctoNEAR, increasing
 * @param budget yoctoNEAR
 */
export const mostPayable = (count: number, total: (count: number) => bigint, budget: bigint): number => {
  let most = count;
  while (most > 1 && total(most) > budget) most--;
  return most;
};
