import {
  accessKeyNonces,
  isMissingBlock,
  type KeyNonces,
  keyChanges,
  readBlock,
} from "../../chain/blocks.ts";
import { TOLERATED_BLOCKS } from "../../chain/endpoints.ts";
import { ChainUnavailableError } from "../../chain/errors.ts";
import type { CallOptions, ChainRpc } from "../../chain/rpc.ts";
import { type TransactionStatus, transactionStatus } from "../../chain/send.ts";
import { BLOCKS_TO_FINALITY } from "../chain-state/cadence.ts";
import type { Head } from "../chain-state/head.ts";
import type { Journal } from "../journal/journal.ts";
import type { SignedTransactionRow } from "../journal/signed.ts";
import type { KeySeen, LaneKeys } from "../lanes/lane-keys.ts";
import type { Runtime } from "../runtime.ts";
import type { Dispatcher } from "../signing/dispatch.ts";
import { archival, type Endings, everywhere } from "./endings.ts";
import {
  askPause,
  isDropped,
  judge,
  type Observed,
  shouldAskReason,
  unansweredPause,
  unprovenPause,
  type Verdict,
} from "./rules.ts";

/**
 * Proofs (b) and (c) of docs/transactions.md: find the final block in which a key's nonce reached or passed a row's, or
 * in which the key was deleted, and list the transactions that used the key in it. If the row's isn't among them, it
 * never landed and never will.
 */

/**
 * A key's history as one kind of endpoint has it. `undefined`: the endpoint doesn't have the block (skipped or
 * garbage-collected).
 */
export interface KeyHistory {
  /** The key's nonce after a block; null if the key didn't exist. */
  nonceAt(block: number | string): Promise<number | null | undefined>;
  /** Hash of the block before the block at a height. */
  previousOf(height: number): Promise<string | undefined>;
  /**
   * Changes to the key in a block: transactions that used it, with the resulting nonces, and its deletion. `early`: the
   * block is too recent to be trusted.
   */
  changesIn(height: number): Promise<KeyChanges | "early" | undefined>;
}

export interface KeyChanges {
  readonly uses: readonly { readonly hash: string; readonly nonce: number }[];
  readonly isDeleted: boolean;
}

/** The result: `unproven` if the relevant blocks are unavailable here. */
export type Proof = "landed" | "dead" | "early" | "unproven";

/** A row's nonce, its hash, and the height of its base block, where the key's nonce was still lower. */
type ProvenRow = Pick<SignedTransactionRow, "nonce" | "hash" | "baseHeight">;

/**
 * Searches for proof (b).
 * @param reachedAt height of a final block where the key's nonce is at least the row's
 */
export const proveByBlock = (history: KeyHistory, row: ProvenRow, reachedAt: number): Promise<Proof> =>
  proveAtFirst(history, row, [row.baseHeight, reachedAt], (nonce) => nonce !== null && nonce >= row.nonce);

/** A key added at a height starts with the nonce (height - 1) * this (near-primitives, access key nonces). */
const NONCES_A_BLOCK = 1_000_000;

/**
 * Searches for proof (c), for a key that is no longer on the account.
 * @param seenAt height of a final block, not below the row's base block, to search from
 * @param goneAt height of a final block where the key isn't on the account
 */
export const proveGone = async (
  history: KeyHistory,
  row: ProvenRow,
  seenAt: number,
  goneAt: number,
): Promise<Proof> => {
  // If the key were added again after that block, its nonces would start above the row's, so the row needs the deleted
  // key.
  if (row.nonce > seenAt * NONCES_A_BLOCK) return "unproven";
  const seen = await history.nonceAt(seenAt);
  if (seen === undefined) return "unproven";
  if (seen === null) return seenAt === row.baseHeight ? "dead" : "unproven";
  if (seen >= row.nonce) return proveByBlock(history, row, seenAt);
  return proveAtFirst(history, row, [seenAt, goneAt], (nonce) => nonce === null || nonce >= row.nonce);
};

/** Finds the first block after which the key's nonce is past a row, and judges by what used or deleted the key in it. */
const proveAtFirst = async (
  history: KeyHistory,
  row: ProvenRow,
  [from, until]: readonly [number, number],
  isPast: (nonce: number | null) => boolean,
): Promise<Proof> => {
  const block = await firstWhere(history, isPast, from, until);
  const before = await nonceBefore(history, block);
  if (before === undefined || isPast(before)) return "unproven";
  const changes = await history.changesIn(block);
  if (changes === undefined) return "unproven";
  if (changes === "early") return "early";
  if (changes.uses.some(({ hash }) => hash === row.hash)) return "landed";
  const after = [...changes.uses.map(({ nonce }) => nonce), ...(changes.isDeleted ? [null] : [])];
  return after.some(isPast) ? "dead" : "unproven";
};

/** The key's nonce before a block; null if it didn't exist. */
const nonceBefore = async (history: KeyHistory, height: number): Promise<number | null | undefined> => {
  const previous = await history.previousOf(height);
  return previous === undefined ? undefined : history.nonceAt(previous);
};

/**
 * The lowest height in a range where a condition on the key's nonce holds; the condition must be monotonic. Skips
 * heights without a block.
 * @param from the condition doesn't hold here
 * @param until it holds here
 */
const firstWhere = async (
  history: KeyHistory,
  holds: (nonce: number | null) => boolean,
  from: number,
  until: number,
): Promise<number> => {
  let below = from;
  let above = until;
  let reached = until;
  while (above - below > 1) {
    const middle = below + Math.floor((above - below) / 2);
    const probe = await firstKnown(history, middle, above);
    if (probe === null) above = middle;
    else if (holds(probe.nonce)) {
      reached = probe.height;
      above = middle;
    } else below = probe.height;
  }
  return reached;
};

/** Maximum number of skipped heights; more in a row means garbage-collected, not skipped. */
const MAX_SKIPPED = 10;

const firstKnown = async (
  history: KeyHistory,
  from: number,
  until: number,
): Promise<{ height: number; nonce: number | null } | null> => {
  for (let height = from; height < Math.min(until, from + MAX_SKIPPED); height++) {
    const nonce = await history.nonceAt(height);
    if (nonce !== undefined) return { height, nonce };
  }
  return null;
};

/** Options for reading a key's history. */
interface HistoryOptions extends CallOptions {
  /**
   * Height of a final block. A lagging node may still return a block that a fork dropped below it, so changes in the last
   * heights by which nodes may differ prove nothing yet.
   */
  readonly finalHeight: number;
}

/** A key's history read from the endpoints. @throws ChainUnavailableError */
export const keyHistory = (
  rpc: ChainRpc,
  accountId: string,
  publicKey: string,
  { finalHeight, ...options }: HistoryOptions,
): KeyHistory => {
  const orMissing = async <T>(work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (isMissingBlock(error)) return undefined;
      throw error;
    }
  };
  return {
    nonceAt: async (block) => {
      const keys = await orMissing(accessKeyNonces(rpc, accountId, { block }, options));
      if (keys === undefined) return undefined;
      const nonce = keys.nonces.get(publicKey);
      return nonce === undefined ? null : Number(nonce);
    },
    previousOf: async (height) => (await orMissing(readBlock(rpc, { block: height }, options)))?.previous,
    changesIn: async (height) => {
      if (height > finalHeight - TOLERATED_BLOCKS) return "early";
      const changes = await orMissing(keyChanges(rpc, { accountId, publicKey }, height, options));
      return (
        changes && {
          uses: changes.flatMap((change) =>
            change.kind === "use" ? [{ hash: change.transactionHash, nonce: Number(change.nonce) }] : [],
          ),
          isDeleted: changes.some(({ kind }) => kind === "deletion"),
        }
      );
    },
  };
};

/**
 * Asks one endpoint after another for a transaction's final outcome. If none has it, the status is that of the first
 * endpoint that knows the transaction.
 * @throws ChainUnavailableError if none responds
 */
export const statusEverywhere = async (
  rpc: ChainRpc,
  hash: string,
  signerId: string,
): Promise<TransactionStatus> => {
  let best: TransactionStatus | null = null;
  let failure: unknown = null;
  for (const options of everywhere(rpc)) {
    try {
      const status = await transactionStatus(rpc, hash, signerId, options);
      if (status.kind === "final") return status;
      if (best === null || best.kind === "unknown") best = status;
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      failure = error;
    }
  }
  if (best === null) throw failure;
  return best;
};

/** Inputs of a check that are shared by all rows of a round. */
export interface Round {
  /** Resolves once the last final block was read, possibly after the row's status; false if no node returned it. */
  readonly hasFinalBlock: Promise<boolean>;
  /** The account's keys at the last final block, read once per round. */
  readonly readKeys: () => Promise<KeyNonces>;
}

interface LookerParts extends Runtime {
  readonly journal: Journal;
  readonly rpc: ChainRpc;
  readonly head: Head;
  readonly dispatcher: Dispatcher;
  readonly endings: Endings;
  readonly keys: LaneKeys;
}

/** Checks one row: asks the nodes, applies the rules, and acts. */
export class Looker {
  readonly #parts: LookerParts;

  constructor(parts: LookerParts) {
    this.#parts = parts;
  }

  /**
   * Checks an open row. The status may be read before the final height is known: a final outcome needs nothing else,
   * and a status read too early has no consequences.
   * @throws ChainUnavailableError or any other error; it concerns only this row
   */
  async look(row: SignedTransactionRow, { hasFinalBlock, readKeys }: Round): Promise<void> {
    const { journal, head, now } = this.#parts;
    const status = await this.#statusOf(row).catch((error: unknown) => this.#unanswered(row, error));
    this.#parts.at("wallet.asked");
    if (status.kind === "final") return this.#parts.endings.landed(row, status.outcome);
    if (!(await hasFinalBlock)) return;
    const included = status.kind === "pending" && status.included;
    const height = head.block?.height ?? 0;
    if (included) journal.signed.markIncluded(height + BLOCKS_TO_FINALITY, row.id);
    if (height < row.dueHeight) return;
    const pause = status.kind === "unanswered" ? unansweredPause(row.tries) : askPause(row.tries, included);
    journal.signed.putOff(row.id, height + 1, now() + pause);
    const latest = journal.signed.find(row.id);
    if (latest === null) return;
    // A row in a block that isn't final yet doesn't need its key.
    const isEarly = included && height <= latest.includedBy!;
    await this.#decide(latest, included ? "included" : status.kind, isEarly ? null : await readKeys());
  }

  /**
   * Checks a given-up row again, because an endpoint with more data may be back. Nothing of it is ever sent again,
   * whatever the result.
   */
  async lookAgain(row: SignedTransactionRow, readKeys: () => Promise<KeyNonces>): Promise<void> {
    const status = await this.#elsewhere(row);
    if (status.kind === "final") return this.#parts.endings.landed(row, status.outcome);
    const key = this.#parts.keys.seen(row, await readKeys());
    const { validityPeriod } = this.#parts.head;
    const fresh = { ...row, unproven: 0 };
    const verdict = judge(fresh, { now: this.#parts.now(), status: "unknown", key, validityPeriod });
    if (verdict === "dead") this.#parts.endings.died(row, "validity");
    if (verdict === "prove" && (await this.#proofOf(row, key)) === "dead")
      this.#parts.endings.died(row, "block");
  }

  /** The status from the lane's endpoint; for a landed row, from any endpoint. */
  #statusOf(row: SignedTransactionRow): Promise<TransactionStatus> {
    const { rpc, journal } = this.#parts;
    if (row.landed || row.unproven > 0) return this.#elsewhere(row);
    const { endpoint } = journal.lanes.get(row.laneId);
    return transactionStatus(rpc, row.hash, journal.wallet()!.accountId, { endpoint });
  }

  /**
   * No node returned a status. The problem may be specific to the transaction, so its key decides.
   * @throws any other error
   */
  #unanswered({ hash }: SignedTransactionRow, error: unknown): { readonly kind: "unanswered" } {
    if (!(error instanceof ChainUnavailableError)) throw error;
    this.#parts.log("wallet.unanswered", { hash, error });
    return { kind: "unanswered" };
  }

  #elsewhere({ hash }: SignedTransactionRow): Promise<TransactionStatus> {
    const { rpc, journal } = this.#parts;
    return statusEverywhere(rpc, hash, journal.wallet()!.accountId);
  }

  async #decide(
    row: SignedTransactionRow,
    status: Observed["status"],
    keys: KeyNonces | null,
  ): Promise<void> {
    const { journal, head, now } = this.#parts;
    const key = keys === null ? null : this.#parts.keys.seen(row, keys);
    if (key?.nonce) journal.lanes.raiseNonce(row.laneId, key.nonce);
    const latest = journal.signed.find(row.id);
    if (latest?.state !== "open") return;
    if (isDropped(latest, key)) {
      this.#parts.log("wallet.block_dropped", { hash: latest.hash, included_by: latest.includedBy });
      journal.signed.markDropped(latest.id);
    }
    const seen = { now: now(), status, key, validityPeriod: head.validityPeriod };
    await this.#act(judge(latest, seen), latest, key, status);
  }

  async #act(
    verdict: Verdict,
    row: SignedTransactionRow,
    key: KeySeen,
    status: Observed["status"],
  ): Promise<void> {
    switch (verdict) {
      case "race":
        return this.#parts.dispatcher.race(row);
      case "resend":
        return this.#parts.dispatcher.send(row.id, shouldAskReason(row.tries));
      case "dead":
        return this.#parts.endings.died(row, "validity");
      case "give_up":
        return this.#parts.endings.giveUp(row);
      case "prove":
        return this.#prove(row, key);
      case "seek":
        // While a node reports it as pending, the outcome will follow; otherwise it may be garbage-collected.
        if (status !== "pending" && status !== "included") this.#unproven(row);
        return;
      case "wait":
        return;
    }
  }

  async #prove(row: SignedTransactionRow, key: KeySeen): Promise<void> {
    const { journal } = this.#parts;
    const proof = await this.#proofOf(row, key);
    this.#parts.at("wallet.proved");
    this.#parts.log("wallet.proof", { hash: row.hash, proof });
    if (proof === "dead") return this.#parts.endings.died(row, "block");
    if (proof === "landed") journal.signed.markLanded(row.id);
    // `early`: later blocks will decide, however long they take.
    if (proof === "unproven") this.#unproven(row);
  }

  /** Searches for proof (b), or (c) if the key is gone, using the archival endpoints for missing blocks. */
  async #proofOf(row: SignedTransactionRow, key: KeySeen): Promise<Proof> {
    const { journal, rpc } = this.#parts;
    const { publicKey, seenHeight } = journal.lanes.get(row.laneId);
    const { accountId } = journal.wallet()!;
    const { nonce, height } = key!;
    for (const options of [{}, ...archival(rpc)]) {
      const history = keyHistory(rpc, accountId, publicKey, { ...options, finalHeight: height });
      const proof =
        nonce === null
          ? await proveGone(history, row, Math.max(seenHeight, row.baseHeight), height)
          : await proveByBlock(history, row, height);
      if (proof !== "unproven") return proof;
    }
    return "unproven";
  }

  /** The outcome or blocks are unavailable: give a lagging node time to catch up. */
  #unproven(row: SignedTransactionRow): void {
    const { journal, head, now } = this.#parts;
    journal.signed.markUnproven(row.id);
    journal.signed.putOff(row.id, head.block!.height, now() + unprovenPause(row.unproven));
  }
}
