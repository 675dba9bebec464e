import { type Uuid, uuidFromBytes, uuidToBytes } from "../domain/ids.ts";
import { within } from "../waiting.ts";
import type { KnownToD1 } from "./d1-row.ts";
import type { Journal } from "./journal/journal.ts";
import type { LaneKeys } from "./lanes/lane-keys.ts";
import type { Outbox } from "./outbox.ts";
import type { Runtime } from "./runtime.ts";
import { RESTORED_NONCE_GAP } from "./signing/custody.ts";

interface GuardParts extends Runtime {
  readonly storage: DurableObjectStorage;
  readonly outbox: Outbox;
  readonly journal: Journal;
  readonly keys: Pick<LaneKeys, "isOvertaken">;
  /** No operator restores the platform's wallet: it continues, and what it may have signed becomes unknown. */
  readonly isPlatform: boolean;
}

/** How long a ledger that isn't empty waits for D1 before it signs and writes. Milliseconds. */
const CHECK_MS = 2_000;
/** How often it asks a D1 that gave no answer, and one that did. Milliseconds. */
const ASK_AGAIN_MS = 10_000;
const VERIFY_EVERY_MS = 600_000;
/** More events than a ledger inserts between a copy of D1 from which it is restored, and its loss. */
const EVENTS_GAP = 1_000_000_000;

/** Keeps a ledger that was emptied or set back from accepting or signing anything. */
export class Guard {
  readonly #parts: GuardParts;
  #started: Promise<void> | null = null;
  #comparing: Promise<unknown> | null = null;
  #isStarted = false;
  #isCompared = false;
  /** When D1 is asked next; null: it is being asked. */
  #askAt: number | null = 0;
  /** Cached values of `integrationId` and `isSetBack`; null: to be read. */
  #integrationId: Uuid | null = null;
  #isSetBack: boolean | null = null;

  constructor(parts: GuardParts) {
    this.#parts = parts;
  }

  /** Names the ledger, and compares it with what D1 knows before it writes for the first time. */
  async ready(integrationId: Uuid): Promise<void> {
    if (this.integrationId === null)
      this.#parts.storage.sql.exec("UPDATE meta SET integration_id = ?", uuidToBytes(integrationId));
    // Only what signs waits for the chain.
    void this.start();
    await this.compare();
    // An empty ledger may have been emptied.
    if (!this.#isCompared && this.isEmpty) await this.#verify();
  }

  /**
   * Compares it once an instance with D1, and its keys' nonces with the chain, on which none can be higher: a row is on disk
   * before it is sent. If D1 doesn't answer, a ledger that isn't empty continues, and asks again. Never rejects.
   */
  async start(): Promise<void> {
    this.#started ??= this.#start();
    await this.#started;
    const isDue = this.#askAt !== null && this.#askAt <= this.#parts.now();
    if (isDue && this.integrationId !== null) void this.#verify().catch(() => undefined);
  }

  /** Asks D1 once an instance what it knows, and waits for a while. Never rejects. */
  async compare(): Promise<void> {
    if (this.integrationId === null) return;
    this.#comparing ??= within(
      CHECK_MS,
      this.#verify().catch(() => undefined),
    );
    await this.#comparing;
  }

  /** Whether it was compared with the chain, and with D1 unless that didn't answer in time: else nothing is signed. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  async #start(): Promise<void> {
    const { keys, isPlatform, log } = this.#parts;
    try {
      const [overtaken] = await Promise.all([!this.isSetBack && keys.isOvertaken(), this.compare()]);
      if (overtaken && isPlatform) this.#suspectPlatform();
      else if (overtaken && !this.isSetBack) this.setBack(null);
      this.#isStarted = true;
    } catch (error) {
      // Without the chain nothing can be signed anyway.
      this.#started = null;
      log("ledger.unchecked", { error });
    }
  }

  /** Its key was used in a time that the journal has forgotten or, which looks the same, elsewhere by the operator. */
  #suspectPlatform(): void {
    const { journal, log, now } = this.#parts;
    log("wallet.platform_set_back", {});
    journal.atomically(() => journal.suspectLoss(now(), RESTORED_NONCE_GAP, "active"));
  }

  async #verify(): Promise<void> {
    const { outbox, log, now } = this.#parts;
    this.#askAt = null;
    try {
      await outbox.verify();
      this.#isCompared = true;
      this.#askAt = now() + VERIFY_EVERY_MS;
    } catch (error) {
      this.#askAt = now() + ASK_AGAIN_MS;
      log("ledger.unchecked", { error });
      throw error;
    }
  }

  /** Whether nothing was ever written to the ledger, or it was emptied. */
  get isEmpty(): boolean {
    return this.#parts.storage.sql.exec("SELECT 1 FROM meta WHERE version = 0").toArray().length > 0;
  }

  /** The integration whose ledger it is; null: none has asked yet, or it is the platform's wallet. */
  get integrationId(): Uuid | null {
    this.#integrationId ??= this.#readId();
    return this.#integrationId;
  }

  #readId(): Uuid | null {
    const { id } = this.#parts.storage.sql
      .exec<{ id: ArrayBuffer | null }>("SELECT integration_id AS id FROM meta")
      .one();
    return id === null ? null : uuidFromBytes(new Uint8Array(id));
  }

  /** Whether the ledger has forgotten something, and may accept nothing. */
  get isSetBack(): boolean {
    const { sql } = this.#parts.storage;
    this.#isSetBack ??= sql.exec("SELECT 1 FROM meta WHERE forgot_version IS NOT NULL").toArray().length > 0;
    return this.#isSetBack;
  }

  /** Whether the ledger was restored from D1 and R2 since it forgot something. */
  get isRestored(): boolean {
    const { storage } = this.#parts;
    return storage.sql.exec("SELECT 1 FROM meta WHERE is_restored = 1").toArray().length > 0;
  }

  /** The operator has activated it: numbers continue above all that was known. */
  settle(): void {
    this.#isSetBack = null;
    this.#parts.storage.sql.exec(
      "UPDATE meta SET version = max(version, coalesce(forgot_version, 0)) + 1, forgot_version = NULL WHERE forgot_version IS NOT NULL",
    );
  }

  /** The ledger has forgotten what D1 or, if null, the chain knows: it signs nothing until the operator activates it. */
  setBack(known: KnownToD1 | null): void {
    const { storage, journal, log, now } = this.#parts;
    log("ledger.set_back", { ...known });
    this.#isSetBack = null;
    void this.#parts.outbox.reportInactive();
    journal.atomically(() => {
      const { sql } = storage;
      journal.suspectLoss(now(), RESTORED_NONCE_GAP);
      if (known === null) {
        sql.exec(
          "UPDATE meta SET forgot_version = version, is_restored = 0, restore_cursor = NULL, events_seq = events_seq + ?",
          EVENTS_GAP,
        );
        return;
      }
      // What was noted since has numbers that D1 takes for sent.
      sql.exec("UPDATE outbox SET id = -id WHERE id > (SELECT sent_entry FROM meta)");
      sql.exec("UPDATE outbox SET id = ? - id WHERE id < 0", known.entry);
      // Readers of events and the outbox may hold numbers that the ledger has forgotten.
      sql.exec(
        `UPDATE meta SET forgot_version = ?, is_restored = 0, restore_cursor = NULL, events_seq = max(events_seq, ?), sent_entry = ?, sent_version = ?,
           sent_flush = ?, sent_tag = ?, next_tag = NULL`,
        known.version,
        known.eventsSeq + EVENTS_GAP,
        known.entry,
        known.version,
        known.flush,
        known.flushTag,
      );
      sql.exec(
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'outbox', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'outbox')",
      );
      sql.exec(
        "UPDATE sqlite_sequence SET seq = max(seq, ?, (SELECT coalesce(max(id), 0) FROM outbox)) WHERE name = 'outbox'",
        known.entry,
      );
    });
  }
}
