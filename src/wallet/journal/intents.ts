import { and, count, eq, getTableColumns, max, min, sql } from "drizzle-orm";
import { type Cost, maxSpent, requiredBalance } from "../../chain/cost.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { Reserved } from "../chain-state/funds.ts";
import type { TransactionRecord } from "../interface.ts";
import { WINDOW } from "./costs.ts";
import { ANY, hinted, JournalPart, required } from "./database.ts";
import { type IntentState, type Move, stateAfter } from "./machine.ts";
import { type QueuedIntent, turnFor } from "./queue.ts";
import { carried, intents, operations } from "./schema.ts";

/** A cost as stored in rows of intents; `cost` is the upper bound of what is spent. */
export type CostRow = Pick<typeof intents.$inferSelect, "cost" | "certain" | "ahead">;
const { id, receiverId, method, share, tokens, cost, certain, ahead } = getTableColumns(intents);
const COST = { cost, certain, ahead };

export const toCost = ({ cost, certain, ahead }: CostRow): Cost => ({ certain, gas: cost - certain, ahead });
export const toCostRow = (cost: Cost): CostRow => ({
  cost: maxSpent(cost),
  certain: cost.certain,
  ahead: cost.ahead,
});

/** Totals of what rows that aren't over may take, updated with the rows. */
class Reserve {
  #queued = 0n;
  #certain = 0n;
  #open = 0n;

  /** Updates the totals for a state change; null: a new row. */
  moved(from: IntentState | null, to: IntentState, cost: Cost): void {
    this.#count(from, cost, -1n);
    this.#count(to, cost, 1n);
  }

  /** Updates the totals for a changed cost. */
  repriced(state: IntentState, from: Cost, to: Cost): void {
    this.#count(state, from, -1n);
    this.#count(state, to, 1n);
  }

  #count(state: IntentState | null, cost: Cost, times: bigint): void {
    if (state === "queued") {
      this.#queued += times * maxSpent(cost);
      this.#certain += times * cost.certain;
    }
    if (state === "open") this.#open += times * requiredBalance(cost);
  }

  get sums(): Reserved {
    return { queued: this.#queued, certain: this.#certain, open: this.#open };
  }
}

/** A new intent for the journal. */
export interface NewIntent {
  readonly operation: Uuid;
  readonly step: string;
  readonly fairness: string;
  readonly receiverId: string;
  readonly method: string | null;
  readonly actions: Uint8Array;
  /** Upper bound of its cost. */
  readonly cost: Cost;
  /** Deposit that moves if it succeeds, yoctoNEAR; default 0. */
  readonly deposit?: bigint;
  /** Maximum total cost of its operation, yoctoNEAR; unlimited if null or absent. */
  readonly most?: string | null;
  readonly state: "queued" | "unknown";
  /** The wallet's own intents, such as adding keys: signed before all others, never resumed. */
  readonly internal: boolean;
  /** Group within which it may share a transaction, and its number of tokens; null or absent if it can't share. */
  readonly share?: { readonly name: string; readonly tokens: number } | null;
  readonly now: number;
}

/** A record with its intent's id. */
export interface NumberedRecord {
  readonly id: number;
  readonly record: TransactionRecord;
}

const RECORD = {
  id: intents.id,
  operationUuid: intents.operation,
  step: intents.step,
  state: intents.state,
  result: intents.result,
  value: intents.value,
  contractCode: intents.contractCode,
  height: intents.height,
  cost: sql<string>`${intents.spent}`,
};

const toRecord = ({ id, ...record }: TransactionRecord & { readonly id: number }): NumberedRecord => ({
  id,
  record,
});

/** The stored outcome of an intent. */
export type IntentEnding = Readonly<
  Pick<typeof intents.$inferSelect, "result" | "value" | "contractCode" | "height">
>;

/** Going on: it may still be signed, or its outcome isn't final. */
const GOES_ON = sql`${intents.state} IN ('queued', 'open')`;

/** The part of the journal that holds intents: what to send, in which order, and the outcome. */
export class IntentJournal extends JournalPart {
  /** The turn being served; after an eviction, that of the first in the queue. */
  #serving = 0;
  /** Cached results of `reserved` and `counts`; null until first used. */
  #reserve: Reserve | null = null;
  #counts: { queued: number; open: number } | null = null;

  /** A transaction was rolled back: cached values may be wrong. */
  rolledBack(): void {
    this.#reserve = null;
    this.#counts = null;
  }

  /** Updates the cached values for a state change; null: a new row. */
  #moved(from: IntentState | null, to: IntentState, cost: Cost): void {
    this.#reserve?.moved(from, to, cost);
    if (this.#counts === null) return;
    if (from === "queued" || from === "open") this.#counts[from] -= 1;
    if (to === "queued" || to === "open") this.#counts[to] += 1;
  }

  /** Whether the operation has a step of this name. */
  readonly has = this.exists((operation: Uuid, step: string) =>
    this.db
      .select(ANY)
      .from(intents)
      .where(and(eq(intents.operation, operation), eq(intents.step, step))),
  );

  /** Whether the operation has any step. */
  readonly hasAny = this.exists((operation: Uuid) =>
    this.db.select(ANY).from(intents).where(eq(intents.operation, operation)).limit(1),
  );

  /** Whether the intent is still in the journal. */
  readonly isKept = this.exists((id: number) => this.db.select(ANY).from(intents).where(eq(intents.id, id)));

  readonly #add = this.one(
    (row: typeof intents.$inferInsert) =>
      this.db
        .insert(intents)
        .values({ ...required(intents, row), method: row.method, share: row.share, most: row.most })
        .returning({ id: intents.id }),
    ({ id }) => id,
  );

  /** Adds an intent and returns its id. */
  add({ internal, cost, share, deposit, most, now, ...intent }: NewIntent): number {
    const turn = internal ? 0 : turnFor(this.#servedTurn(), this.#lastTurn(intent.fairness));
    const id = this.#add({
      ...intent,
      ...toCostRow(cost),
      turn,
      share: share?.name ?? null,
      tokens: share?.tokens ?? 0,
      deposit: deposit ?? 0n,
      most: most ?? null,
      createdAt: now,
    });
    this.#moved(null, intent.state, cost);
    return id;
  }

  readonly #firstTurn = this.one(
    () =>
      this.db
        .select({ turn: min(intents.turn) })
        .from(sql`${intents} INDEXED BY intents_queue`)
        .where(sql`${intents.state} = 'queued' AND ${intents.turn} > 0`),
    ({ turn }) => turn,
  );

  #servedTurn(): number {
    return Math.max(this.#serving, (this.#firstTurn() ?? 1) - 1);
  }

  readonly #lastTurn = this.one(
    (fairness: string) =>
      this.db
        .select({ turn: max(intents.turn) })
        .from(sql`${intents} INDEXED BY intents_fairness`)
        .where(sql`${intents.state} = 'queued' AND ${intents.fairness} = ${fairness}`),
    ({ turn }) => turn,
  );

  /** The first queued intents that aren't held, in queue order. */
  readonly waiting = this.rows(
    (now: number) =>
      this.db
        .select(hinted({ id, receiverId, method, share, tokens, ...COST }))
        .from(sql`${intents} INDEXED BY intents_queue`)
        .where(sql`${intents.state} = 'queued' AND (held_until IS NULL OR held_until <= ${now})`)
        .orderBy(intents.turn, intents.id)
        .limit(WINDOW),
    ({ cost, certain, ahead, ...intent }): QueuedIntent => ({
      ...intent,
      total: requiredBalance(toCost({ cost, certain, ahead })),
    }),
  );

  /** What to sign for an intent. */
  readonly toSign = this.one((id: number) =>
    this.db
      .select({ receiverId: intents.receiverId, actions: intents.actions })
      .from(intents)
      .where(eq(intents.id, id)),
  );

  readonly #setState = this.run((id: number, state: IntentState) =>
    this.db.update(intents).set({ state }).where(eq(intents.id, id)),
  );
  readonly #end = this.run(
    (row: IntentEnding & { readonly id: number; state: IntentState; finishedAt: number }) =>
      this.db
        .update(intents)
        .set({
          state: row.state,
          result: row.result,
          value: row.value,
          contractCode: row.contractCode,
          height: row.height,
          finishedAt: row.finishedAt,
          actions: sql`x''`,
        })
        .where(eq(intents.id, row.id)),
  );

  /**
   * Changes the state by a move of the state machine.
   * @param ending set if the move ends the intent; its actions are then deleted
   * @throws Error if the move isn't allowed
   */
  move(id: number, move: Move, ending: IntentEnding | null, now: number): void {
    const { state: from, cost, turn } = this.get(id);
    const state = stateAfter(from, move);
    if (move === "sign") this.#serving = Math.max(this.#serving, turn);
    this.#moved(from, state, cost);
    if (ending === null) this.#setState(id, state);
    else this.#end({ ...ending, id, state, finishedAt: now });
  }

  readonly #setCost = this.run((row: CostRow & { readonly id: number }) =>
    this.db
      .update(intents)
      .set({ cost: row.cost, certain: row.certain, ahead: row.ahead })
      .where(eq(intents.id, row.id)),
  );

  /** Changes the upper bound of the intent's cost. */
  reprice(id: number, cost: Cost): void {
    const { state, cost: before } = this.get(id);
    this.#reserve?.repriced(state, before, cost);
    this.#setCost({ ...toCostRow(cost), id });
  }

  /** Identity, state and cost of one intent. */
  readonly get = this.one(
    (id: number) =>
      this.db
        .select({
          operation: intents.operation,
          receiverId: intents.receiverId,
          state: intents.state,
          turn: intents.turn,
          cost: COST,
        })
        .from(intents)
        .where(eq(intents.id, id)),
    ({ cost, ...intent }) => ({ ...intent, cost: toCost(cost) }),
  );

  /** Records of an operation in order of submission, with ids. */
  readonly records = this.rows(
    (operation: Uuid) =>
      this.db.select(RECORD).from(intents).where(eq(intents.operation, operation)).orderBy(intents.id),
    toRecord,
  );

  /**
   * Records that need the operator: unprovable ones, unless their operation is settled, and those open since before a
   * time.
   */
  readonly stuck = this.rows(
    (before: number, after: number, limit: number) =>
      this.db
        .select(hinted(RECORD))
        .from(sql`${intents} INDEXED BY intents_state`)
        .where(
          sql`state IN ('unknown', 'queued', 'open') AND id > ${after} AND (state = 'unknown' OR created_at < ${before})
            AND NOT EXISTS (SELECT 1 FROM ${operations} WHERE operations.operation = intents.operation
              AND acknowledged_at IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM ${carried} WHERE shared = intents.id)`,
        )
        .orderBy(intents.id)
        .limit(limit),
    toRecord,
  );

  readonly #goesOn = this.exists((operation: Uuid) =>
    this.db
      .select(ANY)
      .from(intents)
      .where(and(eq(intents.operation, operation), GOES_ON))
      .limit(1),
  );

  /** Whether every intent of the operation is over. */
  isOver(operation: Uuid): boolean {
    return !this.#goesOn(operation);
  }

  /** Number of queued and of open intents. */
  counts(): { readonly queued: number; readonly open: number } {
    this.#counts ??= this.#count();
    return { ...this.#counts };
  }

  readonly #states = this.rows(() =>
    this.db
      .select({ state: intents.state, count: count() })
      .from(intents)
      .where(GOES_ON)
      .groupBy(intents.state),
  );

  #count(): { queued: number; open: number } {
    const rows = this.#states();
    const of = (state: IntentState) => rows.find((row) => row.state === state)?.count ?? 0;
    return { queued: of("queued"), open: of("open") };
  }

  /** Upper bound of what everything that isn't over may still take. */
  reserved(): Reserved {
    this.#reserve ??= this.#countReserved();
    return this.#reserve.sums;
  }

  readonly #costs = this.rows(() =>
    this.db
      .select({ state: intents.state, ...COST })
      .from(intents)
      .where(GOES_ON),
  );

  #countReserved(): Reserve {
    const reserve = new Reserve();
    for (const row of this.#costs()) reserve.moved(null, row.state, toCost(row));
    return reserve;
  }

  /** Costs of an operation's attempts that failed on the chain. */
  readonly costsOfFailures = this.rows(
    (operation: Uuid) =>
      this.db
        .select(COST)
        .from(intents)
        .where(and(eq(intents.operation, operation), eq(intents.state, "failed"))),
    toCost,
  );
}
