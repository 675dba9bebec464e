import { type Cost, lastingOf, NO_COST } from "../../chain/cost.ts";
import type { IntentJournal } from "./intents.ts";
import type { IntentState } from "./machine.ts";
import type { Carried } from "./parts.ts";
import { COST, type CostRow, toCost } from "./reserve.ts";

/** A shared transaction that is over, or (`state` null) forgotten, and the state of what it carries. */
type LeftOver = {
  readonly shared: number;
  readonly state: Exclude<IntentState, "queued" | "open"> | null;
  readonly partsState: "open" | "unknown";
};

/**
 * The part of the journal that knows which intents a shared transaction carries. The transaction is an intent of the
 * wallet's own, and what it carries is open as long as it is. What it may take is counted for it alone meanwhile.
 */
export class SharedJournal {
  readonly #sql: SqlStorage;
  readonly #intents: IntentJournal;

  constructor(sql: SqlStorage, intents: IntentJournal) {
    this.#sql = sql;
    this.#intents = intents;
  }

  /** Waiting intents are carried from now on. Part of the signing's transaction. */
  carry(
    shared: number,
    members: readonly { readonly id: number; readonly tokens: number }[],
    now: number,
  ): void {
    for (const [position, { id, tokens }] of members.entries()) {
      const { cost } = this.#intents.get(id);
      this.#sql.exec(
        `INSERT INTO carried (shared, intent, position, tokens, cost, certain, ahead) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        shared,
        id,
        position,
        tokens,
        ...costValues(cost),
      );
      this.#intents.reprice(id, NO_COST);
      this.#intents.move(id, "sign", null, now);
    }
  }

  /** What a shared transaction carries, in the order of the call; nothing where an intent has one of its own. */
  of(shared: number): Carried[] {
    return this.#sql
      .exec<{ intentId: number; tokens: number }>(
        "SELECT intent AS intentId, tokens FROM carried WHERE shared = ? ORDER BY position",
        shared,
      )
      .toArray();
  }

  /** The mints of a transaction, in the order of the call: what it carries, or its own intent if that is a mint. */
  mintsOf(intentId: number): Carried[] {
    const carried = this.of(intentId);
    if (carried.length > 0) return carried;
    return this.#sql
      .exec<{ intentId: number; tokens: number }>(
        "SELECT id AS intentId, tokens FROM intents WHERE id = ? AND tokens > 0",
        intentId,
      )
      .toArray();
  }

  /** The operations of these intents, as far as they aren't forgotten. */
  operationsOf(ids: readonly number[]): string[] {
    return this.#sql
      .exec<{ operation: string }>(
        "SELECT operation FROM intents WHERE id IN (SELECT value FROM json_each(?))",
        JSON.stringify(ids),
      )
      .toArray()
      .map(({ operation }) => operation);
  }

  /** The transaction that carries an intent; null: none does. */
  carrierOf(intentId: number): number | null {
    const sql = "SELECT shared FROM carried WHERE intent = ?";
    return this.#sql.exec<{ shared: number }>(sql, intentId).toArray()[0]?.shared ?? null;
  }

  /** The intent isn't carried any more; what it may take is its own again. */
  release(shared: number, intentId: number): void {
    const [row] = this.#sql
      .exec<CostRow>(
        `DELETE FROM carried WHERE shared = ? AND intent = ? RETURNING ${COST}`,
        shared,
        intentId,
      )
      .toArray();
    if (row) this.#intents.reprice(intentId, toCost(row));
  }

  /** Shared transactions that are over while what they carry is not: a former release ended them, and knows no parts. */
  leftOver(): LeftOver[] {
    return this.#sql
      .exec<LeftOver>(
        `SELECT DISTINCT carried.shared, part.state AS partsState, transactions.state FROM carried
         JOIN intents AS part ON part.id = carried.intent
         LEFT JOIN intents AS transactions ON transactions.id = carried.shared
         WHERE (part.state = 'open' AND coalesce(transactions.state, '') NOT IN ('queued', 'open'))
           OR (part.state = 'unknown' AND transactions.state <> 'unknown')`,
      )
      .toArray();
  }

  /** From now on a waiting intent goes alone. */
  separate(intentId: number): void {
    this.#sql.exec("UPDATE intents SET share = NULL WHERE id = ?", intentId);
  }

  /** A waiting intent isn't signed while another operation has it in hand to pay for both, until a time at most. */
  hold(intentId: number, operation: string, until: number): void {
    this.#sql.exec("UPDATE intents SET held_by = ?, held_until = ? WHERE id = ?", operation, until, intentId);
  }

  /**
   * Lets go what waits for an operation.
   * @param paid the operation has paid, so that they may share a transaction again; else each goes alone
   */
  letGo(operation: string, paid: boolean): void {
    this.#sql.exec(
      `UPDATE intents SET held_by = NULL, held_until = NULL, share = CASE WHEN ? THEN share END WHERE held_by = ?`,
      paid ? 1 : 0,
      operation,
    );
  }
}

const costValues = (cost: Cost): [string, string, string] => [
  lastingOf(cost).toString(),
  cost.certain.toString(),
  cost.ahead.toString(),
];
