import { createHmac } from "node:crypto";
import { accessKeyNonces, type KeyNonces } from "../../chain/blocks.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import { keyFromSeed, publicKeyText, type SigningKey } from "../../chain/transaction.ts";
import type { Head } from "../chain-state/head.ts";
import type { Journal } from "../journal/journal.ts";
import type { SignedTransactionRow } from "../journal/signed.ts";
import type { Runtime } from "../runtime.ts";

/** How long a key is looked for, by the chain's clock, before it is said not to be there. Milliseconds. */
const SOUGHT_MS = 10_000;
/** First and longest pause before a missing key is looked for again. Milliseconds. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 60_000;

interface Sought {
  readonly lookAt: number;
  readonly pause: number;
  /** When it was first seen not to be there; null: nobody could look yet. */
  readonly since: number | null;
}

/**
 * When keys that aren't known yet are looked for, and for how long: each by itself, so that one that has been missing
 * for long neither delays the look for a new one nor shortens its time. Moments are milliseconds since the epoch.
 */
export class KeySearch {
  readonly #sought = new Map<string, Sought>();

  /** When the first of these lanes' keys is looked for next; null if there are no lanes. */
  next(lanes: readonly string[]): number | null {
    return lanes.length === 0 ? null : Math.min(...lanes.map((id) => this.#sought.get(id)?.lookAt ?? 0));
  }

  /** Whether a lane's key is to be looked for now. */
  isDue(id: string, now: number): boolean {
    return (this.#sought.get(id)?.lookAt ?? 0) <= now;
  }

  /** A lane's key is being looked for: for a while nobody else does. */
  begin(id: string, now: number): void {
    const known = this.#sought.get(id);
    const pause = known?.pause ?? FIRST_PAUSE_MS;
    this.#sought.set(id, {
      lookAt: now + pause,
      pause: Math.min(pause * 2, LONGEST_PAUSE_MS),
      since: known?.since ?? null,
    });
  }

  /** A look that was begun didn't show the key. */
  missed(id: string, now: number): void {
    const known = this.#sought.get(id);
    if (known) this.#sought.set(id, { ...known, since: known.since ?? now });
  }

  /** A lane's key is there, or is looked for no more. */
  end(id: string): void {
    this.#sought.delete(id);
  }

  /** Whether a key that isn't there at a block of this time was looked for long enough. */
  isOver(id: string, blockTime: number): boolean {
    const since = this.#sought.get(id)?.since ?? null;
    return since !== null && blockTime >= since + SOUGHT_MS;
  }
}

/** Id of the lane whose key is the wallet's own. After the key was replaced it is followed by a colon and a number. */
export const MAIN_LANE = "main";
const isMain = (laneId: string): boolean => laneId === MAIN_LANE || laneId.startsWith(`${MAIN_LANE}:`);

/** A new lane's id: 16 random bytes as hex. A deleted lane's id never comes again, and so its key neither. */
export const newLaneId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );

/**
 * The keys of a wallet while its object lives in memory: the wallet's own, and one for each lane, derived from the
 * wallet's seed and the lane's id (HMAC-SHA-256 as in HKDF-Expand, RFC 5869), so that one sealed seed restores all.
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
 * A key of the account on a final block, and that block's height. The nonce is null if the key isn't on the account
 * any more. Null: not asked, or answered by a node that is too far behind to know.
 */
export type KeySeen = { readonly nonce: number | null; readonly height: number } | null;

interface LaneKeysParts extends Runtime {
  readonly journal: Journal;
  readonly rpc: ChainRpc;
  readonly head: Head;
  /** Whether the wallet is active and its key is open. */
  readonly maySign: () => boolean;
}

/** Reads the keys of the wallet's lanes from the chain, and keeps the lanes as they are there. */
export class LaneKeys {
  readonly #parts: LaneKeysParts;
  readonly #search = new KeySearch();

  constructor(parts: LaneKeysParts) {
    this.#parts = parts;
  }

  /** When lanes whose nonce isn't known are looked at next; null if there are none. Milliseconds since the epoch. */
  get lookAt(): number | null {
    return this.#search.next(this.#parts.journal.lanes.unread().map(({ id }) => id));
  }

  /** Whether no key of the wallet's is on its account, so that nothing can be signed until the operator adds its own. */
  get isLockedOut(): boolean {
    const { lanes } = this.#parts.journal;
    return lanes.missing() !== null && lanes.ready().length === 0;
  }

  /** All keys of the account at the last final block. Lanes whose key is gone by then sign nothing any more. */
  async readFinal(): Promise<KeyNonces> {
    const { journal, rpc, log } = this.#parts;
    const keys = await accessKeyNonces(rpc, journal.wallet()!.accountId, "final");
    // A key that was there at a lower final block and isn't at this one was taken away between the two.
    const gone = journal.lanes
      .ready()
      .filter(({ publicKey, seenHeight }) => keys.height > seenHeight && !keys.nonces.has(publicKey));
    if (gone.length === 0) return keys;
    journal.lanes.gone(keys.height, ...gone.map(({ id }) => id));
    for (const { publicKey } of gone) log("wallet.key_gone", { public_key: publicKey, height: keys.height });
    return keys;
  }

  /**
   * Reads the nonces of lanes whose key is new, or newly adopted, from a final block: they may sign from then on. What
   * isn't there is looked for ever more rarely. A key that shows is there, whether or not any node tells what became of
   * the transaction that adds it: requests don't wait for that.
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

  /** Keys are not on the account, and no node merely lags. Where it is the wallet's own, only the operator can help. */
  #miss(lanes: readonly { readonly id: string; readonly publicKey: string }[], height: number): void {
    const { journal, log } = this.#parts;
    journal.lanes.gone(height, ...lanes.map(({ id }) => id));
    const { accountId } = journal.wallet()!;
    for (const { publicKey } of lanes) {
      log("wallet.key_missing", { account_id: accountId, public_key: publicKey, height });
    }
  }

  /**
   * A row whose nonce is used at the head is in a block, and its lane has room for the next one. A fork may undo that:
   * where the head has come to the height at which it was seen, and the nonce isn't used there, it has.
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

  /** What a look at the account's keys says about a row's. */
  seen(row: SignedTransactionRow, { nonces, height }: KeyNonces): KeySeen {
    const { publicKey, seenHeight } = this.#parts.journal.lanes.get(row.laneId);
    const nonce = nonces.get(publicKey);
    if (nonce !== undefined) return { nonce: Number(nonce), height };
    // A node that is behind what was seen before says nothing about what became of the key.
    return height > seenHeight ? { nonce: null, height } : null;
  }
}
