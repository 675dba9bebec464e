import { accessKeyNonces, type BlockHead, readBlock } from "../chain/blocks.ts";
import { ChainUnavailableError } from "../chain/errors.ts";
import { type FinalOutcome, pendingResult, readOutcome, type TransactionIdentity } from "../chain/outcome.ts";
import type { CallOptions } from "../chain/rpc.ts";
import { type TransactionStatus, transactionStatus } from "../chain/send.ts";
import type { WalletContext } from "./context.ts";
import type { Dispatcher } from "./dispatch.ts";
import type { Ending } from "./journal/intents.ts";
import type { SignedTransactionRow } from "./journal/signed.ts";
import { keyHistory, type Proof, proveByBlock } from "./proof.ts";
import { afterDeath, askPause, asksWhy, judge, type Observed, unprovenPause } from "./rules.ts";

type KeySeen = Observed["key"];

/** Asks about open rows, and does what the rules say about each. */
export class Observer {
  readonly #wallet: WalletContext;
  readonly #dispatcher: Dispatcher;
  /** Blocks that were asked for, by hash. */
  readonly #blocks = new Map<string, Promise<BlockHead | null>>();

  constructor(wallet: WalletContext, dispatcher: Dispatcher) {
    this.#wallet = wallet;
    this.#dispatcher = dispatcher;
  }

  /** One look at everything that is due. @throws ChainUnavailableError */
  async round(): Promise<void> {
    const { journal, head, now } = this.#wallet;
    const { height } = await head.refresh();
    await this.#readNewLanes();
    const open = journal.signed.open();
    if (journal.intents.counts().queued > 0 && open.some((row) => !row.included)) await this.#freeLanes(open);
    this.#dispatcher.start();
    const due = open.filter((row) => row.dueHeight <= height && row.askAt <= now());
    const overdue = (await Promise.all(due.map((row) => this.#ask(row)))).filter((asked) => asked !== null);
    if (overdue.length > 0) await this.#decide(overdue);
    this.#dispatcher.start();
  }

  /** Lanes whose key is new, or newly adopted, read their nonce from a final block. */
  async #readNewLanes(): Promise<void> {
    const { journal, rpc } = this.#wallet;
    const signing = this.#wallet.signing();
    const unread = journal.lanes.unread();
    if (signing === null || unread.length === 0) return;
    const { nonces } = await accessKeyNonces(rpc, signing.accountId, "final");
    for (const { id, publicKey, nonceGap } of unread) {
      const nonce = nonces.get(publicKey);
      if (nonce !== undefined) journal.lanes.ready(id, Number(nonce) + nonceGap);
    }
    this.#wallet.at("wallet.lanes_ready");
  }

  /** A row whose nonce is used at the head is on the chain, and its lane has room for the next one. */
  async #freeLanes(open: readonly SignedTransactionRow[]): Promise<void> {
    const { journal, rpc } = this.#wallet;
    const signing = this.#wallet.signing();
    if (signing === null) return;
    const { nonces } = await accessKeyNonces(rpc, signing.accountId, "optimistic");
    const used = new Map<string, bigint>();
    const isUsed = ({ laneId, nonce }: SignedTransactionRow): boolean => {
      const lane = used.get(laneId) ?? nonces.get(journal.lanes.get(laneId).publicKey) ?? 0n;
      used.set(laneId, lane);
      return lane >= BigInt(nonce);
    };
    journal.signed.markIncluded(...open.filter((row) => !row.included && isUsed(row)).map((row) => row.id));
  }

  /** Asks for one row's outcome. Rows that are neither final nor on their way come back for a decision. */
  async #ask(row: SignedTransactionRow): Promise<Asked | null> {
    const { journal, head, now } = this.#wallet;
    const accountId = journal.wallet()!.accountId;
    const status = await this.#statusOf(row, accountId);
    this.#wallet.at("wallet.asked");
    if (status.kind === "final") {
      await this.#settle(row, status.outcome);
      return null;
    }
    const included = status.kind === "pending" && status.included;
    if (included && !row.included) journal.signed.markIncluded(row.id);
    journal.signed.putOff(row.id, (head.block?.height ?? 0) + 1, now() + askPause(row.tries, included));
    if (included) return null;
    return { row, status: status.kind };
  }

  async #statusOf(row: SignedTransactionRow, accountId: string): Promise<TransactionStatus> {
    const { rpc, journal } = this.#wallet;
    const { endpoint } = journal.lanes.get(row.laneId);
    const status = await transactionStatus(rpc, row.hash, accountId, { endpoint });
    if (status.kind !== "unknown" || row.unproven === 0) return status;
    return (await this.#elsewhere(row, accountId)) ?? status;
  }

  /** A row that landed and that the lane's endpoint doesn't know: every other endpoint is asked, archival ones last. */
  async #elsewhere(row: SignedTransactionRow, accountId: string): Promise<TransactionStatus | null> {
    const { rpc } = this.#wallet;
    for (const option of this.#everywhere()) {
      const status = await transactionStatus(rpc, row.hash, accountId, option).catch(unlessUnavailable);
      if (status && status.kind === "final") return status;
    }
    return null;
  }

  #everywhere(): CallOptions[] {
    return [...this.#wallet.rpc.endpoints.map((endpoint) => ({ endpoint })), ...this.#archival()];
  }

  #archival() {
    return this.#wallet.rpc.archival.length > 0 ? [{ archival: true }] : [];
  }

  /** Decides about overdue rows by the nonces of their keys, which are asked for once. */
  async #decide(overdue: readonly Asked[]): Promise<void> {
    const { journal, rpc, head, now } = this.#wallet;
    const { accountId } = journal.wallet()!;
    const { height, nonces } = await accessKeyNonces(rpc, accountId, "final");
    await Promise.all(
      overdue.map(async ({ row, status }) => {
        const { publicKey } = journal.lanes.get(row.laneId);
        const nonce = nonces.get(publicKey);
        const key: KeySeen = nonce === undefined ? null : { nonce: Number(nonce), height };
        if (key) journal.lanes.raiseNonce(row.laneId, key.nonce);
        const latest = journal.signed.find(row.id);
        if (latest === null) return;
        const verdict = judge(latest, {
          now: now(),
          status,
          key,
          finalHeight: Math.max(height, head.block?.height ?? 0),
          validityPeriod: head.validityPeriod,
        });
        if (verdict === "race") await this.#dispatcher.race(latest);
        else if (verdict === "resend") await this.#dispatcher.send(row.id, asksWhy(latest.tries));
        else if (verdict === "dead") this.#died(latest, "validity");
        else if (verdict === "give_up") this.#giveUp(latest);
        else if (verdict === "prove") await this.#prove(latest, publicKey, height);
      }),
    );
  }

  /** Looks for proof (b), with the archival endpoints' help where the blocks are gone. */
  async #prove(row: SignedTransactionRow, publicKey: string, reachedAt: number): Promise<void> {
    const { journal, rpc, now, head } = this.#wallet;
    const { accountId } = journal.wallet()!;
    let proof: Proof = "unproven";
    for (const options of [{}, ...this.#archival()]) {
      const history = keyHistory(rpc, accountId, publicKey, options);
      proof = await proveByBlock(history, row, reachedAt);
      if (proof !== "unproven") break;
    }
    this.#wallet.at("wallet.proved");
    this.#wallet.log("wallet.proof", { hash: row.hash, proof });
    if (proof === "dead") return this.#died(row, "other");
    // Landed, but the outcome isn't to be had yet; or the blocks aren't.
    journal.signed.markUnproven(row.id);
    journal.signed.putOff(row.id, head.block!.height, now() + unprovenPause(row.unproven));
  }

  /** The row is proven dead: its intent is signed anew, or ends because the chain refuses it. */
  #died(row: SignedTransactionRow, proof: "validity" | "other"): void {
    const { journal, log } = this.#wallet;
    log("wallet.dead", { hash: row.hash, proof, refusal: row.refusal });
    if (afterDeath(row.refusal) === "refused") {
      const message = `The chain refuses the transaction: ${row.refusal}.`;
      this.#end(row, "dead", {
        state: "refused",
        result: { ...pendingResult(this.#identity(row)), status: "failure", failure_message: message },
        value: null,
        contractCode: null,
        height: null,
      });
      return;
    }
    journal.atomically(() => {
      journal.signed.close(row.id, "dead");
      journal.intents.requeue(row.intentId);
    });
  }

  /** Neither landed nor dead can be shown: the operator settles it, and it is never signed again. */
  #giveUp(row: SignedTransactionRow): void {
    this.#wallet.log("wallet.unknown", { hash: row.hash });
    const result = pendingResult(this.#identity(row));
    this.#end(row, "unknown", { state: "unknown", result, value: null, contractCode: null, height: null });
  }

  async #settle(row: SignedTransactionRow, outcome: FinalOutcome): Promise<void> {
    const { transaction_outcome, receipts_outcome } = outcome;
    const hashes = new Set(receipts_outcome.map(({ block_hash }) => block_hash));
    const { endpoint } = this.#wallet.journal.lanes.get(row.laneId);
    const [included, ...blocks] = await Promise.all(
      [transaction_outcome.block_hash, ...hashes].map((hash) => this.#block(hash, endpoint)),
    );
    const settled = readOutcome(this.#identity(row), outcome, included?.time ?? null);
    const height = Math.max(0, ...blocks.map((block) => block?.height ?? 0)) || null;
    this.#end(row, "landed", { ...settled, height });
  }

  /** Ends a row and its intent in one transaction, and tells who waits. */
  #end(row: SignedTransactionRow, state: "landed" | "dead" | "unknown", ending: Ending): void {
    const { journal, waiters, funds, now, at } = this.#wallet;
    if (journal.signed.find(row.id) === null) return;
    at("wallet.before_end");
    const intent = journal.intents.get(row.intentId);
    journal.atomically(() => {
      journal.signed.close(row.id, state);
      journal.intents.finish(row.intentId, ending, now());
      journal.lanes.added(row.intentId, ending.state === "succeeded");
      if (journal.intents.isOver(intent.operation)) journal.operations.rowsOver(intent.operation, now());
    });
    at("wallet.ended");
    funds.spend(intent.cost);
    if (intent.receiverId === journal.wallet()!.accountId && ending.state === "succeeded") {
      this.#dispatcher.grown();
    }
    waiters.notify(intent.operation);
  }

  #identity(row: SignedTransactionRow): TransactionIdentity {
    return identityOf(this.#wallet, row);
  }

  /**
   * A block by its hash, asked for once for all transactions in it, first where the outcome was found; null where no
   * node shows it.
   */
  #block(hash: string, endpoint: string | null): Promise<BlockHead | null> {
    const known = this.#blocks.get(hash);
    if (known) return known;
    if (this.#blocks.size > 100) this.#blocks.clear();
    const reading = this.#readBlock(hash, endpoint);
    this.#blocks.set(hash, reading);
    return reading;
  }

  async #readBlock(hash: string, endpoint: string | null): Promise<BlockHead | null> {
    const { rpc, log } = this.#wallet;
    for (const options of [{ endpoint }, ...this.#everywhere()]) {
      try {
        return await readBlock(rpc, { block: hash }, options);
      } catch (error) {
        log("wallet.no_block", { block: hash, error: String(error) });
      }
    }
    this.#blocks.delete(hash);
    return null;
  }
}

interface Asked {
  readonly row: SignedTransactionRow;
  readonly status: Exclude<TransactionStatus["kind"], "final">;
}

const unlessUnavailable = (error: unknown): null => {
  if (error instanceof ChainUnavailableError) return null;
  throw error;
};

/** What the journal knows of a row's transaction without the chain. */
export const identityOf = (
  { journal, settings }: Pick<WalletContext, "journal" | "settings">,
  row: { readonly hash: string; readonly nonce: number; readonly intentId: number },
): TransactionIdentity => ({
  hash: row.hash,
  signerId: journal.wallet()!.accountId,
  receiverId: journal.intents.get(row.intentId).receiverId,
  nonce: BigInt(row.nonce),
  explorerUrl: settings.EXPLORER_URL ?? null,
});
