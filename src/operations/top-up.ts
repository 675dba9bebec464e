import type { ContractViews } from "../chain/contract/views.ts";
import { BYTE_PRICE } from "../domain/promised-bytes.ts";
import { missingAmount, stepName, topUpOf } from "../domain/steps.ts";
import type { Action, TransactionRecord } from "../wallet/interface.ts";

/** The transaction of a step. */
export interface StepTransaction {
  readonly receiverId: string;
  readonly actions: readonly Action[];
}

/** Bytes that a top-up pays for in addition, so that the next mints need none. */
const AHEAD_BYTES = 20_000;

/** A contract that must pay for storage, and the maximum bytes of a step. */
export interface StorageNeed {
  readonly contract: string;
  readonly bytes: number;
  /** Maximum bytes that it reserves for later; the contract's error says how much is missing. Default: 0. */
  readonly reserved?: number;
  /** Maximum bytes that it may also reserve if earlier reservations are used up. Default: 0. */
  readonly perhaps?: number;
}

/** Maximum bytes of a step that are certain to be stored or reserved for it. */
export const bytesOf = ({ bytes, reserved = 0 }: StorageNeed): number => bytes + reserved;

/** The price of these bytes, yoctoNEAR. */
export const priceOf = (need: StorageNeed): bigint => BigInt(bytesOf(need)) * BYTE_PRICE;

/**
 * A transfer that lets a contract pay for storage. `topUpRemedy` requires it only if the amount is known.
 * @param records of the operation; its last failure contains the missing amount
 */
export const topUpFor = (
  { contract, bytes }: StorageNeed,
  records: readonly TransactionRecord[],
): StepTransaction => {
  const refused = records.findLast(({ contractCode }) => contractCode === "E_STORAGE_BALANCE");
  const missing = missingAmount(refused?.result?.failure_message ?? null);
  if (missing === null) throw new Error(`${contract} didn't report the missing amount`);
  return paymentOf({ contract, bytes }, missing);
};

/** The top-up of a contract that lacks an amount, yoctoNEAR. */
export const paymentOf = ({ contract, bytes }: StorageNeed, missing: bigint): StepTransaction =>
  transferTo(contract, toppedUp(bytes, missing));

/**
 * Amount that a contract may lack for other reasons than its step: other mints of the transaction, or from before. 1
 * NEAR, in yoctoNEAR.
 */
const LACKED_BESIDE = 10n ** 24n;

/** Whether a step can explain a missing amount. A contract with replaced code could report any amount. */
export const isCredible = ({ bytes, reserved = 0, perhaps = 0 }: StorageNeed, missing: bigint): boolean =>
  missing <= BigInt(bytes + reserved + perhaps) * BYTE_PRICE + LACKED_BESIDE;

/** The payment to a contract that lacks an amount, yoctoNEAR. */
const toppedUp = (bytes: number, missing: bigint): bigint =>
  missing + BigInt(bytes + AHEAD_BYTES) * BYTE_PRICE;

/**
 * Upper bound of the top-up for a need, yoctoNEAR.
 * @param spare balance that the contract may spend; negative if it lacks some
 */
export const mostToppedUp = (bytes: number, spare: bigint): bigint => {
  const lack = BigInt(bytes) * BYTE_PRICE - spare;
  return toppedUp(bytes, lack > 0n ? lack : 0n);
};

/** Balance that a contract may spend, yoctoNEAR; negative if it lacks some. */
export const spareOf = async (views: Pick<ContractViews, "balance">): Promise<bigint> => {
  const { free, missing } = await views.balance();
  return BigInt(free) - BigInt(missing ?? "0");
};

/** A plain transfer; yoctoNEAR. */
export const transferTo = (receiverId: string, amount: bigint): StepTransaction => ({
  receiverId,
  actions: [{ kind: "transfer", deposit: amount.toString() }],
});

/**
 * The price of a step's storage, yoctoNEAR, without what the operation has paid in for it: top-ups count as deposits.
 * @param need null if it takes none
 */
export const unpaidStorage = (
  need: StorageNeed | null,
  step: string,
  records: readonly TransactionRecord[],
): string => {
  if (need === null) return "0";
  const topUps = records.filter((record) => {
    const paidFor = topUpOf(record.step);
    return record.state === "succeeded" && paidFor !== null && stepName(paidFor) === stepName(step);
  });
  const paid = topUps.reduce(
    (sum, { cost, result }) => sum + BigInt(cost ?? "0") - BigInt(result?.tokens_burnt ?? "0"),
    0n,
  );
  const left = priceOf(need) - paid;
  return (left > 0n ? left : 0n).toString();
};
