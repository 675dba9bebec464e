import { createHmac } from "node:crypto";
import { accessKeyNonces, type KeyNonces } from "../../chain/blocks.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import { keyFromSeed, publicKeyText, type SigningKey } from "../../chain/transaction.ts";
import type { Head } from "../chain-state/head.ts";
import type { Journal } from "../journal/journal.ts";
import type { SignedTransactionRow } from "../journal/signed.ts";
import type { Runtime } from "../runtime.ts";

/** How long a key is searched for, by the chain's clock, before it is reported as missing. Milliseconds. */
const SOUGHT_MS = 10_000;
/** First and longest pause between searches for a missing key. Milliseconds. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 60_000;

interface Sought {
  readonly lookAt: number;
  readonly pause: number;
  /** When it was first found missing; null before the first result. */
  readonly since: number | null;
}

/**
 * Schedules the search for keys that aren't known yet, for each key on its own, so that a long-missing key neither
 * delays the search for a new one nor shortens its time. Times are milliseconds since the epoch.
 */
export class KeySearch {
  readonly #sought = new Map<string, Sought>();

  /** When the first of these lanes' keys is searched next; null if there are no lanes. */
  next(lanes: readonly string[]): number | null {
    return lanes.length === 0 ? null : Math.min(...lanes.map((id) => this.#sought.get(id)?.lookAt ?? 0));
  }

  /** Whether a lane's key is due to be searched. */
  isDue(id: string, now: number): boolean {
    return (this.#sought.get(id)?.lookAt ?? 0) <= now;
  }

  /** Starts a search for a lane's key and schedules the next. */
  begin(id: string, now: number): void {
    const known = this.#sought.get(id);
    const pause = known?.pause ?? FIRST_PAUSE_MS;
    this.#sought.set(id, {
      lookAt: now + pause,
      pause: Math.min(pause * 2, LONGEST_PAUSE_MS),
      since: known?.since ?? null,
    });
  }

  /** Records that a search didn't find the key. */
  missed(id: string, now: number): void {
    const known = this.#sought.get(id);
    if (known) this.#sought.set(id, { ...known, since: known.since ?? now });
  }

  /** Ends the search for a lane's key. */
  end(id: string): void {
    this.#sought.delete(id);
  }

  /** Whether a key missing at a block of this time was searched for long enough. */
  isOver(id: string, blockTime: number): boolean {
    const since = this.#sought.get(id)?.since ?? null;
    return since !== null && blockTime >= since + SOUGHT_MS;
  }
}

/** Id of the lane with the wallet's own key, followed by a colon and a number after the key was replaced. */
export const MAIN_LANE = "main";
const isMain = (laneId: string): boolean => laneId === MAIN_LANE || laneId.startsWith(`${MAIN_LANE}:`);

/** A new lane's id: 16 random bytes as hex. Ids of deleted lanes, and so their keys, are never reused. */
export const newLaneId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );

/**
 * The wallet's keys while its object is in memory: its own, and one per lane, derived from the wallet's seed and the
 * lane's id (HMAC-SHA-256 as in HKDF-Expand, RFC 5869), so that one sealed seed restores all.
 */
export class Keyring {
  readonly #seed: Uint8Array;
  readonly #keys = new Map<string, SigningKey>();

  /** @param seed 32 bytes */
  constructor(seed: Uint8Array) {
    this.#seed = seed;
  }

  /** The key of a lane. */
  of(laneId: string): SigningKey {
    const known = this.#keys.get(laneId);
    if (known) return known;
    const seed = isMain(laneId)
      ? this.#seed
      : createHmac("sha256", this.#seed).update(`mintage lane ${laneId}\u0001`).digest();
    const key = keyFromSeed(new Uint8Array(seed));
    this.#keys.set(laneId, key);
    return key;
  }

  /** `ed25519:<base58>` of a lane's public key. */
  textOf(laneId: string): string {
    return publicKeyText(this.of(laneId).publicKey);
  }
}

/** The open keys of a wallet that may sign. */
export interface Signing {
  readonly accountId: string;
  readonly keyring: Keyring;
}

/**
 * An account's key at a final block, and that block's height. The nonce is null if the key is no longer on the account.
 * Null if it wasn't read, or the node is too far behind.
 */
export type KeySeen = { readonly nonce: number | null; readonly height: number } | null;

interface LaneKeysParts extends Runtime {
  readonly journal: Journal;
  readonly rpc: ChainRpc;
  readonly head: Head;
  /** Whether the wallet is active and its key is open. */
  readonly maySign: () => boolean;
}

/** Reads the keys of the wallet's lanes from the chain and updates the lanes. */
export class LaneKeys {
  readonly #parts: LaneKeysParts;
  readonly #search = new KeySearch();

  constructor(parts: LaneKeysParts) {
    this.#parts = parts;
  }

  /** When lanes with an unknown nonce are read next; null if there are none. Milliseconds since the epoch. */
  get lookAt(): number | null {
    return this.#search.next(this.#parts.journal.lanes.unread().map(({ id }) => id));
  }

  /**
   * Whether no key of the wallet is on its account, so that nothing can be signed until the operator adds its own key.
   */
  get isLockedOut(): boolean {
    const { lanes } = this.#parts.journal;
    return lanes.missing() !== null && lanes.ready().length === 0;
  }

  /** Whether the chain has a higher nonce of a key than the journal, which was set back then. @throws ChainUnavailableError */
  async isOvertaken(): Promise<boolean> {
    const { journal, rpc } = this.#parts;
    const ready = journal.lanes.all().filter(({ state }) => state === "ready");
    if (ready.length === 0) return false;
    const { nonces } = await accessKeyNonces(rpc, journal.wallet()!.accountId, "final");
    return ready.some(({ publicKey, nonce }) => (nonces.get(publicKey) ?? 0n) > BigInt(nonce ?? 0));
  }

  /** All keys of the account at the last final block. Lanes whose key is gone stop signing. */
  async readFinal(): Promise<KeyNonces> {
    const { journal, rpc, log } = this.#parts;
    const keys = await accessKeyNonces(rpc, journal.wallet()!.accountId, "final");
    // A key that was present at a lower final block and is missing at this one was deleted in between.
    const gone = journal.lanes
      .ready()
      .filter(({ publicKey, seenHeight }) => keys.height > seenHeight && !keys.nonces.has(publicKey));
    if (gone.length === 0) return keys;
    journal.lanes.gone(keys.height, ...gone.map(({ id }) => id));
    for (const { publicKey } of gone) log("wallet.key_gone", { public_key: publicKey, height: keys.height });
    return keys;
  }

  /**
   * Reads the nonces of new lanes from a final block; they may sign from then on. Missing keys are searched with
   * growing pauses. A key that is present counts even if the outcome of the transaction that adds it isn't known yet,
   * so that requests needn't wait for it.
   */
  async readNew(): Promise<void> {
    const { journal, head, now, at } = this.#parts;
    const unread = journal.lanes.unread().filter(({ id }) => this.#search.isDue(id, now()));
    const adding = journal.lanes.adding(head.block?.height ?? 0, now());
    if (!this.#parts.maySign() || unread.length + adding.length === 0) return;
    for (const { id } of unread) this.#search.begin(id, now());
    const { nonces, height } = await this.readFinal();
    for (const { id, publicKey, nonceGap } of [...unread, ...adding]) {
      const nonce = nonces.get(publicKey);
      if (nonce === undefined) continue;
      journal.lanes.adopt(id, Number(nonce) + nonceGap, height);
      this.#search.end(id);
    }
    at("wallet.lanes_ready");
    const absent = unread.filter(({ publicKey }) => !nonces.has(publicKey));
    for (const { id } of absent) this.#search.missed(id, now());
    const { block } = head;
    if (block === null || height < block.height) return;
    const missing = absent.filter(({ id, isMissing }) => !isMissing && this.#search.isOver(id, block.time));
    this.#miss(missing, height);
  }

  /**
   * Records keys that are missing, not merely unseen by a lagging node. Only the operator can restore the wallet's own
   * key.
   */
  #miss(lanes: readonly { readonly id: string; readonly publicKey: string }[], height: number): void {
    const { journal, log } = this.#parts;
    journal.lanes.gone(height, ...lanes.map(({ id }) => id));
    const { accountId } = journal.wallet()!;
    for (const { publicKey } of lanes) {
      log("wallet.key_missing", { account_id: accountId, public_key: publicKey, height });
    }
  }

  /**
   * Frees lanes: a row whose nonce is used at the head is in a block, so its lane has room for the next one. If the
   * head has reached that height and the nonce isn't used there, a fork has dropped the block.
   */
  async free(open: readonly SignedTransactionRow[]): Promise<void> {
    const { journal, rpc } = this.#parts;
    if (!this.#parts.maySign()) return;
    const { height, nonces } = await accessKeyNonces(rpc, journal.wallet()!.accountId, "optimistic");
    const used = new Map<string, bigint>();
    const isUsed = ({ laneId, nonce }: SignedTransactionRow): boolean => {
      const lane = used.get(laneId) ?? nonces.get(journal.lanes.get(laneId).publicKey) ?? 0n;
      used.set(laneId, lane);
      return lane >= BigInt(nonce);
    };
    const ids = (rows: readonly SignedTransactionRow[]) => rows.map(({ id }) => id);
    const [on, off] = [open.filter(isUsed), open.filter((row) => !isUsed(row))];
    journal.signed.markIncluded(height, ...ids(on.filter(({ includedBy }) => includedBy === null)));
    journal.signed.markDropped(...ids(off.filter((row) => (row.includedBy ?? height) < height)));
  }

  /** A row's key according to a reading of the account's keys. */
  seen(row: SignedTransactionRow, { nonces, height }: KeyNonces): KeySeen {
    const { publicKey, seenHeight } = this.#parts.journal.lanes.get(row.laneId);
    const nonce = nonces.get(publicKey);
    if (nonce !== undefined) return { nonce: Number(nonce), height };
    // A node behind the last known height doesn't prove that the key was deleted.
    return height > seenHeight ? { nonce: null, height } : null;
  }
}
