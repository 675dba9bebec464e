import { DurableObject } from "cloudflare:workers";
import { pendingResult } from "../chain/outcome.ts";
import { connect } from "../chain/rpc.ts";
import { keyFromSeed, seedFromText } from "../chain/transaction.ts";
import { accountBalance } from "../chain/views.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import { toHex, type Uuid } from "../domain/ids.ts";
import { type Bindings, type Settings, settingsOf } from "../env.ts";
import { Alarm, OPEN_EVERY_MS } from "./alarm.ts";
import type { WalletContext } from "./context.ts";
import { Dispatcher } from "./dispatch.ts";
import { Driver } from "./driver.ts";
import { Funds } from "./funds.ts";
import { Head } from "./head.ts";
import type {
  Intent,
  SealedKey,
  StuckRecord,
  SubmitResult,
  TransactionRecord,
  Wallet,
  WalletStatus,
} from "./interface.ts";
import { Journal, toSealedKey } from "./journal/journal.ts";
import { Keyring, MAIN_LANE } from "./keys.ts";
import { identityOf, Observer } from "./observe.ts";
import { seal, unseal } from "./sealing.ts";
import { isOlder, Submission } from "./submit.ts";
import { Waiters } from "./waiters.ts";

/** Name of the platform account's object, whose key comes from a secret. */
export const PLATFORM = "platform";

/** Left free above the chain's nonce after a restoration: what the lost object may have signed dies by our first row. */
const RESTORED_NONCE_GAP = 100_000;
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
/** How many rows that were given up one reconciliation looks at again. */
const REOPENED_AT_ONCE = 5;

/**
 * The wallet of an integration, or the platform's: the only holder of its key. Its methods are thin; the journal is
 * the truth, `lanes.ts` and `rules.ts` decide, `Dispatcher` signs and `Observer` asks. See docs/transactions.md.
 */
export class IntegrationWallet extends DurableObject<Bindings> implements Wallet {
  readonly #settings: Settings;
  readonly #journal: Journal;
  readonly #wallet: WalletContext;
  readonly #driver: Driver;
  readonly #submission: Submission;
  readonly #alarm: Alarm;
  #keyring: Keyring | null = null;

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
        console.log(
          JSON.stringify({ time: new Date().toISOString(), event, wallet: ctx.id.toString(), ...fields }),
        ),
      at: (point) => checkpoint(point, () => ctx.abort(`killed at ${point}`)),
      committed: () => ctx.storage.sync(),
      arm: () => this.#alarm.arm(OPEN_EVERY_MS),
      signing: () => this.#signing(),
    };
    const dispatcher = new Dispatcher(wallet);
    this.#wallet = wallet;
    this.#driver = new Driver(wallet, dispatcher, new Observer(wallet, dispatcher));
    this.#submission = new Submission(wallet);
    this.#alarm = new Alarm(ctx, wallet, this.#driver);
  }

  /** Opens the key, once an instance. The platform's is imported from its secret, again when that changes. */
  async #unlock(): Promise<void> {
    if (this.#keyring !== null) return;
    if (this.#isPlatform) await this.#importPlatform();
    if (this.#journal.wallet() === null) return;
    const wallet = this.#known(null);
    const seed = await unseal(wallet.sealed, wallet.accountId, this.#settings.WALLET_SECRETS);
    this.#keyring ??= new Keyring(seed);
  }

  /** Takes the key of the settings. Another one than before waits until no row that the old one signed is open. */
  async #importPlatform(): Promise<void> {
    const { PLATFORM_ACCOUNT_ID: accountId, PLATFORM_PRIVATE_KEY } = this.#settings;
    const seed = seedFromText(PLATFORM_PRIVATE_KEY);
    const wallet = this.#journal.wallet();
    if (wallet === null) return this.#enter(accountId, seed, "active", null);
    const keyring = new Keyring(seed);
    const { publicKey } = keyring.of(MAIN_LANE);
    if (wallet.accountId === accountId && toHex(wallet.publicKey) === toHex(publicKey)) return;
    this.#wallet.log("wallet.platform_key_differs", { account_id: accountId });
    const sealed = await seal(seed, accountId, this.#settings.WALLET_SECRETS);
    if (this.#journal.intents.counts().open > 0 || this.#keyring !== null) return;
    this.#journal.atomically(() => {
      const number = this.#journal.replaceKey({ accountId, publicKey, sealed });
      const text = keyring.textOf(MAIN_LANE);
      if (!this.#journal.lanes.returned(text)) this.#addMainLane(`${MAIN_LANE}:${number}`, text, 0);
    });
  }

  #addMainLane(id: string, publicKey: string, nonceGap: number): void {
    const kind = "full_access";
    this.#journal.lanes.add({ id, publicKey, kind, receiverId: null, methods: [], addedBy: null, nonceGap });
  }

  get #isPlatform(): boolean {
    return this.env.WALLET.idFromName(PLATFORM).equals(this.ctx.id);
  }

  #signing(): { accountId: string; keyring: Keyring } | null {
    const wallet = this.#journal.wallet();
    if (wallet?.state !== "active" || this.#keyring === null) return null;
    return { accountId: wallet.accountId, keyring: this.#keyring };
  }

  /** Seals a seed and enters it as the wallet's key, unless another call did so meanwhile. */
  async #enter(
    accountId: string,
    seed: Uint8Array,
    state: "prepared" | "active" | "restored",
    restoredAt: number | null,
  ): Promise<void> {
    const sealed = await seal(seed, accountId, this.#settings.WALLET_SECRETS);
    if (this.#journal.wallet() !== null) return;
    const { publicKey } = keyFromSeed(seed);
    const text = new Keyring(seed).textOf(MAIN_LANE);
    this.#journal.atomically(() => {
      this.#journal.enter({ accountId, publicKey, sealed, state, restoredAt });
      this.#addMainLane(MAIN_LANE, text, restoredAt === null ? 0 : RESTORED_NONCE_GAP);
    });
    this.#wallet.at("wallet.key_entered");
  }

  async prepareKey(accountId: string): Promise<SealedKey> {
    await this.#unlock();
    if (this.#journal.wallet() === null) {
      await this.#enter(accountId, crypto.getRandomValues(new Uint8Array(32)), "prepared", null);
      await this.#unlock();
    }
    return toSealedKey(this.#known(accountId));
  }

  async activate(): Promise<void> {
    await this.#unlock();
    this.#known(null);
    this.#journal.activate();
    await this.#go();
  }

  async restore(accountId: string, sealed: Uint8Array, secretVersion: number): Promise<SealedKey> {
    await this.#unlock();
    if (this.#journal.wallet() === null) {
      const copy = { bytes: sealed, version: secretVersion };
      const seed = await unseal(copy, accountId, this.#settings.WALLET_SECRETS);
      await this.#enter(accountId, seed, "restored", Date.now());
      await this.#unlock();
    }
    return toSealedKey(this.#known(accountId));
  }

  async submit(intent: Intent): Promise<SubmitResult> {
    await this.#unlock();
    const result = await this.#submission.submit(intent);
    if (result.status === "accepted") this.#driver.poke();
    return result;
  }

  async withdraw(operationUuid: Uuid, journaled: number, fresh = false): Promise<boolean> {
    const { intents, operations } = this.#journal;
    if (operations.isWithdrawn(operationUuid)) return true;
    const wallet = this.#journal.wallet();
    if (!fresh && (wallet === null || isOlder(operationUuid, wallet.restoredAt))) return false;
    const rows = intents.records(operationUuid).length;
    if (rows !== journaled || !intents.isOver(operationUuid)) return false;
    operations.withdraw(operationUuid, rows, Date.now());
    return true;
  }

  async transactions(operationUuid: Uuid): Promise<TransactionRecord[]> {
    await this.#unlock();
    this.#driver.keepOn();
    return this.#records(operationUuid);
  }

  async settled(operationUuid: Uuid, timeoutMs: number): Promise<TransactionRecord[]> {
    await this.#unlock();
    this.#driver.keepOn();
    const until = Date.now() + timeoutMs;
    while (!this.#journal.intents.isOver(operationUuid) && Date.now() < until) {
      await this.#wallet.waiters.wait(operationUuid, until - Date.now());
    }
    return this.#records(operationUuid);
  }

  async acknowledge(operationUuid: Uuid): Promise<void> {
    this.#journal.operations.acknowledge(operationUuid, Date.now());
    await this.#alarm.arm(Number.POSITIVE_INFINITY);
  }

  async status(): Promise<WalletStatus> {
    await this.#unlock();
    const wallet = this.#journal.wallet();
    if (wallet === null) return EMPTY;
    const balance = await accountBalance(this.#wallet.rpc, wallet.accountId).catch(() => null);
    return {
      state: wallet.state,
      accountId: wallet.accountId,
      publicKey: wallet.publicKey,
      balance: balance === null ? null : balance.total.toString(),
      lanes: this.#journal.lanes.all().map(({ publicKey, kind, open }) => ({ publicKey, kind, open })),
      ...this.#journal.intents.counts(),
      stuck: this.#stuck(0, STUCK_SHOWN).map(({ record }) => record),
    };
  }

  async stuck(after: number, limit: number): Promise<StuckRecord[] | null> {
    await this.#unlock();
    const wallet = this.#journal.wallet();
    return wallet === null || wallet.state === "restored" ? null : this.#stuck(after, limit);
  }

  #stuck(after: number, limit: number): StuckRecord[] {
    const rows = this.#journal.intents.stuck(Date.now() - STUCK_AFTER_MS, after, limit);
    return this.#withPending(rows).map((record, index) => ({ place: rows[index]!.id, record }));
  }

  async reseal(): Promise<SealedKey> {
    await this.#unlock();
    const wallet = this.#known(null);
    const seed = await unseal(wallet.sealed, wallet.accountId, this.#settings.WALLET_SECRETS);
    this.#journal.reseal(await seal(seed, wallet.accountId, this.#settings.WALLET_SECRETS));
    return toSealedKey(this.#known(null));
  }

  async reconcile(): Promise<void> {
    await this.#unlock();
    for (const { id } of this.#journal.intents.unknown(REOPENED_AT_ONCE)) this.#journal.signed.reopen(id);
    await this.#go();
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(() => this.#unlock());
  }

  async #go(): Promise<void> {
    await this.#alarm.arm();
    this.#driver.poke();
  }

  /** The wallet's row. @throws Error that says what is missing */
  #known(accountId: string | null) {
    const wallet = this.#journal.wallet();
    if (wallet === null) throw new Error("this wallet has no key yet: prepare or restore it first");
    if (accountId !== null && wallet.accountId !== accountId) {
      throw new Error(`this wallet is ${wallet.accountId}, not ${accountId}`);
    }
    return wallet;
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
