import { type Cost, maxSpent } from "../../chain/cost.ts";
import { isUuid, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { PAYOUT } from "../../domain/operations.ts";
import type { Sealed } from "../../domain/sealing.ts";
import type { SealedKey } from "../interface.ts";
import { BudgetJournal } from "./budgets.ts";
import { CostJournal, sharesOf } from "./costs.ts";
import { COST, type CostRow, type IntentEnding, IntentJournal, toCost } from "./intents.ts";
import { LaneJournal } from "./lanes.ts";
import { MOVES, type Move } from "./machine.ts";
import { OperationJournal } from "./operations.ts";
import { type Carried, type IntentShare, partsOf } from "./parts.ts";
import { createSchema } from "./schema.ts";
import { type NewSignedRow, SignedJournal } from "./signed.ts";
import { SpendingJournal, spentBy } from "./spending.ts";
import { predates } from "./timing.ts";

/**
 * Which intents a shared transaction carries. The transaction is an intent of the wallet itself; its parts are open as
 * long as it is, and only it is counted in the reservations.
 */
class SharedJournal {
  readonly #sql: SqlStorage;
  readonly #intents: IntentJournal;
  /** Operations that hold intents; null until first used. */
  #holders: Set<string> | null = null;

  constructor(sql: SqlStorage, intents: IntentJournal) {
    this.#sql = sql;
    this.#intents = intents;
  }

  /** Assigns queued intents to a shared transaction, in the order of its call. Part of the signing's transaction. */
  carry(shared: number, members: readonly { readonly id: number; readonly tokens: number }[]): void {
    const costs = this.#intents.openShared(members.map(({ id }) => id));
    const rows = members.map(({ id, tokens }, place) => [id, tokens, ...costValues(costs[place]!)]);
    this.#sql.exec(
      `INSERT INTO carried (shared, intent, position, tokens, cost, certain, ahead)
       SELECT ?, value ->> 0, key, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`,
      shared,
      JSON.stringify(rows),
    );
  }

  /** The intents that a shared transaction carries, in the order of the call; empty if it isn't shared. */
  of(shared: number): Carried[] {
    return this.#sql
      .exec<{ intentId: number; tokens: number }>(
        "SELECT intent AS intentId, tokens FROM carried WHERE shared = ? ORDER BY position",
        shared,
      )
      .toArray();
  }

  /** The mints of a transaction, in the order of the call: its parts, or its own intent if that is a mint. */
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

  /** The operations of those of these intents that are still in the journal. */
  operationsOf(ids: readonly number[]): string[] {
    return this.#sql
      .exec<{ operation: string }>(
        "SELECT operation FROM intents WHERE id IN (SELECT value FROM json_each(?))",
        JSON.stringify(ids),
      )
      .toArray()
      .map(({ operation }) => operation);
  }

  /** The shared transaction that carries an intent; null if there is none. */
  carrierOf(intentId: number): number | null {
    const sql = "SELECT shared FROM carried WHERE intent = ?";
    return this.#sql.exec<{ shared: number }>(sql, intentId).toArray()[0]?.shared ?? null;
  }

  /** Removes intents from a shared transaction. @returns the costs that it had taken over, by intent */
  release(shared: number, intents: readonly number[]): ReadonlyMap<number, Cost> {
    const rows = this.#sql.exec<CostRow & { intent: number }>(
      `DELETE FROM carried WHERE shared = ? AND intent IN (SELECT value FROM json_each(?)) RETURNING intent, ${COST}`,
      shared,
      JSON.stringify(intents),
    );
    return new Map(rows.toArray().map((row) => [row.intent, toCost(row)]));
  }

  /** Makes a queued intent use its own transaction. */
  separate(intentId: number): void {
    this.#sql.exec("UPDATE intents SET share = NULL WHERE id = ?", intentId);
  }

  /** Holds a queued intent, at most until a time, while another operation pays for the storage of both. */
  hold(intentId: number, operation: string, until: number): void {
    this.#sql.exec("UPDATE intents SET held_by = ?, held_until = ? WHERE id = ?", operation, until, intentId);
    this.#holders?.add(operation);
  }

  /**
   * Releases the intents held by operations.
   * @param paid the operations have paid, so that they may share a transaction again; otherwise each uses its own
   */
  letGo(operations: readonly string[], paid: boolean): void {
    const holders = this.#knownHolders();
    for (const operation of operations) {
      if (!holders.delete(operation)) continue;
      this.#sql.exec(
        `UPDATE intents SET held_by = NULL, held_until = NULL, share = CASE WHEN ? THEN share END WHERE held_by = ?`,
        paid ? 1 : 0,
        operation,
      );
    }
  }

  /** Operations that hold intents: few, at few times. */
  #knownHolders(): Set<string> {
    const sql = "SELECT DISTINCT held_by AS operation FROM intents WHERE held_by IS NOT NULL";
    this.#holders ??= new Set(
      this.#sql
        .exec<{ operation: string }>(sql)
        .toArray()
        .map(({ operation }) => operation),
    );
    return this.#holders;
  }

  /** A transaction was rolled back: cached values may be wrong. */
  rolledBack(): void {
    this.#holders = null;
  }
}

const costValues = (cost: Cost): [string, string, string] => [
  maxSpent(cost).toString(),
  cost.certain.toString(),
  cost.ahead.toString(),
];

/** The wallet's row. */
export interface WalletRow {
  readonly accountId: string;
  readonly publicKey: Uint8Array;
  readonly sealed: Sealed;
  /** `prepared`: its account may not exist yet; `active`: it signs; `restored`: it signs nothing until activated. */
  readonly state: "prepared" | "active" | "restored";
  /** Milliseconds since the epoch: operations from before may have lost rows with the previous object. */
  readonly restoredAt: number | null;
  /** Height of a final block that is certainly newer than the restoration; null until one was seen. */
  readonly restoredHeight: number | null;
}

/** Parameters of a move. */
export interface Moved {
  readonly intentId: number;
  /** The signed row; null if the intent can't be signed. */
  readonly row: number | null;
  /** Set if the move ends the intent. */
  readonly ending: IntentEnding | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** The ending of an intent of which an object that was set back knows nothing. */
const FORGOTTEN: IntentEnding = { result: null, value: null, contractCode: null, height: null };

/** Maximum time an intent is held while another operation pays the storage of both. Milliseconds. */
const HELD_MS = 30_000;

/** The journal of a wallet object: its complete state, committed before anything is sent. */
export class Journal {
  readonly intents: IntentJournal;
  readonly operations: OperationJournal;
  readonly shared: SharedJournal;
  readonly signed: SignedJournal;
  readonly spending: SpendingJournal;
  readonly budgets: BudgetJournal;
  readonly lanes: LaneJournal;
  readonly costs: CostJournal;
  readonly #storage: DurableObjectStorage;
  /** Cache of the wallet's row; undefined when it must be read. */
  #wallet: WalletRow | null | undefined;

  constructor(storage: DurableObjectStorage) {
    createSchema(storage);
    this.#storage = storage;
    this.intents = new IntentJournal(storage.sql);
    this.operations = new OperationJournal(storage.sql);
    this.shared = new SharedJournal(storage.sql, this.intents);
    this.signed = new SignedJournal(storage.sql);
    this.spending = new SpendingJournal(storage.sql);
    this.budgets = new BudgetJournal(storage.sql);
    this.lanes = new LaneJournal(storage.sql);
    this.costs = new CostJournal(storage.sql);
  }

  /** Size of the database in bytes. */
  get bytes(): number {
    return this.#storage.sql.databaseSize;
  }

  /** Runs writes in one transaction. */
  atomically<T>(writes: () => T): T {
    const { changes } = this.intents;
    try {
      return this.#storage.transactionSync(writes);
    } catch (error) {
      // A refusal changes no intent; after it the queue isn't counted again.
      if (this.intents.changes !== changes) this.intents.rolledBack();
      this.shared.rolledBack();
      this.#wallet = undefined;
      throw error;
    }
  }

  /** Records that the effects of an operation are written, and releases the intents it holds. */
  acknowledge(operation: Uuid, now: number): void {
    this.atomically(() => {
      this.operations.acknowledge(operation, now);
      this.shared.letGo([operation], false);
    });
  }

  /**
   * Applies a move (machine.ts) to an intent and its signed row with all consequences: the intents it carries, the
   * lanes it adds, and the due time of its operation. All or nothing.
   * @returns operations with an intent that this ends
   * @throws Error if the move isn't allowed
   */
  move(move: Move, { intentId, row, ending, now }: Moved): string[] {
    return this.atomically(() => {
      if (row !== null) this.signed.close(row, MOVES[move].row);
      const { state: from, cost, operation } = this.intents.get(intentId);
      this.intents.move(intentId, move, { ending, now });
      if (move === "lose") return this.#forgetOld(intentId, now);
      if (ending === null || move === "sign") return [];
      if (move === "forget") return this.#forgotten(intentId, now);
      this.lanes.added(intentId, move === "succeed");
      const counted = this.#isPayout(operation) ? { ...cost, certain: 0n } : cost;
      const spent = spentBy(move, counted, ending);
      this.spending.add(spent, now);
      const carried = this.shared.of(intentId);
      this.#countSpent(
        intentId,
        carried,
        { spent, hasStored: move === "succeed" || move === "give_up" },
        now,
      );
      this.#over([intentId], [operation], move, now);
      this.#spend(intentId, carried, ending, move === "succeed");
      return [operation, ...this.#moveCarried(intentId, partsOf({ from, move, ending }, carried), now)];
    });
  }

  /** An intent that may have been signed in a time that the object forgot, and those that it carries. Returns their operations. */
  #forgotten(intentId: number, now: number): string[] {
    this.lanes.added(intentId, false);
    const parts = this.shared
      .of(intentId)
      .map((part) => part.intentId)
      .filter((id) => this.intents.isKept(id) && this.intents.get(id).state === "open");
    for (const id of parts) this.intents.move(id, "give_up", { ending: FORGOTTEN, now });
    const ids = [intentId, ...parts];
    const operations = ids.map((id) => this.intents.get(id).operation);
    this.#over(ids, operations, "forget", now);
    return operations;
  }

  #isPayout(operation: string): boolean {
    const sql = "SELECT 1 FROM operations WHERE id = ? AND kind = ?";
    return (
      isUuid(operation) && this.#storage.sql.exec(sql, uuidToBytes(operation), PAYOUT).toArray().length > 0
    );
  }

  /** Records what an ended transaction cost each of its intents. */
  #spend(intentId: number, carried: readonly Carried[], { result }: IntentEnding, hasMoved: boolean): void {
    const burnt = BigInt(result?.tokens_burnt ?? "0");
    if (carried.length === 0) {
      this.costs.landed(intentId, burnt, hasMoved);
      return;
    }
    const tokens = carried.map((part) => part.tokens);
    for (const [place, share] of sharesOf(burnt, tokens).entries()) {
      const part = carried[place]!.intentId;
      if (this.intents.isKept(part)) this.costs.spend(part, share);
    }
  }

  /** Counts what a transaction has spent for the budgets of its intents. */
  #countSpent(
    intentId: number,
    carried: readonly Carried[],
    { spent, hasStored }: { readonly spent: bigint; readonly hasStored: boolean },
    now: number,
  ): void {
    if (carried.length === 0) {
      this.budgets.spend(new Map([[intentId, spent]]), hasStored, now);
      return;
    }
    const shares = sharesOf(
      spent,
      carried.map(({ tokens }) => tokens),
    );
    this.budgets.spend(
      new Map(carried.map((part, place) => [part.intentId, shares[place]!])),
      hasStored,
      now,
    );
  }

  /** Handles the end of intents of these operations. */
  #over(intents: readonly number[], operations: readonly string[], move: Move, now: number): void {
    if (intents.length === 0) return;
    this.budgets.over(intents);
    const unfinished = this.intents.unfinished(operations);
    this.operations.rowsOver(
      operations.filter((operation) => !unfinished.has(operation)),
      now,
    );
    this.shared.letGo(operations, move === "succeed");
  }

  /** Applies the end of a shared transaction to the intents that it carries. Returns the operations of those that are over. */
  #moveCarried(shared: number, parts: readonly IntentShare[], now: number): string[] {
    const kept = parts
      .filter(({ intentId }) => this.intents.isKept(intentId))
      .map((part) => ({ ...part, operation: this.intents.get(part.intentId).operation }));
    // An unprovable part stays with its transaction: it may still be proven, together with the others. One that has
    // succeeded reads its result there.
    const released = this.shared.release(
      shared,
      kept.flatMap(({ move, intentId }) => (move === "give_up" || move === "succeed" ? [] : [intentId])),
    );
    const ended = kept.flatMap((part) => (part.move === "lose" ? [] : [part]));
    for (const { intentId, move, ending } of ended) {
      const own = move === "succeed" ? { ...ending, result: null } : ending;
      this.intents.move(intentId, move, { ending: own, now, cost: released.get(intentId) });
    }
    const over = ended.map(({ operation }) => operation);
    // Those that end, end alike.
    const [first] = ended;
    if (first) {
      this.#over(
        ended.map(({ intentId }) => intentId),
        over,
        first.move,
        now,
      );
    }
    for (const part of kept) {
      if (part.move !== "lose") continue;
      const { intentId } = part;
      this.intents.move(intentId, "lose", { ending: null, now, cost: released.get(intentId) });
      if (part.again === "alone") this.shared.separate(intentId);
      // After the first has ended, and has let go of what it held before.
      else this.shared.hold(intentId, this.intents.get(parts[0]!.intentId).operation, now + HELD_MS);
      over.push(...this.#forgetOld(intentId, now));
    }
    return over;
  }

  /** Doesn't sign a queued intent again that an object which was set back may have signed already. */
  #forgetOld(intentId: number, now: number): string[] {
    const { operation } = this.intents.get(intentId);
    if (!isUuid(operation) || !predates(operation, this.wallet()?.restoredAt ?? null)) return [];
    return this.move("forget", { intentId, row: null, ending: FORGOTTEN, now });
  }

  /** Stores signed bytes and opens their intent. Returns the row's id. Part of the caller's transaction. */
  sign(row: NewSignedRow): number {
    this.intents.move(row.intentId, "sign", { ending: null, now: row.now });
    return this.signed.add(row);
  }

  /** The wallet, or null before it has a key. */
  wallet(): WalletRow | null {
    this.#wallet ??= this.#readWallet();
    return this.#wallet;
  }

  #readWallet(): WalletRow | null {
    const row = this.#storage.sql
      .exec<
        Omit<WalletRow, "publicKey" | "sealed"> & {
          publicKey: ArrayBuffer;
          bytes: ArrayBuffer;
          version: number;
        }
      >(
        `SELECT account_id AS accountId, public_key AS publicKey, sealed AS bytes, secret_version AS version, state,
           restored_at AS restoredAt, restored_height AS restoredHeight FROM wallet`,
      )
      .toArray()[0];
    if (!row) return null;
    const { publicKey, bytes, version, ...wallet } = row;
    const sealed = { bytes: new Uint8Array(bytes), version };
    return { ...wallet, publicKey: new Uint8Array(publicKey), sealed };
  }

  /** Stores the wallet's key. Only once. */
  enter(wallet: Omit<WalletRow, "restoredHeight">): void {
    this.#wallet = undefined;
    this.#storage.sql.exec(
      `INSERT INTO wallet (id, account_id, public_key, sealed, secret_version, state, restored_at)
       VALUES (1, ?, ?, ?, ?, ?, ?)`,
      wallet.accountId,
      wallet.publicKey,
      wallet.sealed.bytes,
      wallet.sealed.version,
      wallet.state,
      wallet.restoredAt,
    );
  }

  /** Deletes the wallet's key, which was never used, so that another can replace it. */
  discard(): void {
    this.#wallet = undefined;
    this.atomically(() => {
      this.#storage.sql.exec("DELETE FROM wallet");
      this.#storage.sql.exec("DELETE FROM lanes");
    });
  }

  /**
   * Replaces the platform wallet's key by a new one from the operator. All lanes of the old key are gone.
   * @returns the number of the new key, from 1
   */
  replaceKey(wallet: Pick<WalletRow, "accountId" | "publicKey" | "sealed">): number {
    const { sql } = this.#storage;
    this.#wallet = undefined;
    sql.exec(
      "UPDATE wallet SET account_id = ?, public_key = ?, sealed = ?, secret_version = ?",
      wallet.accountId,
      wallet.publicKey,
      wallet.sealed.bytes,
      wallet.sealed.version,
    );
    sql.exec("UPDATE lanes SET state = 'gone'");
    return sql.exec<{ count: number }>("SELECT count(*) AS count FROM lanes WHERE added_by IS NULL").one()
      .count;
  }

  /** Allows the wallet to sign. */
  activate(): void {
    this.#wallet = undefined;
    this.#storage.sql.exec("UPDATE wallet SET state = 'active'");
  }

  /**
   * Rows may have been lost: the wallet signs nothing until it is activated, and no operation from before. Part of the caller's
   * transaction.
   * @param nonceGap distance to the chain's nonces from which its keys continue
   * @param state of a wallet that nobody activates: it continues with new intents
   */
  suspectLoss(now: number, nonceGap: number, state: "restored" | "active" = "restored"): void {
    this.#wallet = undefined;
    const { sql } = this.#storage;
    sql.exec("UPDATE wallet SET state = ?, restored_at = ?, restored_height = NULL", state, now);
    sql.exec("UPDATE lanes SET state = 'unread', nonce_gap = ? WHERE state = 'ready'", nonceGap);
    const queued = sql.exec<{ id: number }>("SELECT id FROM intents WHERE state = 'queued'").toArray();
    for (const { id } of queued) this.#forgetOld(id, now);
  }

  /** Stores the height of the first final block certainly newer than the restoration. */
  noteRestoredHeight(height: number): void {
    this.#wallet = undefined;
    this.#storage.sql.exec("UPDATE wallet SET restored_height = ? WHERE restored_height IS NULL", height);
  }

  /** Stores the key sealed with another secret. */
  reseal(sealed: Sealed): void {
    this.#wallet = undefined;
    this.#storage.sql.exec("UPDATE wallet SET sealed = ?, secret_version = ?", sealed.bytes, sealed.version);
  }
}

/** The exportable form of the key. */
export const toSealedKey = (wallet: WalletRow): SealedKey => ({
  publicKey: wallet.publicKey,
  sealed: wallet.sealed.bytes,
  secretVersion: wallet.sealed.version,
});
