import type { Action } from "../../chain/actions.ts";
import { mintTogether, orderIn } from "../../chain/contract/shared-mints.ts";
import { type Cost, costOf, maxSpent, requiredBalance } from "../../chain/cost.ts";
import { pendingResult } from "../../chain/outcome.ts";
import type { ChainRpc } from "../../chain/rpc.ts";
import { sendTransaction } from "../../chain/send.ts";
import { signTransaction } from "../../chain/transaction.ts";
import { newUuid } from "../../domain/ids.ts";
import { MAX_MINTS } from "../../domain/mint-notes.ts";
import { TOO_DEAR, tooDear } from "../../domain/spending.ts";
import type { Settings } from "../../env.ts";
import { pause } from "../../waiting.ts";
import { BLOCKS_TO_FINALITY } from "../chain-state/cadence.ts";
import type { Funds } from "../chain-state/funds.ts";
import type { Head } from "../chain-state/head.ts";
import { decodeActions, encodeActions } from "../journal/encoding.ts";
import type { Journal } from "../journal/journal.ts";
import type { Lane } from "../journal/lanes.ts";
import { mostPayable, together, type Unit, type Waiting } from "../journal/queue.ts";
import type { SignedTransactionRow } from "../journal/signed.ts";
import type { LaneGrowth } from "../lanes/growth.ts";
import { type Assignment, assign, payable } from "../lanes/lanes.ts";
import type { Runtime } from "../runtime.ts";
import type { Waiters } from "../waiters.ts";
import type { Custody } from "./custody.ts";

/** Refusals for lack of NEAR. A lagging node may not have the latest payment to the wallet. */
const BALANCE: readonly string[] = ["NotEnoughBalance", "LackBalanceForState"];

/**
 * Refusals that are permanent for these bytes, or that only an outside change (funds) resolves. The row is raced at
 * once, so that the caller gets a result soon, and ends as `refused` when its death is proven. All others are
 * temporary: a lagging node, a congested shard, a nonce or age that the proofs decide.
 */
const LASTING = new Set([
  "ActionsValidation",
  "TransactionSizeExceeded",
  "InvalidReceiverId",
  "InvalidSignerId",
  "CostOverflow",
  ...BALANCE,
  "InvalidTransactionVersion",
]);

/** Whether a node's refusal is permanent. */
export const isLasting = (reason: string): boolean => LASTING.has(reason);

/** Whether a node refused for lack of NEAR, according to its own state. */
const isOfBalance = (reason: string): boolean => BALANCE.includes(reason);

/** A transaction for several intents, before it is journaled. */
interface Draft extends Unit {
  readonly actions: Uint8Array;
  readonly cost: Cost;
}

interface SharingParts extends Pick<Runtime, "now"> {
  readonly journal: Journal;
  readonly head: Head;
}

/** Groups the intents that are queued when the wallet signs into as few transactions as possible. */
class Sharing {
  readonly #parts: SharingParts;

  constructor(parts: SharingParts) {
    this.#parts = parts;
  }

  /** Queued intents, grouped as they would be signed. */
  units(): Unit[] {
    return together(this.#parts.journal.intents.waiting(this.#parts.now()), MAX_MINTS);
  }

  /**
   * Transactions for assigned units with several intents, by the unit's id. A transaction carries as many of them as
   * can be paid after the units assigned before; a unit without a draft sends only its first intent.
   * @param assigned in signing order
   * @param budget yoctoNEAR
   */
  drafts(
    units: readonly Unit[],
    assigned: readonly Assignment[],
    budget: bigint,
  ): ReadonlyMap<number, Draft> {
    const byId = new Map(units.map((unit) => [unit.id, unit]));
    const drafts = new Map<number, Draft>();
    for (const { intentId } of assigned) {
      // Nothing is signed after the first that can't be paid.
      if (budget < 0n) break;
      const unit = byId.get(intentId)!;
      const draft = this.#draft(unit, budget);
      if (draft !== null) drafts.set(intentId, draft);
      budget -= (draft ?? unit).total;
    }
    return drafts;
  }

  #draft(unit: Unit, budget: bigint): Draft | null {
    const { members } = unit;
    if (members.length === 1) return null;
    const actions = this.#parts.journal.intents.actionsOf(members.map(({ id }) => id));
    // Only mints have a share name.
    const orders = members.map(({ id }) => orderIn(decodeActions(actions.get(id)!))!);
    const draftOf = (count: number): Draft => {
      const actions = [mintTogether(orders.slice(0, count))];
      const cost = costOf({ receiverId: unit.receiverId, actions }, this.#parts.head.prices);
      const total = requiredBalance(cost);
      return { ...unit, members: members.slice(0, count), actions: encodeActions(actions), cost, total };
    };
    const count = mostPayable(members.length, (count) => draftOf(count).total, budget);
    return count === 1 ? null : draftOf(count);
  }

  /**
   * Adds a transaction that carries intents, as an intent of the wallet itself, and returns its id. Part of the
   * signing's transaction, so that only signed transactions carry intents.
   */
  carry({ receiverId, method, members, actions, cost }: Draft): number {
    const { journal, now } = this.#parts;
    const operation = newUuid();
    const shared = journal.intents.add({
      operation,
      step: "shared",
      fairness: "wallet",
      receiverId,
      method,
      actions,
      cost,
      state: "queued",
      internal: true,
      now: now(),
    });
    journal.operations.begin(operation, true);
    journal.shared.carry(shared, members);
    return shared;
  }
}

/** Intents that arrive within this time are signed in one step. Milliseconds. */
const GATHER_MS = 2;
/** The same once a transaction's worth of mints is open: a step reads all lanes, and a block lasts far longer. Milliseconds. */
const GATHER_UNDER_LOAD_MS = 20;
/** A balance that holds intents back is read again after this time. Milliseconds. */
const FUNDS_PAUSE_MS = 1_000;

interface DispatcherParts extends Runtime {
  readonly journal: Journal;
  readonly rpc: ChainRpc;
  readonly settings: Pick<Settings, "LANE_DEPTH">;
  readonly head: Head;
  readonly funds: Funds;
  readonly waiters: Waiters;
  readonly custody: Custody;
  readonly growth: LaneGrowth;
  /** Resolves once everything journaled so far is on disk. */
  readonly committed: () => Promise<void>;
}

/** Signs queued intents and sends them. Signing and journaling are one step without an await. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #sharing: Sharing;
  #starting = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#sharing = new Sharing(parts);
  }

  /** Whether queued intents could be signed with a fresh base block. */
  get wantsBlock(): boolean {
    return !this.#parts.head.fresh && this.#parts.journal.intents.counts().queued > 0;
  }

  /**
   * Dispatches after a short delay, once for all calls in it, so that a burst is signed in few steps. A failure is
   * logged and handled by the next check of the rows.
   */
  start(): void {
    if (this.#starting) return;
    const { open } = this.#parts.journal.intents.counts();
    this.#starting = true;
    const begin = async () => {
      await pause(open < MAX_MINTS ? GATHER_MS : GATHER_UNDER_LOAD_MS);
      this.#starting = false;
      await this.dispatch();
    };
    begin().catch((error: unknown) => this.#parts.log("wallet.dispatch_failed", { error }));
  }

  /**
   * Signs as much as the lanes have room for and starts sending it. Does nothing while the wallet may not sign or no
   * fresh final block is known. Everything up to the commit happens before the first await.
   */
  async dispatch(): Promise<void> {
    const { journal, head, settings, at } = this.#parts;
    const signing = this.#parts.custody.signing();
    if (signing === null || !head.fresh) return;
    if (journal.intents.counts().queued === 0) return;
    const lanes = journal.lanes.all();
    const hasRoom = lanes.some((lane) => lane.state === "ready" && lane.onTheWay < settings.LANE_DEPTH);
    if (!hasRoom) return this.#parts.growth.soon(() => this.dispatch());
    this.#refuseTooDear();
    const units = this.#sharing.units();
    const given = assign(units, lanes, settings.LANE_DEPTH);
    const budget = this.#parts.funds.forSigning(journal.intents.reserved());
    const drafts = this.#sharing.drafts(units, given, budget);
    const priced = units.map((unit) => drafts.get(unit.id) ?? unit);
    const assigned = this.#payable(given, priced, budget);
    at("wallet.before_sign");
    const signed = journal.atomically(() =>
      assigned.flatMap(({ intentId, laneId }) => {
        const draft = drafts.get(intentId);
        return this.#sign(draft ? this.#sharing.carry(draft) : intentId, laneId) ?? [];
      }),
    );
    at("wallet.signed");
    if (assigned.length < units.length) this.#parts.growth.soon(() => this.dispatch());
    await this.#sendAll(signed);
  }

  /**
   * The assigned intents that the wallet can pay in addition to open ones. If some are left, the balance is read again.
   */
  #payable(assigned: readonly Assignment[], waiting: readonly Waiting[], budget: bigint): Assignment[] {
    const { journal, funds, log } = this.#parts;
    const { open } = journal.intents.counts();
    const given = payable(assigned, waiting, budget, open === 0);
    if (given.length < assigned.length && funds.age > FUNDS_PAUSE_MS) {
      const { accountId } = this.#parts.custody.signing()!;
      funds
        .read(accountId)
        .then(() => this.start())
        .catch((error: unknown) => log("wallet.funds_unread", { error }));
    }
    return given;
  }

  async #sendAll(rows: readonly number[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#parts.committed();
    this.#parts.at("wallet.committed");
    await Promise.all(rows.map((id) => this.send(id)));
  }

  /** Signs an intent with the lane's next nonce. An intent that can't be serialized is refused without a retry. */
  #sign(intentId: number, laneId: string): number | null {
    const { journal, head, rpc, now, log } = this.#parts;
    const { accountId, keyring } = this.#parts.custody.signing()!;
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
      this.#refuse(intentId, receiverId, {
        message: `The transaction can't be signed: ${error}`,
        code: null,
      });
      return null;
    }
  }

  /**
   * Refuses queued intents that would now exceed their operation's maximum cost, because gas prices rose or earlier
   * transactions used part of it.
   */
  #refuseTooDear(): void {
    const { journal, head } = this.#parts;
    for (const { intentId, most, spent } of journal.costs.limited()) {
      const { receiverId, actions } = journal.intents.toSign(intentId);
      const cost = costOf({ receiverId, actions: decodeActions(actions) }, head.prices);
      const needed = spent + maxSpent(cost);
      if (needed > most)
        this.#refuse(intentId, receiverId, { message: tooDear({ needed, most }), code: TOO_DEAR });
    }
  }

  /** Ends an intent that won't be signed. */
  #refuse(
    intentId: number,
    receiverId: string,
    { message, code }: { readonly message: string; readonly code: string | null },
  ): void {
    const { journal, now, waiters } = this.#parts;
    const { accountId: signerId } = this.#parts.custody.signing()!;
    const unsigned = pendingResult({ hash: "", signerId, receiverId, nonce: 0n, explorerUrl: null });
    const result = { ...unsigned, status: "failure" as const, failure_message: message };
    const ending = { result, value: null, contractCode: code, height: null };
    const over = journal.move("refuse", { intentId, row: null, ending, now: now() });
    for (const operation of over) waiters.notify(operation);
  }

  /**
   * Sends a row's bytes, and the racing no-op's, to a node. The same bytes have at most one effect, however often they
   * are sent.
   * @param awaitInclusion whether to ask for the reason of a rejection
   */
  async send(id: number, awaitInclusion = false): Promise<void> {
    const { journal, rpc, at } = this.#parts;
    const row = journal.signed.find(id);
    if (row?.state !== "open") return;
    const { own, noop } = journal.signed.bytesOf(id);
    const { endpoint } = journal.lanes.get(row.laneId);
    at("wallet.before_send");
    const answers = await Promise.all([
      sendTransaction(rpc, own, { endpoint }, awaitInclusion),
      noop === null ? null : sendTransaction(rpc, noop, { endpoint }),
    ]);
    at("wallet.sent");
    const [answer] = answers;
    if (answer.kind !== "refused") return;
    this.#parts.log("wallet.send_refused", { hash: row.hash, reason: answer.reason });
    if (!isLasting(answer.reason)) return;
    if (isOfBalance(answer.reason) && (await this.#canPay(row))) return;
    journal.signed.markRefused(id, answer.reason);
  }

  /**
   * Whether the chain shows enough NEAR for a row that a possibly lagging node refused for lack of it. If no node
   * responds, the bytes are sent again.
   */
  async #canPay({ intentId, hash }: SignedTransactionRow): Promise<boolean> {
    const { funds, journal, custody, log } = this.#parts;
    const signing = custody.signing();
    if (signing === null) return true;
    try {
      return await funds.covers(signing.accountId, journal.intents.get(intentId).cost);
    } catch (error) {
      log("wallet.funds_unread", { hash, error });
      return true;
    }
  }

  /** Journals and sends a no-op with the row's nonce: only one of the two can land. */
  async race(row: SignedTransactionRow): Promise<void> {
    const { journal, head, at } = this.#parts;
    const signing = this.#parts.custody.signing();
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
    this.#parts.log("wallet.race", { hash: row.hash, noop: hash });
    await this.#parts.committed();
    at("wallet.raced");
    await this.send(row.id);
  }
}

/**
 * A transaction that only uses a nonce: a transfer of 0 to the own account or, for a function-call key, a call with one
 * unit of gas, which ends before the contract is loaded.
 */
const noopOf = (lane: Pick<Lane, "kind" | "methods">): Action =>
  lane.kind === "full_access"
    ? { kind: "transfer", deposit: "0" }
    : { kind: "function_call", method: lane.methods[0]!, args: new Uint8Array(), gas: "1", deposit: "0" };
