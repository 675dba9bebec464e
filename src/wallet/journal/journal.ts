import { and, count, eq, isNull, sql } from "drizzle-orm";
import { type DrizzleSqliteDODatabase, drizzle } from "drizzle-orm/durable-sqlite";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { NO_COST } from "../../chain/cost.ts";
import type { Uuid } from "../../domain/ids.ts";
import { PAYOUT } from "../../domain/operations.ts";
import type { Sealed } from "../../domain/sealing.ts";
import type { Acknowledgement, SealedKey } from "../interface.ts";
import { CostJournal, sharesOf } from "./costs.ts";
import { among, createTables, JournalPart, required } from "./database.ts";
import { FileJournal } from "./files.ts";
import { Forgetting } from "./forgetting.ts";
import { type IntentEnding, IntentJournal, toCost, toCostRow } from "./intents.ts";
import { LaneJournal } from "./lanes.ts";
import { MOVES, type Move } from "./machine.ts";
import { OperationJournal } from "./operations.ts";
import { type Carried, type IntentShare, partsOf } from "./parts.ts";
import { carried, intents, lanes, wallets } from "./schema.ts";
import { type NewSignedRow, SignedJournal } from "./signed.ts";
import { SnapshotJournal } from "./snapshots.ts";
import { SpendingJournal, spentBy } from "./spending.ts";

/**
 * Which intents a shared transaction carries. The transaction is an intent of the wallet itself; its parts are open as
 * long as it is, and only it is counted in the reservations.
 */
class SharedJournal extends JournalPart {
  readonly #intents: IntentJournal;

  constructor(sql: SqlStorage, intents: IntentJournal) {
    super(sql);
    this.#intents = intents;
  }

  readonly #carry = this.run((row: typeof carried.$inferInsert) =>
    this.db.insert(carried).values(required(carried, row)),
  );

  /** Assigns queued intents to a shared transaction. Part of the signing's transaction. */
  carry(
    shared: number,
    members: readonly { readonly id: number; readonly tokens: number }[],
    now: number,
  ): void {
    for (const [position, { id, tokens }] of members.entries()) {
      const { cost } = this.#intents.get(id);
      this.#carry({ shared, intentId: id, position, tokens, ...toCostRow(cost) });
      this.#intents.reprice(id, NO_COST);
      this.#intents.move(id, "sign", null, now);
    }
  }

  /** The intents that a shared transaction carries, in the order of the call; empty if it isn't shared. */
  readonly of = this.rows((shared: number) =>
    this.db
      .select({ intentId: carried.intentId, tokens: carried.tokens })
      .from(carried)
      .where(eq(carried.shared, shared))
      .orderBy(carried.position),
  );

  readonly #mint = this.rows((id: number) =>
    this.db
      .select({ intentId: intents.id, tokens: intents.tokens })
      .from(intents)
      .where(sql`${intents.id} = ${id} AND ${intents.tokens} > 0`),
  );

  /** The mints of a transaction, in the order of the call: its parts, or its own intent if that is a mint. */
  mintsOf(intentId: number): Carried[] {
    const parts = this.of(intentId);
    return parts.length > 0 ? parts : this.#mint(intentId);
  }

  /** The operations of those of these intents that are still in the journal. */
  readonly operationsOf = this.rows(
    (ids: readonly number[]) =>
      this.db.select({ operation: intents.operation }).from(intents).where(among(intents.id, ids)),
    ({ operation }) => operation,
  );

  /** The shared transaction that carries an intent; null if there is none. */
  readonly carrierOf = this.first(
    (intentId: number) =>
      this.db.select({ shared: carried.shared }).from(carried).where(eq(carried.intentId, intentId)),
    ({ shared }) => shared,
  );

  readonly #release = this.first((shared: number, intentId: number) =>
    this.db
      .delete(carried)
      .where(and(eq(carried.shared, shared), eq(carried.intentId, intentId)))
      .returning({ cost: carried.cost, certain: carried.certain, ahead: carried.ahead }),
  );

  /** Removes an intent from a shared transaction and restores its cost. */
  release(shared: number, intentId: number): void {
    const row = this.#release(shared, intentId);
    if (row) this.#intents.reprice(intentId, toCost(row));
  }

  /** Makes a queued intent use its own transaction. */
  readonly separate = this.run((intentId: number) =>
    this.db.update(intents).set({ share: null }).where(eq(intents.id, intentId)),
  );

  /** Holds a queued intent, at most until a time, while another operation pays for the storage of both. */
  readonly hold = this.run((intentId: number, heldBy: Uuid, heldUntil: number) =>
    this.db.update(intents).set({ heldBy, heldUntil }).where(eq(intents.id, intentId)),
  );

  /**
   * Releases the intents held by an operation.
   * @param paid the operation has paid, so that they may share a transaction again; otherwise each uses its own
   */
  readonly letGo = this.run((heldBy: Uuid, paid: boolean) =>
    this.db
      .update(intents)
      .set({ heldBy: null, heldUntil: null, share: sql`iif(${sql.param(paid, FLAG)}, share, NULL)` })
      .where(eq(intents.heldBy, heldBy)),
  );
}

const FLAG = { mapToDriverValue: Number };

/** The wallet's row. */
export interface WalletRow
  extends Readonly<Omit<typeof wallets.$inferSelect, "id" | "sealed" | "secretVersion">> {
  readonly sealed: Sealed;
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

/** Maximum time an intent is held while another operation pays the storage of both. Milliseconds. */
const HELD_MS = 30_000;

/** The journal of a wallet object: its complete state, committed before anything is sent. */
export class Journal {
  readonly intents: IntentJournal;
  readonly operations: OperationJournal;
  readonly snapshots: SnapshotJournal;
  readonly files: FileJournal;
  readonly forgetting: Forgetting;
  readonly shared: SharedJournal;
  readonly signed: SignedJournal;
  readonly spending: SpendingJournal;
  readonly lanes: LaneJournal;
  readonly costs: CostJournal;
  readonly #storage: DurableObjectStorage;
  readonly #db: DrizzleSqliteDODatabase;
  /** Cache of the wallet's row; undefined when it must be read. */
  #wallet: WalletRow | null | undefined;

  constructor(storage: DurableObjectStorage) {
    createTables(storage);
    this.#storage = storage;
    this.#db = drizzle(storage);
    this.intents = new IntentJournal(storage.sql);
    this.snapshots = new SnapshotJournal(storage.sql);
    this.operations = new OperationJournal(storage.sql, this.snapshots);
    this.files = new FileJournal(storage.sql);
    this.forgetting = new Forgetting(this);
    this.shared = new SharedJournal(storage.sql, this.intents);
    this.signed = new SignedJournal(storage.sql);
    this.spending = new SpendingJournal(storage.sql);
    this.lanes = new LaneJournal(storage.sql);
    this.costs = new CostJournal(storage.sql);
  }

  /** Size of the database in bytes. */
  get bytes(): number {
    return this.#storage.sql.databaseSize;
  }

  /** Runs writes in one transaction. */
  atomically<T>(writes: () => T): T {
    try {
      return this.#storage.transactionSync(writes);
    } catch (error) {
      this.intents.rolledBack();
      this.snapshots.rolledBack();
      throw error;
    }
  }

  /** Records that the effects of operations are written, and releases the intents they hold. */
  acknowledge(acknowledgements: readonly Acknowledgement[], now: number): void {
    this.atomically(() => {
      for (const { operationUuid, ending } of acknowledgements) {
        this.operations.acknowledge(operationUuid, now);
        this.shared.letGo(operationUuid, false);
        if (ending) this.snapshots.end({ ...ending, operation: operationUuid });
      }
    });
  }

  /**
   * Applies a move (machine.ts) to an intent and its signed row with all consequences: the intents it carries, the
   * lanes it adds, and the due time of its operation. All or nothing.
   * @returns operations with an intent that this ends
   * @throws Error if the move isn't allowed
   */
  move(move: Move, { intentId, row, ending, now }: Moved): Uuid[] {
    return this.atomically(() => {
      if (row !== null) this.signed.close(row, MOVES[move].row);
      const { state: from, cost, operation } = this.intents.get(intentId);
      this.intents.move(intentId, move, ending, now);
      if (ending === null || move === "sign" || move === "lose") return [];
      this.lanes.added(intentId, move === "succeed" ? "unread" : "gone");
      const counted = this.snapshots.kindOf(operation) === PAYOUT ? { ...cost, certain: 0n } : cost;
      this.spending.add(spentBy(move, counted, ending), now);
      const own = this.#over(intentId, move, now);
      const carried = this.shared.of(intentId);
      this.#spend(intentId, carried, ending, move === "succeed");
      const parts = partsOf({ from, move, ending }, carried);
      return [own, ...parts.flatMap((part) => this.#moveCarried(intentId, part, parts[0]!.intentId, now))];
    });
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

  /** Handles the end of an intent. Returns its operation. */
  #over(intentId: number, move: Move, now: number): Uuid {
    const { operation } = this.intents.get(intentId);
    if (this.intents.isOver(operation)) this.operations.rowsOver(operation, now);
    this.shared.letGo(operation, move === "succeed");
    return operation;
  }

  /** Applies the end of a shared transaction to one of its intents. Returns its operation if the intent is over. */
  #moveCarried(shared: number, part: IntentShare, first: number, now: number): Uuid[] {
    const { intentId, move } = part;
    if (!this.intents.isKept(intentId)) return [];
    // An unprovable part stays with its transaction: it may still be proven, together with the others.
    if (move !== "give_up") this.shared.release(shared, intentId);
    this.intents.move(intentId, move, "ending" in part ? part.ending : null, now);
    if (part.move !== "lose") return [this.#over(intentId, move, now)];
    if (part.again === "alone") this.shared.separate(intentId);
    else this.shared.hold(intentId, this.intents.get(first).operation, now + HELD_MS);
    return [];
  }

  /** Stores signed bytes and opens their intent. Returns the row's id. Part of the caller's transaction. */
  sign(row: NewSignedRow): number {
    this.intents.move(row.intentId, "sign", null, row.now);
    return this.signed.add(row);
  }

  /** The wallet, or null before it has a key. */
  wallet(): WalletRow | null {
    this.#wallet ??= this.#readWallet();
    return this.#wallet;
  }

  #readWallet(): WalletRow | null {
    const row = this.#db.select().from(wallets).get();
    if (!row) return null;
    const { sealed: bytes, secretVersion: version, ...wallet } = row;
    return { ...wallet, sealed: { bytes, version } };
  }

  /** Stores the wallet's key. Only once. */
  enter({ sealed: { bytes, version }, ...wallet }: Omit<WalletRow, "restoredHeight">): void {
    this.#wallet = undefined;
    this.#db
      .insert(wallets)
      .values({ ...wallet, sealed: bytes, secretVersion: version })
      .run();
  }

  #change(wallet: SQLiteUpdateSetSource<typeof wallets>): void {
    this.#wallet = undefined;
    this.#db.update(wallets).set(wallet).run();
  }

  /** Deletes the wallet's key, which was never used, so that another can replace it. */
  discard(): void {
    this.#wallet = undefined;
    this.atomically(() => {
      this.#db.delete(wallets).run();
      this.#db.delete(lanes).run();
    });
  }

  /**
   * Replaces the platform wallet's key by a new one from the operator. All lanes of the old key are gone.
   * @returns the number of the new key, from 1
   */
  replaceKey({
    accountId,
    publicKey,
    sealed,
  }: Pick<WalletRow, "accountId" | "publicKey" | "sealed">): number {
    this.#change({ accountId, publicKey, sealed: sealed.bytes, secretVersion: sealed.version });
    this.#db.update(lanes).set({ state: "gone" }).run();
    return this.#db.select({ count: count() }).from(lanes).where(isNull(lanes.addedBy)).get()!.count;
  }

  /** Allows the wallet to sign. */
  activate(): void {
    this.#change({ state: "active" });
  }

  /** Stores the height of the first final block certainly newer than the restoration. */
  noteRestoredHeight(height: number): void {
    this.#change({ restoredHeight: sql`coalesce(restored_height, ${height})` });
  }

  /** Stores the key sealed with another secret. */
  reseal({ bytes, version }: Sealed): void {
    this.#change({ sealed: bytes, secretVersion: version });
  }
}

/** The exportable form of the key. */
export const toSealedKey = (wallet: WalletRow): SealedKey => ({
  publicKey: wallet.publicKey,
  sealed: wallet.sealed.bytes,
  secretVersion: wallet.sealed.version,
});
