import type { KeyNonces } from "../../chain/blocks.ts";
import { TOLERATED_BLOCKS } from "../../chain/endpoints.ts";
import { ChainUnavailableError } from "../../chain/errors.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import { type TransactionStatus, transactionStatus } from "../../chain/send.ts";
import { BLOCKS_TO_FINALITY } from "../chain-state/cadence.ts";
import type { Head } from "../chain-state/head.ts";
import type { Journal } from "../journal/journal.ts";
import type { SignedTransactionRow } from "../journal/signed.ts";
import type { KeySeen, LaneKeys } from "../lanes/lane-keys.ts";
import type { Runtime } from "../runtime.ts";
import type { Dispatcher } from "../signing/dispatch.ts";
import { archival, type Endings, everywhere } from "./endings.ts";
import { keyHistory, type Proof, proveByBlock, proveGone } from "./proof.ts";
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

/** What a look at a row goes by beside the row, the same for all rows of a round. */
export interface Round {
  /** Resolves once the last final block was asked for, which may have been later than the row; false: no node told it. */
  readonly told: Promise<boolean>;
  /** The account's keys at the last final block, read once for all rows that want them. */
  readonly readKeys: () => Promise<KeyNonces>;
}

interface Parts extends Runtime {
  readonly journal: Journal;
  readonly rpc: ChainRpc;
  readonly head: Head;
  readonly dispatcher: Dispatcher;
  readonly endings: Endings;
  readonly keys: LaneKeys;
}

/** One look at one row: what do the nodes say, what do the rules say to that, do it. */
export class Looker {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Looks at an open row. It may be asked about beside the final height: a final outcome needs nothing else, and of one
   * that turns out to have been asked about too early nothing is concluded.
   * @throws ChainUnavailableError, and whatever else this row meets: it concerns no other row
   */
  async look(row: SignedTransactionRow, { told, readKeys }: Round): Promise<void> {
    const { journal, head, now } = this.#parts;
    const status = await this.#statusOf(row).catch((error: unknown) => this.#unanswered(row, error));
    this.#parts.at("wallet.asked");
    if (status.kind === "final") return this.#parts.endings.landed(row, status.outcome);
    if (!(await told)) return;
    const included = status.kind === "pending" && status.included;
    const height = head.block?.height ?? 0;
    if (included) journal.signed.markIncluded(height + BLOCKS_TO_FINALITY, row.id);
    if (height < row.dueHeight) return;
    const pause = status.kind === "unanswered" ? unansweredPause(row.tries) : askPause(row.tries, included);
    journal.signed.putOff(row.id, height + 1, now() + pause);
    const latest = journal.signed.find(row.id);
    if (latest === null) return;
    // What is in a block that is not final yet needs no look at its key.
    const isEarly = included && height <= latest.includedBy!;
    await this.#decide(latest, included ? "included" : status.kind, isEarly ? null : await readKeys());
  }

  /**
   * Looks again at a row that was given up: an endpoint may be back that knows more. Nothing of it is ever sent again,
   * whatever comes of this.
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

  /** What the lane's endpoint says; of what landed, what any endpoint says. */
  #statusOf(row: SignedTransactionRow): Promise<TransactionStatus> {
    const { rpc, journal } = this.#parts;
    if (row.landed || row.unproven > 0) return this.#elsewhere(row);
    const { endpoint } = journal.lanes.get(row.laneId);
    return transactionStatus(rpc, row.hash, journal.wallet()!.accountId, { endpoint });
  }

  /**
   * No node answers about the transaction. It may be the nodes' trouble with it alone, so that its key has to tell.
   * @throws whatever else the question met
   */
  #unanswered({ hash }: SignedTransactionRow, error: unknown): { readonly kind: "unanswered" } {
    if (!(error instanceof ChainUnavailableError)) throw error;
    this.#parts.log("wallet.unanswered", { hash, error });
    return { kind: "unanswered" };
  }

  /** Asks endpoint after endpoint until one has the final outcome; else the most that any of them knows. */
  async #elsewhere(row: SignedTransactionRow): Promise<TransactionStatus> {
    const { rpc, journal } = this.#parts;
    const { accountId } = journal.wallet()!;
    let best: TransactionStatus | null = null;
    let failure: unknown = null;
    for (const options of everywhere(rpc)) {
      try {
        const status = await transactionStatus(rpc, row.hash, accountId, options);
        if (status.kind === "final") return status;
        if (best === null || best.kind === "unknown") best = status;
      } catch (error) {
        if (!(error instanceof ChainUnavailableError)) throw error;
        failure = error;
      }
    }
    if (best === null) throw failure;
    return best;
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
        // While a node says that it is under way its outcome will come; where none does, it may have been forgotten.
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
    // More blocks will tell, however long they take to come.
    if (proof === "unproven") this.#unproven(row);
  }

  /** Looks for proof (b), or (c) where the key is gone, with the archival endpoints' help where blocks are gone. */
  async #proofOf(row: SignedTransactionRow, key: KeySeen): Promise<Proof> {
    const { journal, rpc } = this.#parts;
    const { publicKey, seenHeight } = journal.lanes.get(row.laneId);
    const { accountId } = journal.wallet()!;
    const { nonce, height } = key!;
    for (const options of [{}, ...archival(rpc)]) {
      const believedHeight = height - TOLERATED_BLOCKS;
      const history = keyHistory(rpc, accountId, publicKey, { ...options, believedHeight });
      const proof =
        nonce === null
          ? await proveGone(history, row, Math.max(seenHeight, row.baseHeight), height)
          : await proveByBlock(history, row, height);
      if (proof !== "unproven") return proof;
    }
    return "unproven";
  }

  /** The outcome or the blocks are unavailable: give a lagging node time to catch up. */
  #unproven(row: SignedTransactionRow): void {
    const { journal, head, now } = this.#parts;
    journal.signed.markUnproven(row.id);
    journal.signed.putOff(row.id, head.block!.height, now() + unprovenPause(row.unproven));
  }
}
