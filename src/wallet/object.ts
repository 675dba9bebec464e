import { DurableObject } from "cloudflare:workers";
import { connect } from "../chain/rpc.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import type { Uuid } from "../domain/ids.ts";
import { logLine } from "../domain/log-line.ts";
import { type Bindings, settingsOf } from "../env.ts";
import { Alarm, OPEN_EVERY_MS } from "./alarm.ts";
import { DisplayedBalance, Funds } from "./chain-state/funds.ts";
import { Head } from "./chain-state/head.ts";
import { Driver } from "./driver.ts";
import { Filing } from "./filing.ts";
import type {
  Acknowledgement,
  Intent,
  JournaledOperation,
  LandingState,
  RollbackCheck,
  SealedKey,
  SnapshotPosition,
  StuckRecord,
  SubmitResult,
  TransactionRecord,
  Wallet,
  WalletStatus,
} from "./interface.ts";
import { entryOf } from "./interface.ts";
import { Journal } from "./journal/journal.ts";
import { predates } from "./journal/snapshots.ts";
import { LaneGrowth } from "./lanes/growth.ts";
import { LaneKeys } from "./lanes/lane-keys.ts";
import { Endings } from "./observing/endings.ts";
import { Landing } from "./observing/landing.ts";
import { Looker } from "./observing/look.ts";
import { MintedTokens } from "./observing/minted-tokens.ts";
import { Observer } from "./observing/observe.ts";
import { Records } from "./records.ts";
import { RollbackGuard } from "./rollback-guard.ts";
import type { Runtime } from "./runtime.ts";
import { Custody } from "./signing/custody.ts";
import { Dispatcher } from "./signing/dispatch.ts";
import { StorageAhead } from "./storage-ahead.ts";
import { Submission } from "./submit.ts";
import { Waiters } from "./waiters.ts";
import { WholeJournal } from "./whole-journal.ts";

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
};

/** Acknowledged operations, and the calls waiting for an acknowledgement. */
class Acknowledgements {
  readonly #journal: Journal;
  readonly #waiters = new Waiters();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Records that the effects of these operations are written. */
  note(acknowledgements: readonly Acknowledgement[]): void {
    this.#journal.acknowledge(acknowledgements, Date.now());
    for (const { operationUuid } of acknowledgements) this.#waiters.notify(operationUuid);
  }

  /** Waits until the operation's effects are written or the timeout, and returns whether they are. Milliseconds. */
  async of(operation: string, timeoutMs: number): Promise<boolean> {
    const { operations } = this.#journal;
    if (operations.isAcknowledged(operation)) return true;
    return this.#waiters.wait(operation, timeoutMs);
  }
}

interface WithdrawalParts extends Runtime {
  readonly journal: Journal;
  readonly whole: WholeJournal;
}

/** Closes operations to further steps (docs/transactions.md, "The alarm and operations"). */
class Withdrawal {
  readonly #parts: WithdrawalParts;

  constructor(parts: WithdrawalParts) {
    this.#parts = parts;
  }

  /** As `Wallet.withdraw`. An ended operation in a file accepts no further steps anyway. */
  async of(...[operation, journaled, isNew, states]: Parameters<Wallet["withdraw"]>): Promise<boolean> {
    const { journal, whole, now } = this.#parts;
    const { intents, operations } = journal;
    const records = intents.records(operation).map(({ record }) => record);
    const filed = records.length > 0 ? null : await whole.filed(operation);
    if (filed !== null) return filed.records.length === journaled && areIn(filed.records, states);
    if (records.length !== journaled) return false;
    if (operations.isWithdrawn(operation)) return true;
    const wallet = journal.wallet();
    if (!isNew && (wallet === null || predates(operation, wallet.restoredAt))) return false;
    if (!intents.isOver(operation) || !areIn(records, states)) return false;
    operations.withdraw(operation, journaled, now());
    return true;
  }
}

/** Whether the records are in the states that a decision was based on. */
const areIn = (
  records: readonly TransactionRecord[],
  states: readonly TransactionRecord["state"][] = [],
): boolean => states.every((state, index) => records[index]?.state === state);

/** Name of the platform account's object; its key comes from a secret. */
export const PLATFORM = "platform";

/** Number of stuck rows in the wallet's status. */
const STUCK_SHOWN = 100;

/**
 * The wallet of an integration or of the platform, and the only holder of its key. Its methods are thin: the journal is
 * the source of truth, `lanes.ts` and `rules.ts` decide, `Dispatcher` signs, `Observer` polls. See
 * docs/transactions.md.
 */
export class IntegrationWallet extends DurableObject<Bindings> implements Wallet {
  readonly #funds: Funds;
  readonly #balance: DisplayedBalance;
  readonly #records: Records;
  readonly #journal: Journal;
  readonly #whole: WholeJournal;
  readonly #custody: Custody;
  readonly #observer: Observer;
  readonly #driver: Driver;
  readonly #rollbackGuard: RollbackGuard;
  readonly #submission: Submission;
  readonly #withdrawal: Withdrawal;
  readonly #landing: Landing;
  readonly #alarm: Alarm;
  readonly #acknowledgements: Acknowledgements;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    const settings = settingsOf(env);
    const journal = new Journal(ctx.storage);
    const rpc = connect(settings);
    const waiters = new Waiters();
    const runtime: Runtime = {
      now: () => Date.now(),
      log: (event, fields) =>
        console.log(logLine(new Date(), event, { wallet: ctx.id.toString(), ...fields })),
      at: (point) => checkpoint(point, () => ctx.abort(`killed at ${point}`)),
    };
    const mintedTokens = new MintedTokens({ ...runtime, rpc });
    const whole = new WholeJournal({ ...runtime, journal, bucket: env.BUCKET, settings });
    const records = new Records({
      journal,
      whole,
      waiters,
      mintedTokens,
      explorerUrl: settings.EXPLORER_URL ?? null,
    });
    const head = new Head(rpc, runtime.now);
    const funds = new Funds(rpc, runtime.now);
    const isPlatform = env.WALLET.idFromName(PLATFORM).equals(ctx.id);
    const custody = new Custody({ ...runtime, journal, settings, isPlatform });
    const signing = () => custody.signing();
    const maySign = () => custody.signing() !== null;
    const keys = new LaneKeys({ ...runtime, journal, rpc, head, maySign });
    const growth = new LaneGrowth({ ...runtime, journal, settings, head, funds, signing });
    const committed = () => ctx.storage.sync();
    const dispatcher = new Dispatcher({
      ...{ ...runtime, journal, rpc, settings, head },
      ...{ funds, waiters, custody, growth, committed },
    });
    const endings = new Endings({
      ...{ ...runtime, journal, rpc, records, head },
      ...{ funds, waiters, mintedTokens, grown: () => growth.grown() },
    });
    const looker = new Looker({ ...runtime, journal, rpc, head, dispatcher, endings, keys });
    const observer = new Observer({ ...runtime, journal, head, dispatcher, looker, keys });
    const driver = new Driver({ ...runtime, journal, head, keys, dispatcher, observer, maySign });
    const rollbackGuard = new RollbackGuard({ ...runtime, snapshots: journal.snapshots });
    const filing = new Filing({ ...runtime, ctx, journal, bucket: env.BUCKET, settings, driver });
    const alarm = new Alarm({ ...runtime, ctx, journal, filing, driver, rollbackGuard, custody });
    const arm = () => alarm.arm(OPEN_EVERY_MS);
    const storage = new StorageAhead({ ...runtime, journal, funds, entry: entryOf(ctx) });
    this.#submission = new Submission({
      ...{ ...runtime, journal, whole, settings, head },
      ...{ funds, rollbackGuard, storage, arm },
    });
    this.#withdrawal = new Withdrawal({ ...runtime, journal, whole });
    this.#landing = new Landing({ ...runtime, journal, rpc, head });
    this.#funds = funds;
    this.#balance = new DisplayedBalance(rpc, runtime.now);
    this.#records = records;
    this.#journal = journal;
    this.#whole = whole;
    this.#custody = custody;
    this.#observer = observer;
    this.#driver = driver;
    this.#rollbackGuard = rollbackGuard;
    this.#alarm = alarm;
    this.#acknowledgements = new Acknowledgements(journal);
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

  async restore(...sealed: Parameters<Wallet["restore"]>): Promise<SealedKey> {
    return this.#custody.restore(...sealed);
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
      : { ...result, records: await this.#records.of(intent.operationUuid, until) };
  }

  async withdraw(...operation: Parameters<Wallet["withdraw"]>): Promise<boolean> {
    return this.#withdrawal.of(...operation);
  }

  async transactions(operationUuid: Uuid): Promise<TransactionRecord[]> {
    return this.recordsAtEnd(operationUuid, 0);
  }

  async recordsAtEnd(operationUuid: Uuid, timeoutMs: number): Promise<TransactionRecord[]> {
    const until = Date.now() + timeoutMs;
    await this.#custody.unlock();
    this.#driver.keepOn();
    return this.#records.of(operationUuid, until);
  }

  async acknowledgeAll(acknowledgements: readonly Acknowledgement[]): Promise<void> {
    this.#acknowledgements.note(acknowledgements);
    await this.#alarm.arm(Number.POSITIVE_INFINITY);
  }

  async acknowledged(operationUuid: Uuid, timeoutMs: number): Promise<boolean> {
    return this.#acknowledgements.of(operationUuid, timeoutMs);
  }

  async rollbackCheck(): Promise<RollbackCheck> {
    await this.#custody.unlock();
    const { generation } = this.#journal.snapshots;
    return { state: this.#state(), latest: this.#journal.snapshots.latest(), generation };
  }

  async databaseLacks(missing: Uuid, generation: number): Promise<void> {
    this.#rollbackGuard.lacks(missing, generation);
  }

  async journaled(after: readonly Uuid[] | SnapshotPosition, limit: number): Promise<JournaledOperation[]> {
    return this.#whole.after(after, limit);
  }

  async journaledOf(operations: readonly Uuid[]): Promise<JournaledOperation[]> {
    return this.#whole.of(operations);
  }

  async lose(operationUuid: Uuid): Promise<void> {
    this.#journal.snapshots.lose(operationUuid);
    this.#journal.operations.acknowledge(operationUuid, Date.now());
  }

  async recovered(): Promise<void> {
    this.#rollbackGuard.recovered();
  }

  /** The wallet's state as the operator sees it. */
  #state(): WalletStatus["state"] {
    const state = this.#journal.wallet()?.state ?? "empty";
    if (state !== "active") return state;
    if (this.#journal.snapshots.behind !== null) return "behind";
    return this.#journal.lanes.missing() === null ? "active" : "locked_out";
  }

  /**
   * Changes whenever the wallet itself may have spent something: amounts queued and open, and the number of ended
   * transactions.
   */
  #spending(): string {
    const { queued, open } = this.#journal.intents.reserved();
    return `${queued} ${open} ${this.#funds.endings}`;
  }

  async status(maxAgeMs = 0): Promise<WalletStatus> {
    await this.#custody.unlock();
    this.#driver.keepOn();
    await this.#alarm.arm();
    const wallet = this.#journal.wallet();
    if (wallet === null) return EMPTY;
    const { accountId } = wallet;
    const balance = await this.#balance.read({ accountId, state: this.#spending(), maxAgeMs });
    const { queued, open } = this.#journal.intents.reserved();
    return {
      state: this.#state(),
      accountId: wallet.accountId,
      publicKey: wallet.publicKey,
      balance: balance === null ? null : balance.total.toString(),
      height: balance?.height ?? null,
      available: balance === null ? null : above(balance.available, queued + open).toString(),
      spentPerDay: this.#journal.spending.perDay(Date.now()).toString(),
      lanes: this.#journal.lanes.all().map(({ publicKey, kind, open }) => ({ publicKey, kind, open })),
      ...this.#journal.intents.counts(),
      stuck: this.#records.stuck(0, STUCK_SHOWN).map(({ record }) => record),
    };
  }

  async spentToday(): Promise<string> {
    return this.#journal.spending.of(Date.now()).toString();
  }

  async stuck(after: number, limit: number): Promise<StuckRecord[] | null> {
    await this.#custody.unlock();
    const wallet = this.#journal.wallet();
    return wallet === null || wallet.state === "restored" ? null : this.#records.stuck(after, limit);
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
    await this.#alarm.ring();
  }

  async #go(): Promise<void> {
    await this.#alarm.arm();
    this.#driver.poke();
  }
}

/** Subtracts, with 0 as the minimum. */
const above = (amount: bigint, taken: bigint): bigint => (amount > taken ? amount - taken : 0n);
