import type { ContractViews } from "../chain/contract/views.ts";
import { BYTE_PRICE } from "../domain/promised-bytes.ts";
import { missingAmount } from "../domain/steps.ts";
import type { Action, TransactionRecord } from "../wallet/interface.ts";

/** The transaction of a step. */
export interface StepTransaction {
  readonly receiverId: string;
  readonly actions: readonly Action[];
}

/** Bytes that a top-up pays for beyond what was asked, so that the next mints need none. */
const AHEAD_BYTES = 20_000;

/** A contract that has to pay for storage, and the bytes that a step may need, at most. */
export interface StorageNeed {
  readonly contract: string;
  readonly bytes: number;
  /** Bytes that it sets aside for what comes later, at most; the contract's refusal says what they lack. Default: none. */
  readonly reserved?: number;
  /** Bytes that it may set aside beside that, where nothing is left of what was set aside before. Default: none. */
  readonly perhaps?: number;
}

/**
 * A plain transfer that lets a contract pay for storage. `topUpRemedy` asks for it only where the amount can be read.
 * @param records of the operation, whose last failure tells what is missing
 */
export const topUpFor = (
  { contract, bytes }: StorageNeed,
  records: readonly TransactionRecord[],
): StepTransaction => {
  const refused = records.findLast(({ contractCode }) => contractCode === "E_STORAGE_BALANCE");
  const missing = missingAmount(refused?.result?.failure_message ?? null);
  if (missing === null) throw new Error(`${contract} doesn't say how much it is missing`);
  return paymentOf({ contract, bytes }, missing);
};

/** The top-up of a contract that is missing so much, yoctoNEAR. */
export const paymentOf = ({ contract, bytes }: StorageNeed, missing: bigint): StepTransaction =>
  transferTo(contract, toppedUp(bytes, missing));

/** What a contract may lack beside its step: for others of the same transaction, or from before. A NEAR, yoctoNEAR. */
const LACKED_BESIDE = 10n ** 24n;

/**
 * Whether a step can be why a contract lacks so much. A contract that has come to run other code could name whatever the
 * wallet has.
 */
export const isCredible = ({ bytes, reserved = 0, perhaps = 0 }: StorageNeed, missing: bigint): boolean =>
  missing <= BigInt(bytes + reserved + perhaps) * BYTE_PRICE + LACKED_BESIDE;

/** What a contract that is missing so much is paid, yoctoNEAR. */
const toppedUp = (bytes: number, missing: bigint): bigint =>
  missing + BigInt(bytes + AHEAD_BYTES) * BYTE_PRICE;

/**
 * The most that a need can bring the wallet to pay a contract, yoctoNEAR.
 * @param spare what the contract doesn't have to hold; negative: it lacks something already
 */
export const mostToppedUp = (bytes: number, spare: bigint): bigint => {
  const lack = BigInt(bytes) * BYTE_PRICE - spare;
  return toppedUp(bytes, lack > 0n ? lack : 0n);
};

/** What a contract has beyond what it has to hold, yoctoNEAR; negative: it lacks something. */
export const spareOf = async (views: Pick<ContractViews, "balance">): Promise<bigint> => {
  const { free, missing } = await views.balance();
  return BigInt(free) - BigInt(missing ?? "0");
};

/** A plain transfer; yoctoNEAR. */
export const transferTo = (receiverId: string, amount: bigint): StepTransaction => ({
  receiverId,
  actions: [{ kind: "transfer", deposit: amount.toString() }],
});
