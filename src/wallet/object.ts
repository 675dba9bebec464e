import { DurableObject } from "cloudflare:workers";
import { pendingResult } from "../chain/outcome.ts";
import { connect } from "../chain/rpc.ts";
import { accountBalance } from "../chain/views.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import type { Uuid } from "../domain/ids.ts";
import { logLine } from "../domain/log-line.ts";
import { type Bindings, type Settings, settingsOf } from "../env.ts";
import { Alarm, OPEN_EVERY_MS } from "./alarm.ts";
import type { WalletContext } from "./context.ts";
import { Driver } from "./driver.ts";
import { Funds } from "./funds.ts";
import type {
  Ending,
  Intent,
  JournaledOperation,
  LandingState,
  OriginPlace,
  SealedKey,
  StuckRecord,
  SubmitResult,
  Testimony,
  TransactionRecord,
  Wallet,
  WalletStatus,
} from "./interface.ts";
import { Journal } from "./journal/journal.ts";
import { Lineage } from "./lineage.ts";
import { identityOf } from "./observing/endings.ts";
import { Head } from "./observing/head.ts";
import { Landing } from "./observing/landing.ts";
import { Observer } from "./observing/observe.ts";
import { Custody } from "./signing/custody.ts";
import { Dispatcher } from "./signing/dispatch.ts";
import { isOlder, Submission } from "./submit.ts";
import { Waiters } from "./waiters.ts";

/** Name of the platform account's object, whose key comes from a secret. */
export const PLATFORM = "platform";

/** A row that is open for longer is shown to the operator as stuck. Milliseconds. */
const STUCK_AFTER_MS = 120_000;
/** Stuck rows that the wallet's status shows. */
const STUCK_SHOWN = 100;
/** Status of an object that has no key. */
const EMPTY: WalletStatus = {
  state: "empty",
  accountId: "",
  publicKey: new Uint8Array(),
  balance: null,
  lanes: [],
  queued: 0,
  open: 0,
  stuck: [],
};

/**
 * The wallet of an integration, or the platform's: the only holder of its key. Its methods are thin; the journal is
 * the truth, `lanes.ts` and `rules.ts` decide, `Dispatcher` signs and `Observer` asks. See docs/transactions.md.
 */
export class IntegrationWallet extends DurableObject<Bindings> implements Wallet {
  readonly #settings: Settings;
  readonly #journal: Journal;
  readonly #wallet: WalletContext;
  readonly #observer: Observer;
  readonly #driver: Driver;
  readonly #lineage: Lineage;
  readonly #submission: Submission;
  readonly #alarm: Alarm;
  readonly #custody: Custody;
  readonly #landing: Landing;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    this.#settings = settingsOf(env);
    this.#journal = new Journal(ctx.storage);
    const now = () => Date.now();
    const rpc = connect(this.#settings);
    const wallet: WalletContext = {
      journal: this.#journal,
      rpc,
      settings: this.#settings,
      head: new Head(rpc, now),
      funds: new Funds(rpc, now),
      waiters: new Waiters(),
      now,
      log: (event, fields) =>
        console.log(logLine(new Date(), event, { wallet: ctx.id.toString(), ...fields })),
      at: (point) => checkpoint(point, () => ctx.abort(`killed at ${point}`)),
      committed: () => ctx.storage.sync(),
      arm: () => this.#alarm.arm(OPEN_EVERY_MS),
      signing: () => this.#custody.signing(),
    };
    const dispatcher = new Dispatcher(wallet);
    this.#wallet = wallet;
    this.#custody = new Custody(wallet, env.WALLET.idFromName(PLATFORM).equals(ctx.id));
    this.#landing = new Landing(wallet);
    this.#observer = new Observer(wallet, dispatcher);
    this.#driver = new Driver(wallet, dispatcher, this.#observer);
    this.#lineage = new Lineage(wallet);
    this.#submission = new Submission(wallet, this.#lineage);
    this.#alarm = new Alarm(ctx, wallet, this.#driver, this.#lineage);
  }

  async prepareKey(accountId: string): Promise<SealedKey> {
    return this.#custody.prepare(accountId);
  }

  async activate(): Promise<void> {
    await this.#custody.unlock();
    this.#custody.known(null);
    this.#journal.activate();
    await this.#go();
  }

  async restore(accountId: string, sealed: Uint8Array, secretVersion: number): Promise<SealedKey> {
    return this.#custody.restore(accountId, sealed, secretVersion);
  }

  async submit(intent: Intent, waitMs?: number): Promise<SubmitResult> {
    const until = Date.now() + (waitMs ?? 0);
    await this.#custody.unlock();
    const result = await this.#submission.submit(intent);
    if (result.status !== "accepted") {
      this.#driver.keepOn();
      return result;
    }
    this.#driver.poke();
    return waitMs === undefined
      ? result
      : { ...result, records: await this.#over(intent.operationUuid, until) };
  }

  async withdraw(
    operationUuid: Uuid,
    journaled: number,
    fresh = false,
    states?: readonly TransactionRecord["state"][],
  ): Promise<boolean> {
    const { intents, operations } = this.#journal;
    if (operations.isWithdrawn(operationUuid)) return true;
    const wallet = this.#journal.wallet();
    if (!fresh && (wallet === null || isOlder(operationUuid, wallet.restoredAt))) return false;
    const rows = intents.records(operationUuid);
    if (rows.length !== journaled || !intents.isOver(operationUuid)) return false;
    if (states?.some((state, index) => rows[index]?.record.state !== state)) return false;
    operations.withdraw(operationUuid, journaled, Date.now());
    return true;
  }

  async transactions(operationUuid: Uuid): Promise<TransactionRecord[]> {
    await this.#custody.unlock();
    this.#driver.keepOn();
    return this.#records(operationUuid);
  }

  async settled(operationUuid: Uuid, timeoutMs: number): Promise<TransactionRecord[]> {
    const until = Date.now() + timeoutMs;
    await this.#custody.unlock();
    this.#driver.keepOn();
    return this.#over(operationUuid, until);
  }

  /** The operation's records, once all are over or the time has come. Milliseconds since the epoch. */
  async #over(operationUuid: Uuid, until: number): Promise<TransactionRecord[]> {
    while (!this.#journal.intents.isOver(operationUuid) && Date.now() < until) {
      await this.#wallet.waiters.wait(operationUuid, until - Date.now());
    }
    return this.#records(operationUuid);
  }

  async acknowledge(operationUuid: Uuid, ending?: Ending): Promise<void> {
    const { operations, origins } = this.#journal;
    operations.acknowledge(operationUuid, Date.now());
    if (ending) origins.end(operationUuid, ending);
    await this.#alarm.arm(Number.POSITIVE_INFINITY);
  }

  async testimony(): Promise<Testimony> {
    await this.#custody.unlock();
    const { era } = this.#journal.origins;
    return { state: this.#state(), witness: this.#journal.origins.witness(), era };
  }

  async databaseLacks(witness: Uuid, era: number): Promise<void> {
    this.#lineage.lacks(witness, era);
  }

  async journaled(after: readonly Uuid[] | OriginPlace, limit: number): Promise<JournaledOperation[]> {
    return this.#lineage.after(after, limit);
  }

  async journaledOf(operations: readonly Uuid[]): Promise<JournaledOperation[]> {
    return this.#journal.origins.of(operations);
  }

  async lose(operationUuid: Uuid): Promise<void> {
    this.#journal.origins.lose(operationUuid);
    this.#journal.operations.acknowledge(operationUuid, Date.now());
  }

  async recovered(): Promise<void> {
    this.#lineage.recovered();
  }

  /** The wallet's state as the operator sees it. */
  #state(): WalletStatus["state"] {
    const state = this.#journal.wallet()?.state ?? "empty";
    if (state !== "active") return state;
    if (this.#journal.origins.behind !== null) return "behind";
    return this.#journal.lanes.missing() === null ? "active" : "locked_out";
  }

  async status(): Promise<WalletStatus> {
    await this.#custody.unlock();
    this.#driver.keepOn();
    const wallet = this.#journal.wallet();
    if (wallet === null) return EMPTY;
    const balance = await accountBalance(this.#wallet.rpc, wallet.accountId).catch(() => null);
    const { queued, open } = this.#journal.intents.reserved();
    return {
      state: this.#state(),
      accountId: wallet.accountId,
      publicKey: wallet.publicKey,
      balance: balance === null ? null : balance.total.toString(),
      available: balance === null ? null : above(balance.available, queued + open).toString(),
      lanes: this.#journal.lanes.all().map(({ publicKey, kind, open }) => ({ publicKey, kind, open })),
      ...this.#journal.intents.counts(),
      stuck: this.#stuck(0, STUCK_SHOWN).map(({ record }) => record),
    };
  }

  async stuck(after: number, limit: number): Promise<StuckRecord[] | null> {
    await this.#custody.unlock();
    const wallet = this.#journal.wallet();
    return wallet === null || wallet.state === "restored" ? null : this.#stuck(after, limit);
  }

  #stuck(after: number, limit: number): StuckRecord[] {
    const rows = this.#journal.intents.stuck(Date.now() - STUCK_AFTER_MS, after, limit);
    return this.#withPending(rows).map((record, index) => ({ place: rows[index]!.id, record }));
  }

  async reseal(): Promise<SealedKey> {
    return this.#custody.reseal();
  }

  async landing(operationUuid: Uuid): Promise<LandingState> {
    await this.#custody.unlock();
    return this.#landing.of(operationUuid);
  }

  async reconcile(): Promise<void> {
    await this.#custody.unlock();
    await this.#landing.noteRestoration();
    await this.#observer.lookAgain();
    await this.#go();
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(() => this.#custody.unlock());
  }

  async #go(): Promise<void> {
    await this.#alarm.arm();
    this.#driver.poke();
  }

  #records(operation: string): TransactionRecord[] {
    return this.#withPending(this.#journal.intents.records(operation));
  }

  /** Records of rows that are open show the transaction that was last signed. */
  #withPending(rows: readonly { id: number; record: TransactionRecord }[]): TransactionRecord[] {
    return rows.map(({ id, record }) => {
      const signed = record.state === "open" ? this.#journal.signed.lastOf(id) : null;
      if (signed === null) return record;
      return { ...record, result: pendingResult(identityOf(this.#wallet, { ...signed, intentId: id })) };
    });
  }
}

/** What remains of an amount, 0 where nothing does. */
const above = (amount: bigint, taken: bigint): bigint => (amount > taken ? amount - taken : 0n);
