import { depositOf } from "../../chain/actions.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { costOf, type GasPrices, lastingOf, mostGasOf } from "../../chain/cost.ts";
import { expectationOf, type Taken } from "../../chain/expected/gas.ts";
import { depthAmong } from "../../chain/expected/trie.ts";
import { pendingResult } from "../../chain/outcome.ts";
import { connectFor } from "../../chain/rpc.ts";
import type { ServiceContext } from "../../context.ts";
import { acceptedRow } from "../../db/queries/operations.ts";
import { newUuid, type Uuid } from "../../domain/ids.ts";
import { BYTE_PRICE } from "../../domain/promised-bytes.ts";
import { MAX_TOP_UPS } from "../../domain/steps.ts";
import { EMBEDDED_NETWORK } from "../../env.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import type { Proposal } from "../kind.ts";
import { kindNamed } from "../registry.ts";
import { paymentOf, type StepTransaction, type StorageNeed, transferTo } from "../top-up.ts";

/** What is likely, and the most that may be. */
interface Bounds {
  readonly expected: bigint;
  readonly most: bigint;
}

/** What carrying a write out takes, as things are. */
export interface Plan {
  /** That are expected to be sent. */
  readonly transactions: number;
  /** Units. */
  readonly gas: Bounds;
  /** That it stores on contracts, at most. */
  readonly storageBytes: number;
  /** yoctoNEAR that leave the wallet: gas, deposits and top-ups. */
  readonly cost: Bounds;
  /** yoctoNEAR of it that contracts are expected to be topped up with. */
  readonly topUp: bigint;
  /** yoctoNEAR that the wallet has to hold beyond the most that it costs: gas is bought ahead, and the rest returned. */
  readonly held: bigint;
}

/** Prices at which gas is counted, and what else decides how much it is likely to be. */
interface Likely extends GasPrices {
  /** How many contracts the service has made, about: it tells how deep each lies in the chain's state. */
  readonly contracts: number;
}

/** Prices at which gas is counted. */
export interface PlannedPrices {
  /** What it is likely to cost; null: only the most matters, and the chain isn't asked for what is likely. */
  readonly likely: Likely | null;
  /** What it may cost until then. */
  readonly most: GasPrices;
}

/** What carrying nothing out takes. */
export const NO_PLAN: Plan = {
  transactions: 0,
  gas: { expected: 0n, most: 0n },
  storageBytes: 0,
  cost: { expected: 0n, most: 0n },
  topUp: 0n,
  held: 0n,
};

/** A created collection's number, as a plan has it: the longest. */
const ANY_RESULT = new TextEncoder().encode(String(2 ** 32 - 1));

/**
 * Plans an operation by the rules that carry it out, as if each of its steps succeeded, and a contract that may lack
 * storage were topped up. Nothing is written, and nothing is sent.
 * @throws ChainUnavailableError
 */
export const planOf = async (
  context: ServiceContext,
  integrationId: Uuid,
  proposal: Proposal,
  prices: PlannedPrices,
): Promise<Plan> => {
  const row = acceptedRow({ id: newUuid(), integrationId, ...proposal }, context.now());
  const kind = kindNamed(proposal.kind);
  const operation = { ...row, request: await kind.prepared(context, row) };
  const sums = new Sums(context, prices);
  const records: TransactionRecord[] = [];
  for (;;) {
    const outlook = await kind.look(context, operation, records, proposal.known);
    const next = outlook.next();
    if (next.do === "finish") return sums.plan;
    const transaction = next.do === "submit" ? await outlook.transaction(next.step) : null;
    if (next.do !== "submit" || transaction === null) throw new Error(`a ${row.kind} can't be planned`);
    await sums.add(transaction, outlook.storage(next.step));
    records.push(assumed(row.id, next.step));
  }
};

/** The record of a step as if it had succeeded. */
const assumed = (operationUuid: Uuid, step: string): TransactionRecord => ({
  operationUuid,
  step,
  state: "succeeded",
  result: pendingResult({ hash: "", signerId: "", receiverId: "", nonce: 0n, explorerUrl: null }),
  value: ANY_RESULT,
  contractCode: null,
  height: null,
});

/** Adds transactions up, and knows what the contracts that they go to have left. */
class Sums {
  readonly #context: ServiceContext;
  readonly #prices: PlannedPrices;
  /** yoctoNEAR that contracts have free. */
  readonly #free = new Map<string, bigint>();
  plan: Plan = NO_PLAN;

  constructor(context: ServiceContext, prices: PlannedPrices) {
    this.#context = context;
    this.#prices = prices;
  }

  /** A transaction, and before it those that a contract needs which can't pay for what it stores. */
  async add(transaction: StepTransaction, need: StorageNeed | null): Promise<void> {
    const taken = await this.#takenBy(transaction);
    if (need !== null) await this.#topUp(transaction, need, taken);
    this.#count(transaction, taken);
    if (need === null) return;
    const left = this.#free.get(need.contract)! + depositOf(transaction.actions) - priceOf(need);
    this.#free.set(need.contract, left > 0n ? left : 0n);
    this.plan = { ...this.plan, storageBytes: this.plan.storageBytes + bytesOf(need) };
  }

  /**
   * Counts the top-ups that a step is likely to need, and the one that it may need. The contract says what it lacks by
   * refusing the step, which is sent again behind the top-up.
   */
  async #topUp(transaction: StepTransaction, need: StorageNeed, taken: Taken): Promise<void> {
    const perhaps = await this.#lacking(transaction, need, need.perhaps);
    let most = perhaps > 0n ? depositOf(paymentOf(need, perhaps).actions) : 0n;
    if (perhaps > 0n) this.#countMost(transaction, true);
    for (let round = 1; round <= MAX_TOP_UPS; round++) {
      const missing = await this.#likelyLack(transaction, need, taken);
      if (missing <= 0n) break;
      const payment = paymentOf(need, missing);
      const topUp = depositOf(payment.actions);
      if (round > 1 || perhaps <= 0n) this.#countMost(transaction, true);
      this.#countLikely(transaction, taken, true);
      this.#countLikely(payment, await this.#takenBy(payment));
      this.#free.set(need.contract, this.#free.get(need.contract)! + topUp);
      this.plan = { ...this.plan, topUp: this.plan.topUp + topUp };
      most = round > 1 ? most + topUp : most > topUp ? most : topUp;
    }
    if (most > 0n) this.#countMost(transferTo(need.contract, most));
  }

  /** yoctoNEAR that a contract lacks of what a step may store, and of some bytes more, beside what the step brings. */
  async #lacking({ actions }: StepTransaction, need: StorageNeed, more = 0): Promise<bigint> {
    const free = this.#free.get(need.contract) ?? (await this.#freeOf(need.contract));
    this.#free.set(need.contract, free);
    const lacking = priceOf(need) + BigInt(more) * BYTE_PRICE - depositOf(actions) - free;
    return lacking > 0n ? lacking : 0n;
  }

  async #freeOf(contract: string): Promise<bigint> {
    const { free } = await contractViews(connectFor(this.#context), contract).balance();
    return BigInt(free);
  }

  /** yoctoNEAR that a contract is likely to lack for a step; 0 where nobody asks for that. */
  async #likelyLack(transaction: StepTransaction, need: StorageNeed, { lack }: Taken): Promise<bigint> {
    if (this.#prices.likely === null) return 0n;
    const lacking = await this.#lacking(transaction, need);
    if (lack === undefined) return lacking;
    return BigInt(lack(Number(this.#free.get(need.contract)! / BYTE_PRICE))) * BYTE_PRICE;
  }

  /** What a transaction is likely to take as things are; nothing where nobody asks for that. */
  async #takenBy(transaction: StepTransaction): Promise<Taken> {
    const { likely } = this.#prices;
    if (likely === null) return { gas: 0n, lack: undefined };
    const isShared = this.#context.settings.NEAR_NETWORK !== EMBEDDED_NETWORK;
    const views = contractViews(connectFor(this.#context), transaction.receiverId);
    return expectationOf(transaction, { views, depth: depthAmong(likely.contracts, isShared) });
  }

  #count(transaction: StepTransaction, taken: Taken): void {
    this.#countMost(transaction);
    this.#countLikely(transaction, taken);
  }

  /** Counts a transaction that is likely to be sent. */
  #countLikely(transaction: StepTransaction, { gas }: Taken, isRefused = false): void {
    const deposit = isRefused ? 0n : depositOf(transaction.actions);
    const { gas: units, cost, transactions } = this.plan;
    const expected = cost.expected + deposit + gas * (this.#prices.likely?.burnt ?? 0n);
    this.plan = {
      ...this.plan,
      transactions: transactions + 1,
      gas: { ...units, expected: units.expected + gas },
      cost: { ...cost, expected },
    };
  }

  /** Counts a transaction that may become necessary. */
  #countMost(transaction: StepTransaction, isRefused = false): void {
    const cost = costOf(transaction, this.#prices.most);
    const most = isRefused ? cost.gas : lastingOf(cost);
    this.plan = {
      ...this.plan,
      gas: { ...this.plan.gas, most: this.plan.gas.most + mostGasOf(transaction) },
      cost: { ...this.plan.cost, most: this.plan.cost.most + most },
      held: cost.ahead > this.plan.held ? cost.ahead : this.plan.held,
    };
  }
}

const bytesOf = ({ bytes, reserved = 0 }: StorageNeed): number => bytes + reserved;

const priceOf = (need: StorageNeed): bigint => BigInt(bytesOf(need)) * BYTE_PRICE;
