import { keyFromSeed } from "../../chain/transaction.ts";
import { toHex } from "../../domain/ids.ts";
import { seal, unseal } from "../../domain/sealing.ts";
import type { Settings } from "../../env.ts";
import type { SealedKey } from "../interface.ts";
import { type Journal, toSealedKey, type WalletRow } from "../journal/journal.ts";
import { Keyring, MAIN_LANE, type Signing } from "../lanes/lane-keys.ts";
import type { Runtime } from "../runtime.ts";

/**
 * Gap above the chain's nonce after a restoration: our first row invalidates everything the lost object may have
 * signed.
 */
export const RESTORED_NONCE_GAP = 100_000;

interface CustodyParts extends Runtime {
  readonly journal: Journal;
  readonly settings: Pick<Settings, "WALLET_SECRETS" | "PLATFORM_ACCOUNT_ID" | "PLATFORM_PRIVATE_KEY">;
  /** The platform account's key comes from a secret in the settings. */
  readonly isPlatform: boolean;
  /** Nothing is signed before the object was compared with what others know of it. */
  readonly guard: () => { start(): Promise<void>; readonly isStarted: boolean };
}

/** Creates, imports, opens and seals the wallet's key. Nothing else in the object sees the seed. */
export class Custody {
  readonly #parts: CustodyParts;
  #keyring: Keyring | null = null;

  constructor(parts: CustodyParts) {
    this.#parts = parts;
  }

  /** Opens the key, once per instance. The platform's is imported from its secret, again when that changes. */
  async unlock(): Promise<void> {
    await this.#parts.guard().start();
    if (this.#keyring !== null) return;
    if (this.#parts.isPlatform) await this.#importPlatform();
    if (this.#parts.journal.wallet() === null) return;
    const seed = await this.#unseal(this.known(null));
    this.#keyring ??= new Keyring(seed);
  }

  /** The open keys of an active wallet; null while it may not sign. */
  signing(): Signing | null {
    const wallet = this.#parts.journal.wallet();
    if (wallet?.state !== "active" || this.#keyring === null || !this.#parts.guard().isStarted) return null;
    return { accountId: wallet.accountId, keyring: this.#keyring };
  }

  /** The wallet's row. @throws Error with the reason if there is none or it is another account's */
  known(accountId: string | null): WalletRow {
    const wallet = this.#parts.journal.wallet();
    if (wallet === null) throw new Error("this wallet has no key yet: prepare or restore it first");
    if (accountId !== null && wallet.accountId !== accountId) {
      throw new Error(`this wallet is ${wallet.accountId}, not ${accountId}`);
    }
    return wallet;
  }

  /** Creates a key if there is none. */
  async prepare(accountId: string): Promise<SealedKey> {
    await this.unlock();
    if (this.#parts.journal.wallet() === null) {
      await this.#enter(accountId, crypto.getRandomValues(new Uint8Array(32)), "prepared", null);
      await this.unlock();
    }
    return toSealedKey(this.known(accountId));
  }

  /**
   * Imports a sealed key if there is no key or only an unused one: the copy stored outside is the key that the account
   * has or will get.
   * @throws Error if it can't be opened
   */
  async restore(accountId: string, sealed: Uint8Array, secretVersion: number): Promise<SealedKey> {
    await this.unlock();
    const { journal, settings, now } = this.#parts;
    const state = journal.wallet()?.state ?? "empty";
    if (state === "empty" || state === "prepared") {
      const seed = await unseal(
        { bytes: sealed, version: secretVersion },
        accountId,
        settings.WALLET_SECRETS,
      );
      this.#discardOther(keyFromSeed(seed).publicKey);
      await this.#enter(accountId, seed, "restored", now());
      await this.unlock();
    }
    return toSealedKey(this.known(accountId));
  }

  #discardOther(publicKey: Uint8Array): void {
    const wallet = this.#parts.journal.wallet();
    if (wallet?.state !== "prepared" || toHex(wallet.publicKey) === toHex(publicKey)) return;
    this.#parts.journal.discard();
    this.#keyring = null;
  }

  /** Seals the key with the newest version of the secret. */
  async reseal(): Promise<SealedKey> {
    await this.unlock();
    const wallet = this.known(null);
    const seed = await this.#unseal(wallet);
    const { journal, settings } = this.#parts;
    journal.reseal(await seal(seed, wallet.accountId, settings.WALLET_SECRETS));
    return toSealedKey(this.known(null));
  }

  #unseal({ sealed, accountId }: WalletRow): Promise<Uint8Array> {
    return unseal(sealed, accountId, this.#parts.settings.WALLET_SECRETS);
  }

  /** Imports the key from the settings. A changed key is used once no row signed by the old one is open. */
  async #importPlatform(): Promise<void> {
    const { journal, settings, log } = this.#parts;
    const { PLATFORM_ACCOUNT_ID: accountId, PLATFORM_PRIVATE_KEY: seed } = settings;
    const wallet = journal.wallet();
    if (wallet === null) return this.#enter(accountId, seed, "active", null);
    const keyring = new Keyring(seed);
    const { publicKey } = keyring.of(MAIN_LANE);
    if (wallet.accountId === accountId && toHex(wallet.publicKey) === toHex(publicKey)) return;
    log("wallet.platform_key_differs", { account_id: accountId });
    const sealed = await seal(seed, accountId, settings.WALLET_SECRETS);
    if (journal.intents.counts().open > 0 || this.#keyring !== null) return;
    journal.atomically(() => {
      const number = journal.replaceKey({ accountId, publicKey, sealed });
      const text = keyring.textOf(MAIN_LANE);
      if (!journal.lanes.returned(text)) this.#addMainLane(`${MAIN_LANE}:${number}`, text, 0);
    });
  }

  /** Seals a seed and stores it as the wallet's key, unless a concurrent call did. */
  async #enter(
    accountId: string,
    seed: Uint8Array,
    state: "prepared" | "active" | "restored",
    restoredAt: number | null,
  ): Promise<void> {
    const { journal, settings, at } = this.#parts;
    const sealed = await seal(seed, accountId, settings.WALLET_SECRETS);
    if (journal.wallet() !== null) return;
    const { publicKey } = keyFromSeed(seed);
    const text = new Keyring(seed).textOf(MAIN_LANE);
    journal.atomically(() => {
      journal.enter({ accountId, publicKey, sealed, state, restoredAt });
      this.#addMainLane(MAIN_LANE, text, restoredAt === null ? 0 : RESTORED_NONCE_GAP);
    });
    at("wallet.key_entered");
  }

  #addMainLane(id: string, publicKey: string, nonceGap: number): void {
    const kind = "full_access";
    this.#parts.journal.lanes.add({
      id,
      publicKey,
      kind,
      receiverId: null,
      methods: [],
      addedBy: null,
      nonceGap,
    });
  }
}
