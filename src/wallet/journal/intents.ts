import { type Cost, lastingOf, totalOf } from "../../chain/cost.ts";
import type { ChainTransactionResult } from "../../chain/outcome.ts";
import type { Reserved } from "../chain-state/funds.ts";
import type { TransactionRecord } from "../interface.ts";
import { WINDOW } from "./costs.ts";
import { type IntentState, type Move, stateAfter } from "./machine.ts";
import { type QueuedIntent, turnFor } from "./queue.ts";
import { COST, type CostRow, Reserve, toCost } from "./reserve.ts";

/** A new intent as it enters the journal. */
export interface NewIntent {
  readonly operation: string;
  readonly step: string;
  readonly fairness: string;
  readonly receiverId: string;
  readonly method: string | null;
  readonly actions: Uint8Array;
  /** What it may take. */
  readonly cost: Cost;
  /** What moves if it succeeds, yoctoNEAR; absent: nothing. */
  readonly deposit?: bigint;
  /** What its operation may cost in all, yoctoNEAR; null or absent: whatever it costs. */
  readonly most?: string | null;
  readonly state: "queued" | "unknown";
  /** The wallet's own intents, such as adding keys: signed before everything else, resumed by nobody. */
  readonly internal: boolean;
  /** With whose name it may share a transaction, and how many tokens it mints; null or absent: it goes alone. */
  readonly share?: { readonly name: string; readonly tokens: number } | null;
  readonly now: number;
}

/** A record with its intent's number. */
export interface NumberedRecord {
  readonly id: number;
  readonly record: TransactionRecord;
}

/** A record as SQLite answers it, with the intent's number. */
export type RecordRow = Omit<TransactionRecord, "result" | "value" | "tokens"> & {
  id: number;
  result: string | null;
  value: ArrayBuffer | null;
};

const RECORD_FIELDS =
  "id, operation AS operationUuid, step, state, result, value, contract_code AS contractCode, height, spent AS cost";

/** The record that a row is. */
const toRecord = ({ id, result, value, ...row }: RecordRow): NumberedRecord => ({
  id,
  record: {
    ...row,
    result: result === null ? null : (JSON.parse(result) as ChainTransactionResult),
    value: value === null ? null : new Uint8Array(value),
  },
});

/** What an intent's end leaves to be told. */
export interface IntentEnding {
  readonly result: ChainTransactionResult | null;
  readonly value: Uint8Array | null;
  readonly contractCode: string | null;
  readonly height: number | null;
}

/** Whose an intent is, where it goes and where it stands. */
type IntentIdentity = { operation: string; receiverId: string; state: IntentState; turn: number };

/** The part of the journal that holds intents: what to send, in whose turn, and how it ended. */
export class IntentJournal {
  readonly #sql: SqlStorage;
  /** The turn that is being served; starts again from the queue's first after an eviction. */
  #serving = 0;
  /** What `reserved` and `counts` answer, kept along with the rows; null before it was asked for. */
  #reserve: Reserve | null = null;
  #counts: { queued: number; open: number } | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** A transaction was rolled back: cached values may be wrong. */
  rolledBack(): void {
    this.#reserve = null;
    this.#counts = null;
  }

  /** A row goes from one state to another; null: it is new. */
  #moved(from: IntentState | null, to: IntentState, cost: Cost): void {
    this.#reserve?.moved(from, to, cost);
    if (this.#counts === null) return;
    if (from === "queued" || from === "open") this.#counts[from] -= 1;
    if (to === "queued" || to === "open") this.#counts[to] += 1;
  }

  /** Whether the operation has a step of this name. */
  has(operation: string, step: string): boolean {
    const found = this.#sql.exec("SELECT 1 FROM intents WHERE operation = ? AND step = ?", operation, step);
    return found.toArray().length > 0;
  }

  /** Whether the operation has any step. */
  hasAny(operation: string): boolean {
    return (
      this.#sql.exec("SELECT 1 FROM intents WHERE operation = ? LIMIT 1", operation).toArray().length > 0
    );
  }

  /** Whether the intent is not forgotten. */
  isKept(id: number): boolean {
    return this.#sql.exec("SELECT 1 FROM intents WHERE id = ?", id).toArray().length > 0;
  }

  /** Enters an intent and answers its number. */
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
        lastingOf(intent.cost).toString(),
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
    this.#moved(null, intent.state, intent.cost);
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

  /** The first waiting intents, by turn, without those that are held. */
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
        total: totalOf(toCost({ cost, certain, ahead })),
      }));
  }

  /** What has to be signed for an intent. */
  toSign(id: number): { receiverId: string; actions: Uint8Array } {
    const { receiverId, actions } = this.#sql
      .exec<{ receiverId: string; actions: ArrayBuffer }>(
        "SELECT receiver_id AS receiverId, actions FROM intents WHERE id = ?",
        id,
      )
      .one();
    return { receiverId, actions: new Uint8Array(actions) };
  }

  /**
   * Makes a move of the machine. @throws Error if it has no such arrow
   * @param ending where the intent is over by it; its actions aren't needed any more then
   */
  move(id: number, move: Move, ending: IntentEnding | null, now: number): void {
    const { state: from, cost, turn } = this.get(id);
    const to = stateAfter(from, move);
    if (move === "sign") this.#serving = Math.max(this.#serving, turn);
    this.#moved(from, to, cost);
    if (ending === null) {
      this.#sql.exec("UPDATE intents SET state = ? WHERE id = ?", to, id);
      return;
    }
    this.#sql.exec(
      `UPDATE intents SET state = ?, result = ?, value = ?, contract_code = ?, height = ?, finished_at = ?,
         actions = x'' WHERE id = ?`,
      to,
      ending.result === null ? null : JSON.stringify(ending.result),
      ending.value,
      ending.contractCode,
      ending.height,
      now,
      id,
    );
  }

  /** What the intent may take is something else from now on. */
  reprice(id: number, cost: Cost): void {
    const { state, cost: before } = this.get(id);
    this.#reserve?.repriced(state, before, cost);
    this.#sql.exec(
      "UPDATE intents SET cost = ?, certain = ?, ahead = ? WHERE id = ?",
      lastingOf(cost).toString(),
      cost.certain.toString(),
      cost.ahead.toString(),
      id,
    );
  }

  /** Identity, state and cost of one intent. */
  get(id: number): IntentIdentity & { readonly cost: Cost } {
    const { cost, certain, ahead, ...identity } = this.#sql
      .exec<IntentIdentity & CostRow>(
        `SELECT operation, receiver_id AS receiverId, state, turn, ${COST} FROM intents WHERE id = ?`,
        id,
      )
      .one();
    return { ...identity, cost: toCost({ cost, certain, ahead }) };
  }

  /** How an intent that is over ended. */
  endingOf(id: number): IntentEnding {
    const row = this.#sql.exec<RecordRow>(`SELECT ${RECORD_FIELDS} FROM intents WHERE id = ?`, id).one();
    const { result, value, contractCode, height } = toRecord(row).record;
    return { result, value, contractCode, height };
  }

  /** Records of an operation in the order in which they were submitted, each with its number. */
  records(operation: string): NumberedRecord[] {
    return this.#sql
      .exec<RecordRow>(`SELECT ${RECORD_FIELDS} FROM intents WHERE operation = ? ORDER BY id`, operation)
      .toArray()
      .map(toRecord);
  }

  /**
   * Records that are the operator's business: unprovable ones, unless their operation is settled, and those open since
   * before a time.
   */
  stuck(before: number, after: number, limit: number): NumberedRecord[] {
    return this.#sql
      .exec<RecordRow>(
        `SELECT ${RECORD_FIELDS} FROM intents INDEXED BY intents_state
         WHERE state IN ('unknown', 'queued', 'open') AND id > ? AND (state = 'unknown' OR created_at < ?)
           AND NOT EXISTS (SELECT 1 FROM operations WHERE operations.operation = intents.operation
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

  /** How many intents wait, and how many are signed and open. */
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

  /** What everything that is not over may still take. */
  reserved(): Reserved {
    this.#reserve ??= this.#countReserved();
    return this.#reserve.sums;
  }

  #countReserved(): Reserve {
    const reserve = new Reserve();
    const rows = this.#sql.exec<{ state: IntentState } & CostRow>(
      `SELECT state, ${COST} FROM intents WHERE state IN ('queued', 'open')`,
    );
    for (const row of rows) reserve.moved(null, row.state, toCost(row));
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
