import { eq, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import { hinted, JournalPart } from "./database.ts";
import { isOver } from "./machine.ts";
import { intents } from "./schema.ts";

/** The maximum cost of an intent's operation, and its cost without the intent. yoctoNEAR. */
export interface Allowance {
  readonly most: bigint;
  readonly spent: bigint;
}

/** Number of queued intents considered at once. */
export const WINDOW = 512;

/** Splits the cost of a shared transaction among its intents by tokens; the remainder goes to the first. */
export const sharesOf = (taken: bigint, tokens: readonly number[]): bigint[] => {
  const all = BigInt(tokens.reduce((sum, count) => sum + count, 0));
  const shares = tokens.map((count) => (taken * BigInt(count)) / all);
  const rest = shares.reduce((left, share) => left - share, taken);
  return shares.map((share, place) => (place === 0 ? share + rest : share));
};

/** The part of the journal that records the cost of operations and their maximum. */
export class CostJournal extends JournalPart {
  readonly #amounts = this.one((id: number) =>
    this.db
      .select({ spent: intents.spent, deposit: intents.deposit })
      .from(intents)
      .where(eq(intents.id, id)),
  );
  readonly #setSpent = this.run((id: number, spent: bigint) =>
    this.db.update(intents).set({ spent }).where(eq(intents.id, id)),
  );
  readonly #ofSteps = this.rows((operation: Uuid) =>
    this.db
      .select({ spent: intents.spent, cost: intents.cost, state: intents.state })
      .from(intents)
      .where(eq(intents.operation, operation)),
  );
  readonly #limited = this.rows(() =>
    this.db
      .select(
        hinted({
          intentId: intents.id,
          operation: intents.operation,
          most: sql<string>`most`,
          cost: intents.cost,
        }),
      )
      .from(sql`${intents} INDEXED BY intents_limited`)
      .where(sql`${intents.state} = 'queued' AND ${intents.most} IS NOT NULL`)
      .orderBy(intents.turn, intents.id)
      .limit(WINDOW),
  );

  /**
   * Records the cost of an intent's own transaction.
   * @param burnt yoctoNEAR
   * @param hasMoved whether its deposit has moved
   */
  landed(intentId: number, burnt: bigint, hasMoved: boolean): void {
    this.spend(intentId, burnt + (hasMoved ? this.#amounts(intentId).deposit : 0n));
  }

  /** Adds an amount that a transaction cost an intent. */
  spend(intentId: number, amount: bigint): void {
    this.#setSpent(intentId, this.#amounts(intentId).spent + amount);
  }

  /** What an operation has spent, plus the maximum of what isn't over. */
  ofOperation(operation: Uuid): bigint {
    return this.#ofSteps(operation).reduce(
      (sum, { spent, cost, state }) => sum + spent + (isOver(state) ? 0n : cost),
      0n,
    );
  }

  /** The first queued intents whose operations have a maximum cost, in queue order. */
  limited(): (Allowance & { readonly intentId: number })[] {
    return this.#limited().map(({ intentId, operation, most, cost }) => ({
      intentId,
      most: BigInt(most),
      spent: this.ofOperation(operation) - cost,
    }));
  }
}
