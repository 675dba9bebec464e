import { depositOf } from "../../chain/actions.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { costOf, type GasPrices, likelyGasOf, maxSpent, mostGasOf } from "../../chain/cost.ts";
import { pendingResult } from "../../chain/outcome.ts";
import { connectFor } from "../../chain/rpc.ts";
import type { ServiceContext } from "../../context.ts";
import { acceptedRow } from "../../db/queries/operations.ts";
import { newUuid, type Uuid } from "../../domain/ids.ts";
import { BYTE_PRICE } from "../../domain/promised-bytes.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import type { Proposal } from "../kind.ts";
import { kindNamed } from "../registry.ts";
import { bytesOf, paymentOf, priceOf, type StepTransaction, type StorageNeed } from "../top-up.ts";

/** Expected value and upper bound. */
interface Bounds {
  readonly expected: bigint;
  readonly most: bigint;
}

/** The resources a write needs in the current state. */
export interface Plan {
  /** Expected number. */
  readonly transactions: number;
  /** Gas units. */
  readonly gas: Bounds;
  /** Maximum bytes stored on contracts. */
  readonly storageBytes: number;
  /** yoctoNEAR leaving the wallet: gas, deposits and top-ups. */
  readonly cost: Bounds;
  /** Expected top-ups of contracts in the cost, yoctoNEAR. */
  readonly topUp: bigint;
  /** Price of the storage that neither deposits nor top-ups pay for, which budgets of keys count, yoctoNEAR. */
  readonly storageBeyond: bigint;
  /** yoctoNEAR that the wallet must hold beyond the maximum cost: gas is purchased in advance and the rest refunded. */
  readonly held: bigint;
}

/** Gas prices of a plan. */
export interface PlannedPrices {
  /** The expected price. */
  readonly likely: GasPrices;
  /** The highest price to allow for. */
  readonly most: GasPrices;
}

/** The plan of a write that submits nothing. */
export const NO_PLAN: Plan = {
  transactions: 0,
  gas: { expected: 0n, most: 0n },
  storageBytes: 0,
  cost: { expected: 0n, most: 0n },
  topUp: 0n,
  storageBeyond: 0n,
  held: 0n,
};

/** Assumed id of a created collection: the longest. */
const ANY_RESULT = new TextEncoder().encode(String(2 ** 32 - 1));

/**
 * Plans an operation by its kind's rules, assuming that each step succeeds and that contracts that may lack storage are
 * topped up. Writes and sends nothing.
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
  cost: null,
});

/** Sums up transactions and tracks the free balance of their contracts. */
class Sums {
  readonly #context: ServiceContext;
  readonly #prices: PlannedPrices;
  /** Free balance of contracts, yoctoNEAR. */
  readonly #free = new Map<string, bigint>();
  plan: Plan = NO_PLAN;

  constructor(context: ServiceContext, prices: PlannedPrices) {
    this.#context = context;
    this.#prices = prices;
  }

  /** Adds a transaction, and before it the top-up if its contract can't pay for the storage. */
  async add(transaction: StepTransaction, need: StorageNeed | null): Promise<void> {
    const toppedUp = need === null ? 0n : await this.#topUp(transaction, need);
    this.#countMost(transaction);
    this.#countLikely(transaction);
    if (need === null) return;
    const left = this.#free.get(need.contract)! + depositOf(transaction.actions) - priceOf(need);
    this.#free.set(need.contract, left > 0n ? left : 0n);
    const beyond = priceOf(need) - depositOf(transaction.actions) - toppedUp;
    this.plan = {
      ...this.plan,
      storageBytes: this.plan.storageBytes + bytesOf(need),
      storageBeyond: this.plan.storageBeyond + (beyond > 0n ? beyond : 0n),
    };
  }

  /**
   * Adds the expected and the possible top-up of a step. The contract reports the missing amount by refusing the step,
   * which is sent again after the top-up.
   * @returns the possible one, yoctoNEAR
   */
  async #topUp(transaction: StepTransaction, need: StorageNeed): Promise<bigint> {
    const most = await this.#lacking(transaction, need, need.perhaps);
    if (most <= 0n) return 0n;
    const mostPayment = paymentOf(need, most);
    const paid = depositOf(mostPayment.actions);
    this.#countMost(transaction, true);
    this.#countMost(mostPayment);
    const likely = await this.#lacking(transaction, need);
    if (likely <= 0n) return paid;
    const payment = paymentOf(need, likely);
    const topUp = depositOf(payment.actions);
    this.#countLikely(transaction, true);
    this.#countLikely(payment);
    this.#free.set(need.contract, this.#free.get(need.contract)! + topUp);
    this.plan = { ...this.plan, topUp: this.plan.topUp + topUp };
    return paid;
  }

  /** yoctoNEAR that a contract lacks for a step's storage and `more` bytes, beyond the step's deposit. */
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

  /** Adds an expected transaction. */
  #countLikely(transaction: StepTransaction, isRefused = false): void {
    const deposit = isRefused ? 0n : depositOf(transaction.actions);
    const burnt = likelyGasOf(transaction);
    const { gas, cost, transactions } = this.plan;
    this.plan = {
      ...this.plan,
      transactions: transactions + 1,
      gas: { ...gas, expected: gas.expected + burnt },
      cost: { ...cost, expected: cost.expected + deposit + burnt * this.#prices.likely.burnt },
    };
  }

  /** Adds a transaction that may become necessary. */
  #countMost(transaction: StepTransaction, isRefused = false): void {
    const cost = costOf(transaction, this.#prices.most);
    const most = isRefused ? cost.gas : maxSpent(cost);
    this.plan = {
      ...this.plan,
      gas: { ...this.plan.gas, most: this.plan.gas.most + mostGasOf(transaction) },
      cost: { ...this.plan.cost, most: this.plan.cost.most + most },
      held: cost.ahead > this.plan.held ? cost.ahead : this.plan.held,
    };
  }
}
