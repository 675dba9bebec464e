import { PAYOUT } from "../../domain/operations.ts";
import type { Acknowledgement, SealedKey } from "../interface.ts";
import { CostJournal, sharesOf } from "./costs.ts";
import { FileJournal } from "./files.ts";
import { Forgetting } from "./forgetting.ts";
import { type Ending, IntentJournal } from "./intents.ts";
import { LaneJournal } from "./lanes.ts";
import { MOVES, type Move } from "./machine.ts";
import { OperationJournal } from "./operations.ts";
import { OriginJournal } from "./origins.ts";
import { type Carried, type Part, partsOf } from "./parts.ts";
import { createSchema } from "./schema.ts";
import { SharedJournal } from "./shared.ts";
import { type NewSignedRow, SignedJournal } from "./signed.ts";
import { SpendingJournal, spentBy } from "./spending.ts";

/** A sealed seed: 12 bytes nonce, ciphertext and tag of AES-256-GCM, and the version of the secret. */
export interface Sealed {
  readonly bytes: Uint8Array;
  readonly version: number;
}

/** The wallet itself as the journal keeps it. */
export interface WalletRow {
  readonly accountId: string;
  readonly publicKey: Uint8Array;
  readonly sealed: Sealed;
  /** `prepared`: its account may not exist yet; `active`: it signs; `restored`: it signs nothing until activated. */
  readonly state: "prepared" | "active" | "restored";
  /** Milliseconds since the epoch: operations begun before then may have lost rows with the former object. */
  readonly restoredAt: number | null;
  /** Height of a final block that is surely younger than the restoration; null before one was seen. */
  readonly restoredHeight: number | null;
}

/** What a move of the machine is made in. */
export interface Moved {
  readonly intentId: number;
  /** The signed row; null where the intent can't be signed. */
  readonly row: number | null;
  /** Where the intent is over by the move. */
  readonly ending: Ending | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** How long an intent waits at most for another operation to pay the storage of both. Milliseconds. */
const HELD_MS = 30_000;
const NOTHING: Ending = { result: null, value: null, contractCode: null, height: null };
/** The move by which an intent came to a state in which it is over. */
const MOVE_TO = { succeeded: "succeed", failed: "fail", refused: "refuse", unknown: "give_up" } as const;

/** The journal of a wallet object: all it knows, committed before anything is sent. */
export class Journal {
  readonly intents: IntentJournal;
  readonly operations: OperationJournal;
  readonly origins: OriginJournal;
  readonly files: FileJournal;
  readonly forgetting: Forgetting;
  readonly shared: SharedJournal;
  readonly signed: SignedJournal;
  readonly spending: SpendingJournal;
  readonly lanes: LaneJournal;
  readonly costs: CostJournal;
  readonly #storage: DurableObjectStorage;
  /** Cache of the wallet's row; undefined when it has to be read. */
  #wallet: WalletRow | null | undefined;

  constructor(storage: DurableObjectStorage) {
    createSchema(storage);
    this.#storage = storage;
    this.intents = new IntentJournal(storage.sql);
    this.origins = new OriginJournal(storage.sql);
    this.operations = new OperationJournal(storage.sql, this.origins);
    this.files = new FileJournal(storage.sql);
    this.forgetting = new Forgetting(this);
    this.shared = new SharedJournal(storage.sql, this.intents);
    this.signed = new SignedJournal(storage.sql);
    this.spending = new SpendingJournal(storage.sql);
    this.lanes = new LaneJournal(storage.sql);
    this.costs = new CostJournal(storage.sql);
    this.#finishShared(Date.now());
  }

  /** Its size. */
  get bytes(): number {
    return this.#storage.sql.databaseSize;
  }

  /** Runs writes in one transaction. */
  atomically<T>(writes: () => T): T {
    try {
      return this.#storage.transactionSync(writes);
    } catch (error) {
      this.intents.rolledBack();
      this.origins.rolledBack();
      throw error;
    }
  }

  /** Notes that the effects of operations are written, and lets go what waited for them. */
  acknowledge(acknowledgements: readonly Acknowledgement[], now: number): void {
    this.atomically(() => {
      for (const { operationUuid, ending } of acknowledgements) {
        this.operations.acknowledge(operationUuid, now);
        this.shared.letGo(operationUuid, false);
        if (ending) this.origins.end(operationUuid, ending);
      }
    });
  }

  /**
   * Makes a move of the machine (machine.ts) in an intent and its signed row at once, with all that hangs on them: the
   * intents that it carries, the lanes that it was to add, and the due time of its operation. All of it or nothing.
   * @returns operations of which an intent is over by it
   * @throws Error where the machine has no such arrow
   */
  move(move: Move, { intentId, row, ending, now }: Moved): string[] {
    return this.atomically(() => {
      if (row !== null) this.signed.close(row, MOVES[move].row);
      const { state: from, cost, operation } = this.intents.get(intentId);
      this.intents.move(intentId, move, ending, now);
      if (ending === null || move === "sign" || move === "lose") return [];
      this.lanes.added(intentId, move === "succeed");
      const counted = this.origins.kindOf(operation) === PAYOUT ? { ...cost, certain: 0n } : cost;
      this.spending.add(spentBy(move, counted, ending), now);
      const own = this.#over(intentId, move, now);
      const carried = this.shared.of(intentId);
      this.#spend(intentId, carried, ending, move === "succeed");
      const parts = partsOf({ from, move, ending }, carried);
      return [own, ...parts.flatMap((part) => this.#moveCarried(intentId, part, parts[0]!.intentId, now))];
    });
  }

  /** Notes what a transaction that is over took, for those that it was for. */
  #spend(intentId: number, carried: readonly Carried[], { result }: Ending, hasMoved: boolean): void {
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

  /** An intent is over. Answers its operation. */
  #over(intentId: number, move: Move, now: number): string {
    const { operation } = this.intents.get(intentId);
    if (this.intents.isOver(operation)) this.operations.rowsOver(operation, now);
    this.shared.letGo(operation, move === "succeed");
    return operation;
  }

  /** What the end of a shared transaction makes of one intent that it carried. Answers its operation if that is over. */
  #moveCarried(shared: number, part: Part, first: number, now: number): string[] {
    const { intentId, move } = part;
    if (!this.intents.isKept(intentId)) return [];
    // One that nobody can prove may be proven yet, along with all others.
    if (move !== "give_up") this.shared.release(shared, intentId);
    this.intents.move(intentId, move, "ending" in part ? part.ending : null, now);
    if (part.move !== "lose") return [this.#over(intentId, move, now)];
    if (part.again === "alone") this.shared.separate(intentId);
    else this.shared.hold(intentId, this.intents.get(first).operation, now + HELD_MS);
    return [];
  }

  /** A former release may have ended shared transactions, whose parts it doesn't know: they end the same way now. */
  #finishShared(now: number): void {
    for (const { shared, state, partsState: from } of this.shared.leftOver()) {
      this.atomically(() => {
        const move = MOVE_TO[state ?? "unknown"];
        const ending = state === null ? NOTHING : this.intents.endingOf(shared);
        const parts = partsOf({ from, move, ending }, this.shared.of(shared));
        for (const part of parts) this.#moveCarried(shared, part, parts[0]!.intentId, now);
      });
    }
  }

  /** Enters signed bytes and opens their intent. Answers the row's number. Part of the caller's transaction. */
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

  /** Enters the wallet's key. Only once. */
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

  /** The wallet's key was never used, and another one takes its place. */
  discard(): void {
    this.#wallet = undefined;
    this.atomically(() => {
      this.#storage.sql.exec("DELETE FROM wallet");
      this.#storage.sql.exec("DELETE FROM lanes");
    });
  }

  /**
   * The operator has given the platform's wallet another key. All lanes of the old one are gone.
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

  /** The wallet may sign. */
  activate(): void {
    this.#wallet = undefined;
    this.#storage.sql.exec("UPDATE wallet SET state = 'active'");
  }

  /** A final block that is surely younger than the restoration was seen. Only the first counts. */
  noteRestoredHeight(height: number): void {
    this.#wallet = undefined;
    this.#storage.sql.exec("UPDATE wallet SET restored_height = ? WHERE restored_height IS NULL", height);
  }

  /** The key is sealed again. */
  reseal(sealed: Sealed): void {
    this.#wallet = undefined;
    this.#storage.sql.exec("UPDATE wallet SET sealed = ?, secret_version = ?", sealed.bytes, sealed.version);
  }
}

/** The form in which a key may leave its object. */
export const toSealedKey = (wallet: WalletRow): SealedKey => ({
  publicKey: wallet.publicKey,
  sealed: wallet.sealed.bytes,
  secretVersion: wallet.sealed.version,
});
