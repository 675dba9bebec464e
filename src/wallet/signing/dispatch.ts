import type { Action } from "../../chain/actions.ts";
import { pendingResult } from "../../chain/outcome.ts";
import { sendTransaction } from "../../chain/send.ts";
import { signTransaction } from "../../chain/transaction.ts";
import { newUuid } from "../../domain/ids.ts";
import type { WalletContext } from "../context.ts";
import { costOf } from "../cost.ts";
import type { Lane } from "../journal/lanes.ts";
import type { SignedTransactionRow } from "../journal/signed.ts";
import {
  type Assignment,
  assign,
  type Growth,
  growth,
  LANE_METHODS,
  payable,
  type Waiting,
} from "../lanes/lanes.ts";
import { BLOCKS_TO_FINALITY, isLasting } from "../observing/rules.ts";
import { decodeActions, encodeActions } from "./encoding.ts";
import { newLaneId } from "./keys.ts";

/** Back-off after failing to add keys. Milliseconds. */
const GROWTH_PAUSE_MS = 60_000;
/** Intents that come within this time are signed in one step. Milliseconds. */
const GATHER_MS = 2;
/** How long a burst of requests is given to arrive before the lanes for it are counted. Milliseconds. */
const BURST_MS = 80;
/** A balance that holds intents back is read again after this time. Milliseconds. */
const FUNDS_PAUSE_MS = 1_000;
/** yoctoNEAR that must remain after keys are added: a tenth of a NEAR. */
const GROWTH_RESERVE = 10n ** 23n;

/** Signs what waits and hands it to the nodes. Signing and journaling are one step without an await between them. */
export class Dispatcher {
  readonly #wallet: WalletContext;
  #growsAgainAt = 0;
  #growing = false;
  #starting = false;

  constructor(wallet: WalletContext) {
    this.#wallet = wallet;
  }

  /** Whether something waits that could be signed if there were a fresh base block. */
  get wantsBlock(): boolean {
    return !this.#wallet.head.fresh && this.#wallet.journal.intents.counts().queued > 0;
  }

  /**
   * Dispatches in a moment, once for all who ask meanwhile, so that a burst is signed in few steps. What fails is
   * logged and met by the next look at the rows.
   */
  start(): void {
    if (this.#starting) return;
    this.#starting = true;
    const begin = async () => {
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
      this.#starting = false;
      await this.dispatch();
    };
    begin().catch((error: unknown) => this.#wallet.log("wallet.dispatch_failed", { error }));
  }

  /**
   * Signs as much as the lanes have room for and starts to send it. Does nothing while the wallet may not sign or no
   * fresh final block is known. Everything up to the signing's commit happens before the first await.
   */
  async dispatch(): Promise<void> {
    const { journal, head, settings, at } = this.#wallet;
    const signing = this.#wallet.signing();
    if (signing === null || !head.fresh) return;
    if (journal.intents.counts().queued === 0) return;
    const lanes = journal.lanes.all();
    const hasRoom = lanes.some((lane) => lane.state === "ready" && lane.onTheWay < settings.LANE_DEPTH);
    if (!hasRoom) return this.#growSoon();
    const waiting = journal.intents.waiting();
    const assigned = this.#payable(assign(waiting, lanes, settings.LANE_DEPTH), waiting);
    at("wallet.before_sign");
    const signed = journal.atomically(() =>
      assigned.flatMap(({ intentId, laneId }) => this.#sign(intentId, laneId) ?? []),
    );
    at("wallet.signed");
    if (assigned.length < waiting.length) this.#growSoon();
    await this.#sendAll(signed);
  }

  /** Of what has a lane, what the wallet can pay beside what is on its way. For the rest its balance is read anew. */
  #payable(assigned: readonly Assignment[], waiting: readonly Waiting[]): Assignment[] {
    const { journal, funds, log } = this.#wallet;
    const { open } = journal.intents.counts();
    const given = payable(assigned, waiting, funds.forSigning(journal.intents.reserved()), open === 0);
    if (given.length < assigned.length && funds.age > FUNDS_PAUSE_MS) {
      const { accountId } = this.#wallet.signing()!;
      funds
        .read(accountId)
        .then(() => this.start())
        .catch((error: unknown) => log("wallet.funds_unread", { error }));
    }
    return given;
  }

  /** Looks at what waits once a burst has had the time to arrive, so that it needs few transactions for its lanes. */
  #growSoon(): void {
    if (this.#growing || this.#wallet.now() < this.#growsAgainAt) return;
    this.#growing = true;
    const look = async () => {
      await new Promise((resolve) => setTimeout(resolve, BURST_MS));
      this.#growing = false;
      const { journal, settings } = this.#wallet;
      await this.#grow(growth(journal.intents.waiting(), journal.lanes.all(), settings.MAX_LANES));
    };
    look().catch((error: unknown) => this.#wallet.log("wallet.growth_failed", { error }));
  }

  async #sendAll(rows: readonly number[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#wallet.committed();
    this.#wallet.at("wallet.committed");
    await Promise.all(rows.map((id) => this.send(id)));
  }

  /** Signs an intent with the lane's next nonce. An intent that can't be serialized is refused, not tried again. */
  #sign(intentId: number, laneId: string): number | null {
    const { journal, head, rpc, now, log } = this.#wallet;
    const { accountId, keyring } = this.#wallet.signing()!;
    const block = head.block!;
    const lane = journal.lanes.get(laneId);
    const nonce = lane.nonce! + 1;
    const { receiverId, actions } = journal.intents.toSign(intentId);
    try {
      const { bytes, hash } = signTransaction({
        signerId: accountId,
        key: keyring.of(laneId),
        receiverId,
        nonce: BigInt(nonce),
        blockHash: block.hash,
        actions: decodeActions(actions),
      });
      journal.lanes.raiseNonce(laneId, nonce);
      const endpoint = rpc.order({ endpoint: lane.endpoint })[0]!;
      if (endpoint !== lane.endpoint) journal.lanes.setEndpoint(laneId, endpoint);
      return journal.sign({
        intentId,
        laneId,
        nonce,
        hash,
        bytes,
        baseHeight: block.height,
        dueHeight: head.likelyHeight + BLOCKS_TO_FINALITY,
        now: now(),
      });
    } catch (error) {
      log("wallet.unsignable", { intent: intentId, error });
      const result = pendingResult({
        hash: "",
        signerId: accountId,
        receiverId,
        nonce: 0n,
        explorerUrl: null,
      });
      const failure = {
        ...result,
        status: "failure" as const,
        failure_message: `It can't be signed: ${error}`,
      };
      const ending = { result: failure, value: null, contractCode: null, height: null };
      journal.move("refuse", { intentId, row: null, ending, now: now() });
      this.#wallet.waiters.notify(journal.intents.get(intentId).operation);
      return null;
    }
  }

  /**
   * Sends a row's bytes to a node, and the racing no-op's. The same bytes have at most one effect, however often they
   * are sent.
   * @param learn whether the node's reason is wanted, if it refuses them
   */
  async send(id: number, learn = false): Promise<void> {
    const { journal, rpc, at } = this.#wallet;
    const row = journal.signed.find(id);
    if (row?.state !== "open") return;
    const { own, noop } = journal.signed.bytesOf(id);
    const { endpoint } = journal.lanes.get(row.laneId);
    at("wallet.before_send");
    const answers = await Promise.all([
      sendTransaction(rpc, own, { endpoint }, learn),
      noop === null ? null : sendTransaction(rpc, noop, { endpoint }),
    ]);
    at("wallet.sent");
    journal.signed.markSent(id);
    const [answer] = answers;
    if (answer.kind !== "refused") return;
    this.#wallet.log("wallet.send_refused", { hash: row.hash, reason: answer.reason });
    if (isLasting(answer.reason)) journal.signed.markRefused(id, answer.reason);
  }

  /** Journals and sends a no-op with the row's nonce: whichever of the two lands decides. */
  async race(row: SignedTransactionRow): Promise<void> {
    const { journal, head, at } = this.#wallet;
    const signing = this.#wallet.signing();
    if (signing === null || head.block === null) return;
    const lane = journal.lanes.get(row.laneId);
    at("wallet.before_race");
    const { bytes, hash } = signTransaction({
      signerId: signing.accountId,
      key: signing.keyring.of(row.laneId),
      receiverId: lane.receiverId ?? signing.accountId,
      nonce: BigInt(row.nonce),
      blockHash: head.block.hash,
      actions: [noopOf(lane)],
    });
    journal.signed.race(row.id, hash, bytes);
    this.#wallet.log("wallet.race", { hash: row.hash, noop: hash });
    await this.#wallet.committed();
    at("wallet.raced");
    await this.send(row.id);
  }

  /** Journals the adding of lanes, all keys in one transaction, if the wallet can pay for them. */
  async #grow({ add, retire }: Growth): Promise<void> {
    const { journal, now, head, funds, log } = this.#wallet;
    if (add.length === 0 || this.#wallet.signing() === null || head.block === null) return;
    this.#growsAgainAt = now() + GROWTH_PAUSE_MS;
    const { accountId, keyring } = this.#wallet.signing()!;
    const lanes = add.flatMap((plan) =>
      Array.from({ length: plan.count }, () => ({ ...plan, id: newLaneId() })),
    );
    const methods = [...LANE_METHODS];
    const added = lanes.map(({ id, kind, receiverId }): Action => {
      const { publicKey } = keyring.of(id);
      return kind === "full_access"
        ? { kind: "add_full_access_key", publicKey }
        : { kind: "add_function_call_key", publicKey, receiverId: receiverId!, methods };
    });
    const deleted = retire.map((id): Action => ({ kind: "delete_key", publicKey: keyring.of(id).publicKey }));
    const actions = [...deleted, ...added];
    const cost = costOf({ receiverId: accountId, actions }, head.prices);
    const withReserve = { ...cost, certain: cost.certain + GROWTH_RESERVE };
    const cover = await funds.ask(accountId, () => journal.intents.reserved(), withReserve);
    if (cover !== "enough") {
      log("wallet.no_growth", { cover });
      return;
    }
    const operation = newUuid();
    journal.atomically(() => {
      // While the balance was asked for, a lane may have been given something to sign.
      const busy = new Set(journal.lanes.all().flatMap(({ id, open }) => (open > 0 ? [id] : [])));
      if (retire.some((id) => busy.has(id))) return;
      for (const id of retire) journal.lanes.retire(id);
      const addedBy = journal.intents.add({
        operation,
        step: "lanes",
        fairness: "wallet",
        receiverId: accountId,
        method: null,
        actions: encodeActions(actions),
        cost,
        state: "queued",
        internal: true,
        now: now(),
      });
      journal.operations.begin(operation, true);
      for (const { id, kind, receiverId } of lanes) {
        const publicKey = keyring.textOf(id);
        const allowed = kind === "full_access" ? [] : methods;
        journal.lanes.add({ id, publicKey, kind, receiverId, methods: allowed, addedBy, nonceGap: 0 });
      }
    });
    this.#wallet.at("wallet.lanes_journaled");
    log("wallet.grow", { lanes: lanes.length, retired: retire.length });
    await this.dispatch();
  }

  /** Keys were added: more may follow at once. */
  grown(): void {
    this.#growsAgainAt = 0;
  }
}

/**
 * A transaction that only uses a nonce: a transfer of 0 to the own account or, for a function-call key, a call with
 * one unit of gas, which ends before the contract is loaded.
 */
const noopOf = (lane: Pick<Lane, "kind" | "methods">): Action =>
  lane.kind === "full_access"
    ? { kind: "transfer", deposit: "0" }
    : { kind: "function_call", method: lane.methods[0]!, args: new Uint8Array(), gas: "1", deposit: "0" };
