import { type Cost, maxSpent, NO_COST, requiredBalance } from "../../chain/cost.ts";
import type { ChainTransactionResult } from "../../chain/outcome.ts";
import type { Reserved } from "../chain-state/funds.ts";
import type { TransactionRecord } from "../interface.ts";
import { WINDOW } from "./costs.ts";
import { type IntentState, isOver, type Move, stateAfter } from "./machine.ts";
import { type QueuedIntent, turnFor } from "./queue.ts";

/** A cost as stored in rows of intents; `cost` is the upper bound of what is spent. */
export type CostRow = { cost: string; certain: string; ahead: string };
export const COST = "cost, certain, ahead";

export const toCost = (row: CostRow): Cost => {
  const certain = BigInt(row.certain);
  return { certain, gas: BigInt(row.cost) - certain, ahead: BigInt(row.ahead) };
};

/** What of a row its reservation depends on. */
interface Reserving {
  readonly state: IntentState;
  readonly cost: Cost;
}

/** Totals of what rows that aren't over may take, updated with the rows. */
export class Reserve {
  #queued = 0n;
  #certain = 0n;
  #open = 0n;

  /** Updates the totals for a change of state or cost; null: a new row. */
  moved(from: Reserving | null, to: Reserving): void {
    if (from !== null) this.#count(from, -1n);
    this.#count(to, 1n);
  }

  #count({ state, cost }: Reserving, times: bigint): void {
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
  readonly operation: string;
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

/** A record as SQLite returns it, with the intent's id. */
export type RecordRow = Omit<TransactionRecord, "result" | "value" | "tokens"> & {
  id: number;
  result: string | null;
  value: ArrayBuffer | null;
};

/** A part that succeeded has the result of the shared transaction that carries it. */
const RECORD_FIELDS = `id, operation AS operationUuid, step, state, coalesce(result, (
    SELECT shared.result FROM carried JOIN intents AS shared ON shared.id = carried.shared
    WHERE carried.intent = intents.id)) AS result,
  value, contract_code AS contractCode, height, spent AS cost`;

const toRecord = ({ id, result, value, ...row }: RecordRow): NumberedRecord => ({
  id,
  record: {
    ...row,
    result: result === null ? null : (JSON.parse(result) as ChainTransactionResult),
    value: value === null ? null : new Uint8Array(value),
  },
});

/** The stored outcome of an intent. */
export interface IntentEnding {
  readonly result: ChainTransactionResult | null;
  readonly value: Uint8Array | null;
  readonly contractCode: string | null;
  readonly height: number | null;
}

type IntentIdentity = { operation: string; receiverId: string; state: IntentState; turn: number };

/** Identity, state and cost of an intent. */
type IntentRow = Readonly<IntentIdentity> & { readonly cost: Cost };

/** The part of the journal that holds intents: what to send, in which order, and the outcome. */
export class IntentJournal {
  readonly #sql: SqlStorage;
  /** The turn being served; after an eviction, that of the first in the queue. */
  #serving = 0;
  /** Cached results of `reserved` and `counts`; null until first used. */
  #reserve: Reserve | null = null;
  #counts: { queued: number; open: number } | null = null;
  /** Rows that were read or added and aren't over. This class alone changes them. */
  readonly #rows = new Map<number, IntentRow>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** How many changes the cached values have followed. */
  changes = 0;

  /** A transaction with changes was rolled back: cached values are wrong. */
  rolledBack(): void {
    this.#reserve = null;
    this.#counts = null;
    this.#rows.clear();
  }

  /** Updates the cached values for a change; null: a new row. */
  #moved(id: number, from: IntentRow | null, to: IntentRow): void {
    this.changes += 1;
    if (isOver(to.state)) this.#rows.delete(id);
    else this.#rows.set(id, to);
    this.#reserve?.moved(from, to);
    if (this.#counts === null) return;
    if (from?.state === "queued" || from?.state === "open") this.#counts[from.state] -= 1;
    if (to.state === "queued" || to.state === "open") this.#counts[to.state] += 1;
  }

  /** Whether the intent is still in the journal. */
  isKept(id: number): boolean {
    return (
      this.#rows.has(id) || this.#sql.exec("SELECT 1 FROM intents WHERE id = ?", id).toArray().length > 0
    );
  }

  /** Adds an intent and returns its id. */
  add(intent: NewIntent): number {
    const turn = intent.internal ? 0 : turnFor(this.#servedTurn(), this.#lastTurn(intent.fairness));
    const { id } = this.#sql
      .exec<{ id: number }>(
        `INSERT INTO intents (operation, step, fairness, turn, receiver_id, method, actions, cost, certain, ahead, state,
           share, tokens, deposit, spent, most, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '0', ?, ?) RETURNING id`,
        intent.operation,
        intent.step,
        intent.fairness,
        turn,
        intent.receiverId,
        intent.method,
        intent.actions,
        maxSpent(intent.cost).toString(),
        intent.cost.certain.toString(),
        intent.cost.ahead.toString(),
        intent.state,
        intent.share?.name ?? null,
        intent.share?.tokens ?? 0,
        (intent.deposit ?? 0n).toString(),
        intent.most ?? null,
        intent.now,
      )
      .one();
    const { operation, receiverId, state, cost } = intent;
    this.#moved(id, null, { operation, receiverId, state, turn, cost });
    return id;
  }

  #servedTurn(): number {
    const first = this.#sql
      .exec<{ turn: number | null }>(
        "SELECT min(turn) AS turn FROM intents INDEXED BY intents_queue WHERE state = 'queued' AND turn > 0",
      )
      .one().turn;
    return Math.max(this.#serving, first === null ? 0 : first - 1);
  }

  #lastTurn(fairness: string): number | null {
    return this.#sql
      .exec<{ turn: number | null }>(
        "SELECT max(turn) AS turn FROM intents INDEXED BY intents_fairness WHERE state = 'queued' AND fairness = ?",
        fairness,
      )
      .one().turn;
  }

  /** The first queued intents that aren't held, in queue order. */
  waiting(now: number): QueuedIntent[] {
    return this.#sql
      .exec<Omit<QueuedIntent, "total"> & CostRow>(
        `SELECT id, receiver_id AS receiverId, method, share, tokens, ${COST} FROM intents INDEXED BY intents_queue
         WHERE state = 'queued' AND (held_until IS NULL OR held_until <= ?) ORDER BY turn, id LIMIT ?`,
        now,
        WINDOW,
      )
      .toArray()
      .map(({ cost, certain, ahead, ...intent }) => ({
        ...intent,
        total: requiredBalance(toCost({ cost, certain, ahead })),
      }));
  }

  /** What to sign for an intent. */
  toSign(id: number): { receiverId: string; actions: Uint8Array } {
    const { receiverId, actions } = this.#sql
      .exec<{ receiverId: string; actions: ArrayBuffer }>(
        "SELECT receiver_id AS receiverId, actions FROM intents WHERE id = ?",
        id,
      )
      .one();
    return { receiverId, actions: new Uint8Array(actions) };
  }

  /** Actions of intents, by their ids. */
  actionsOf(ids: readonly number[]): ReadonlyMap<number, Uint8Array> {
    const rows = this.#sql.exec<{ id: number; actions: ArrayBuffer }>(
      "SELECT id, actions FROM intents WHERE id IN (SELECT value FROM json_each(?))",
      JSON.stringify(ids),
    );
    return new Map(rows.toArray().map(({ id, actions }) => [id, new Uint8Array(actions)]));
  }

  /**
   * Changes the state by a move of the state machine.
   * @param ending set if the move ends the intent; its actions are then deleted
   * @param cost upper bound of its cost from now on; absent: as before
   * @throws Error if the move isn't allowed
   */
  move(
    id: number,
    move: Move,
    {
      ending,
      now,
      cost: newCost,
    }: { readonly ending: IntentEnding | null; readonly now: number; readonly cost?: Cost | undefined },
  ): void {
    const row = this.get(id);
    const to = { ...row, state: stateAfter(row.state, move), cost: newCost ?? row.cost };
    if (move === "sign") this.#serving = Math.max(this.#serving, row.turn);
    this.#moved(id, row, to);
    const { state, cost } = to;
    const reserved = [maxSpent(cost).toString(), cost.certain.toString(), cost.ahead.toString()];
    if (ending === null) {
      this.#sql.exec(
        "UPDATE intents SET state = ?, cost = ?, certain = ?, ahead = ? WHERE id = ?",
        state,
        ...reserved,
        id,
      );
      return;
    }
    this.#sql.exec(
      `UPDATE intents SET state = ?, cost = ?, certain = ?, ahead = ?, result = ?, value = ?, contract_code = ?, height = ?,
         finished_at = ?, actions = x'' WHERE id = ?`,
      state,
      ...reserved,
      ending.result === null ? null : JSON.stringify(ending.result),
      ending.value,
      ending.contractCode,
      ending.height,
      now,
      id,
    );
  }

  /** Opens queued intents with a shared transaction that takes over their costs. @returns their costs, in the same order */
  openShared(ids: readonly number[]): Cost[] {
    const rows = ids.map((id) => this.get(id));
    for (const [place, row] of rows.entries()) {
      this.#serving = Math.max(this.#serving, row.turn);
      this.#moved(ids[place]!, row, { ...row, state: stateAfter(row.state, "sign"), cost: NO_COST });
    }
    this.#sql.exec(
      "UPDATE intents SET state = 'open', cost = '0', certain = '0', ahead = '0' WHERE id IN (SELECT value FROM json_each(?))",
      JSON.stringify(ids),
    );
    return rows.map(({ cost }) => cost);
  }

  /** Identity, state and cost of one intent. */
  get(id: number): IntentRow {
    return this.#rows.get(id) ?? this.#read(id);
  }

  #read(id: number): IntentRow {
    const { cost, certain, ahead, ...identity } = this.#sql
      .exec<IntentIdentity & CostRow>(
        `SELECT operation, receiver_id AS receiverId, state, turn, ${COST} FROM intents WHERE id = ?`,
        id,
      )
      .one();
    const row = { ...identity, cost: toCost({ cost, certain, ahead }) };
    if (!isOver(row.state)) this.#rows.set(id, row);
    return row;
  }

  /** Records of an operation in order of submission, with ids. */
  records(operation: string): NumberedRecord[] {
    return this.#sql
      .exec<RecordRow>(`SELECT ${RECORD_FIELDS} FROM intents WHERE operation = ? ORDER BY id`, operation)
      .toArray()
      .map(toRecord);
  }

  /**
   * Records that need the operator: unprovable ones, unless their operation is settled, and those open since before a
   * time.
   */
  stuck(before: number, after: number, limit: number): NumberedRecord[] {
    return this.#sql
      .exec<RecordRow>(
        `SELECT ${RECORD_FIELDS} FROM intents INDEXED BY intents_state
         WHERE state IN ('unknown', 'queued', 'open') AND id > ? AND (state = 'unknown' OR created_at < ?)
           AND NOT EXISTS (SELECT 1 FROM drives WHERE drives.operation = intents.operation
             AND acknowledged_at IS NOT NULL)
           AND NOT EXISTS (SELECT 1 FROM carried WHERE shared = intents.id)
         ORDER BY id LIMIT ?`,
        after,
        before,
        limit,
      )
      .toArray()
      .map(toRecord);
  }

  /** Whether every intent of the operation is over. */
  isOver(operation: string): boolean {
    const open = this.#sql.exec(
      "SELECT 1 FROM intents WHERE operation = ? AND state IN ('queued', 'open') LIMIT 1",
      operation,
    );
    return open.toArray().length === 0;
  }

  /** Those of the operations of which an intent is queued or open. */
  unfinished(operations: readonly string[]): ReadonlySet<string> {
    // With the index of states it would read the whole queue (https://sqlite.org/optoverview.html, "Disqualifying terms").
    const rows = this.#sql.exec<{ operation: string }>(
      `SELECT operation FROM intents WHERE operation IN (SELECT value FROM json_each(?))
       AND +state IN ('queued', 'open')`,
      JSON.stringify(operations),
    );
    return new Set(rows.toArray().map(({ operation }) => operation));
  }

  /** Number of queued and of open intents. */
  counts(): { readonly queued: number; readonly open: number } {
    this.#counts ??= this.#count();
    return { ...this.#counts };
  }

  #count(): { queued: number; open: number } {
    const rows = this.#sql
      .exec<{ state: string; count: number }>(
        "SELECT state, count(*) AS count FROM intents WHERE state IN ('queued', 'open') GROUP BY state",
      )
      .toArray();
    const of = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
    return { queued: of("queued"), open: of("open") };
  }

  /** Upper bound of what everything that isn't over may still take. */
  reserved(): Reserved {
    this.#reserve ??= this.#countReserved();
    return this.#reserve.sums;
  }

  #countReserved(): Reserve {
    const reserve = new Reserve();
    const rows = this.#sql.exec<{ state: IntentState } & CostRow>(
      `SELECT state, ${COST} FROM intents WHERE state IN ('queued', 'open')`,
    );
    for (const row of rows) reserve.moved(null, { state: row.state, cost: toCost(row) });
    return reserve;
  }

  /** Costs of an operation's attempts that failed on the chain. */
  costsOfFailures(operation: string): Cost[] {
    return this.#sql
      .exec<CostRow>(`SELECT ${COST} FROM intents WHERE operation = ? AND state = 'failed'`, operation)
      .toArray()
      .map(toCost);
  }
}
