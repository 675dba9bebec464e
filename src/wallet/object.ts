import { DurableObject } from "cloudflare:workers";
import type { LedgerObject, SentRows } from "../db/ledger.ts";
import type { SentStatement } from "../db/statements.ts";
import { type Uuid, uuidFromBytes } from "../domain/ids.ts";
import type { Bindings } from "../env.ts";
import type {
  Intent,
  LandingState,
  LostOperation,
  NewWrite,
  RestoredPart,
  RowWithResults,
  SealedKey,
  StuckRecord,
  SubmitResult,
  TransactionRecord,
  Wallet,
  WalletStatus,
  WriteResult,
} from "./interface.ts";
import { predates } from "./journal/timing.ts";
import { type WalletParts, wireWallet } from "./wiring.ts";

/** Status of an object that has no key. */
const EMPTY: WalletStatus = {
  state: "empty",
  accountId: "",
  publicKey: new Uint8Array(),
  balance: null,
  height: null,
  available: null,
  spentPerDay: "0",
  lanes: [],
  queued: 0,
  open: 0,
  stuck: [],
  lost: [],
};

/** Whether the records are in the states that a decision was based on. */
const areIn = (
  records: readonly TransactionRecord[],
  states: readonly TransactionRecord["state"][] = [],
): boolean => states.every((state, index) => records[index]?.state === state);

/** Number of stuck rows in the wallet's status. */
const STUCK_SHOWN = 100;

/** Number of lost operations in the wallet's status. */
const LOST_SHOWN = 1_000;

/**
 * The object of a wallet, of an integration or of the platform, and the only holder of its key. Its methods are thin: the
 * journal is the source of truth, `lanes.ts` and `rules.ts` decide, `Dispatcher` signs, `Observer` polls. See
 * docs/transactions.md. What an operation is, and how it is driven, is added by src/operations/engine/object.ts.
 */
export abstract class WalletObject extends DurableObject<Bindings> implements Wallet, LedgerObject {
  protected readonly parts: WalletParts;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    this.parts = wireWallet(ctx, env, {
      resume: (operation, waitMs) => this.resume(operation, waitMs),
      shippingDue: () => this.shippingDue(),
    });
  }

  abstract run(integrationId: Uuid, statements: readonly SentStatement[]): Promise<SentRows[]>;

  abstract write(write: NewWrite, waitMs: number): Promise<WriteResult>;

  abstract carryOut(
    operationUuid: Uuid,
    waitMs: number,
    height?: number | null,
  ): Promise<RowWithResults | null>;

  abstract resume(operationUuid: Uuid, waitMs: number): Promise<void>;

  abstract restoreLedger(integrationId: Uuid): Promise<RestoredPart>;

  /** When something of the ledger is to be copied to R2, milliseconds since the epoch; null: nothing is. */
  protected abstract shippingDue(): number | null;

  async suspend(at: number | null): Promise<void> {
    this.ctx.storage.sql.exec("UPDATE meta SET suspended_at = ?", at);
  }

  async prepareKey(accountId: string): Promise<SealedKey> {
    return this.parts.custody.prepare(accountId);
  }

  async activate(): Promise<boolean> {
    const { custody, guard, journal } = this.parts;
    await custody.unlock();
    const { state } = custody.known(null);
    if (guard.isSetBack && (state !== "restored" || !guard.isRestored)) return false;
    journal.atomically(() => {
      journal.activate();
      guard.settle();
    });
    await this.#go();
    return true;
  }

  async restore(...sealed: Parameters<Wallet["restore"]>): Promise<SealedKey> {
    return this.parts.custody.restore(...sealed);
  }

  /** Journals an intent. Repeating an operation and step returns `accepted` and changes nothing. */
  async submit(intent: Intent): Promise<SubmitResult> {
    return this.journal(intent);
  }

  /** The same. @param accept runs in the transaction of the intent */
  protected async journal(intent: Intent, accept?: () => void): Promise<SubmitResult> {
    await this.parts.custody.unlock();
    const result = await this.parts.submission.submit(intent, accept);
    if (result.status === "accepted") this.parts.driver.wake();
    else this.parts.driver.keepOn();
    return result;
  }

  async withdraw(...[operation, journaled, isNew, states]: Parameters<Wallet["withdraw"]>): Promise<boolean> {
    const { journal, now } = this.parts;
    const { intents, operations } = journal;
    const records = intents.records(operation).map(({ record }) => record);
    if (records.length !== journaled) return false;
    if (operations.isWithdrawn(operation)) return true;
    const wallet = journal.wallet();
    if (!isNew && (wallet === null || predates(operation, wallet.restoredAt))) return false;
    if (!intents.isOver(operation) || !areIn(records, states)) return false;
    operations.withdraw(operation, journaled, now());
    return true;
  }

  async transactions(operationUuid: Uuid): Promise<TransactionRecord[]> {
    return this.recordsAtEnd(operationUuid, 0);
  }

  /**
   * Waits until every record of the operation is over (not `queued` or `open`) or the timeout, then returns like
   * `transactions`. Milliseconds.
   */
  async recordsAtEnd(operationUuid: Uuid, timeoutMs: number): Promise<TransactionRecord[]> {
    const until = Date.now() + timeoutMs;
    await this.parts.custody.unlock();
    this.parts.driver.keepOn();
    return this.parts.records.of(operationUuid, until);
  }

  async acknowledge(operationUuid: Uuid): Promise<void> {
    this.parts.journal.acknowledge(operationUuid, Date.now());
    await this.parts.alarm.arm(Number.POSITIVE_INFINITY);
  }

  /** The wallet's state as the operator sees it. */
  #state(): WalletStatus["state"] {
    const state = this.parts.journal.wallet()?.state ?? "empty";
    if (state !== "active") return state;
    return this.parts.journal.lanes.missing() === null ? "active" : "locked_out";
  }

  /**
   * Changes whenever the wallet itself may have spent something: amounts queued and open, and the number of ended
   * transactions.
   */
  #spending(): string {
    const { queued, open } = this.parts.journal.intents.reserved();
    return `${queued} ${open} ${this.parts.funds.endings}`;
  }

  async status(maxAgeMs = 0): Promise<WalletStatus> {
    await this.parts.custody.unlock();
    this.parts.driver.keepOn();
    await this.parts.alarm.arm();
    const wallet = this.parts.journal.wallet();
    if (wallet === null) return EMPTY;
    const { accountId } = wallet;
    const balance = await this.parts.balance.read({ accountId, state: this.#spending(), maxAgeMs });
    const { queued, open } = this.parts.journal.intents.reserved();
    return {
      state: this.#state(),
      accountId: wallet.accountId,
      publicKey: wallet.publicKey,
      balance: balance === null ? null : balance.total.toString(),
      height: balance?.height ?? null,
      available: balance === null ? null : above(balance.available, queued + open).toString(),
      spentPerDay: this.parts.journal.spending.perDay(Date.now()).toString(),
      lanes: this.parts.journal.lanes.all().map(({ publicKey, kind, open }) => ({ publicKey, kind, open })),
      ...this.parts.journal.intents.counts(),
      stuck: this.parts.records.stuck(0, STUCK_SHOWN).map(({ record }) => record),
      lost: this.#lost(),
    };
  }

  #lost(): LostOperation[] {
    return this.ctx.storage.sql
      .exec<{ id: ArrayBuffer; key: string | null }>(
        "SELECT id, key FROM lost_operations WHERE id > x'' AND expires_at > ? ORDER BY id DESC LIMIT ?",
        Date.now(),
        LOST_SHOWN,
      )
      .toArray()
      .map(({ id, key }) => ({ operationUuid: uuidFromBytes(new Uint8Array(id)), key }));
  }

  async spentToday(budget?: Uuid): Promise<string> {
    const { budgets, spending } = this.parts.journal;
    return (budget === undefined ? spending.of(Date.now()) : budgets.spent(budget, Date.now())).toString();
  }

  async stuck(after: number, limit: number): Promise<StuckRecord[] | null> {
    await this.parts.custody.unlock();
    const wallet = this.parts.journal.wallet();
    return wallet === null || wallet.state === "restored" ? null : this.parts.records.stuck(after, limit);
  }

  async reseal(): Promise<SealedKey> {
    return this.parts.custody.reseal();
  }

  async landing(operationUuid: Uuid): Promise<LandingState> {
    await this.parts.custody.unlock();
    return this.parts.landing.of(operationUuid);
  }

  async reconcile(): Promise<void> {
    await this.parts.custody.unlock();
    await this.parts.landing.noteRestoration();
    await this.parts.observer.lookAgain();
    await this.#go();
    await this.parts.alarm.wake();
  }

  override async alarm(): Promise<void> {
    await this.parts.alarm.ring();
  }

  async #go(): Promise<void> {
    await this.parts.alarm.arm();
    this.parts.driver.wake();
  }
}

/** Subtracts, with 0 as the minimum. */
const above = (amount: bigint, taken: bigint): bigint => (amount > taken ? amount - taken : 0n);
