/** What comes back when a receipt is done: gas that wasn't burnt, and deposits of what failed. */
import { SYSTEM } from "../protocol/accounts.ts";
import type { ProtocolConfig } from "../protocol/config.ts";
import { attachedGas, delegatedSendGas, totalDeposit, totalExecGas } from "../protocol/fees.ts";
import type { ActionReceipt, DataReceipt, DistributionReceipt } from "../protocol/types.ts";

/** A receipt before it has an id. */
export type NewReceiptBody =
  | Omit<ActionReceipt, "id">
  | Omit<DataReceipt, "id">
  | Omit<DistributionReceipt, "id">;

const NO_KEY = "ed25519:11111111111111111111111111111111";

/** Tokens that the protocol returns to an account. It's free, and creates no account. */
export function balanceRefund(receiverId: string, deposit: bigint): NewReceiptBody {
  return refund(receiverId, SYSTEM, NO_KEY, deposit);
}

/** Gas that the protocol returns to a signer, and to the allowance of the key that paid it. */
function gasRefund(receiverId: string, publicKey: string, deposit: bigint): NewReceiptBody {
  return refund(receiverId, receiverId, publicKey, deposit);
}

function refund(
  receiverId: string,
  signerId: string,
  signerPublicKey: string,
  deposit: bigint,
): NewReceiptBody {
  return {
    kind: "action",
    predecessorId: SYSTEM,
    receiverId,
    signerId,
    signerPublicKey,
    gasPrice: 0n,
    outputDataReceivers: [],
    inputDataIds: [],
    actions: [{ type: "Transfer", deposit }],
  };
}

export interface Refunds {
  receipts: NewReceiptBody[];
  /** The price at which the burnt gas counts. */
  burnPrice: bigint;
  /** Burnt beside that: the charge for a new account (protocol version 85). */
  extraBurnt: bigint;
}

/**
 * Gas is bought at the receipt's price. From protocol version 85 it is burnt at the lower of that and the block's, and
 * the difference returns to the signer with the gas left over; an account's creation then costs at least a fixed
 * amount, taken from that return.
 */
export function refunds(
  config: ProtocolConfig,
  receipt: ActionReceipt,
  result: { failed: boolean; gasBurnt: number; gasUsed: number; createdAccount: boolean },
  blockGasPrice: bigint,
): Refunds {
  const { actions, gasPrice, receiverId, predecessorId, signerId, signerPublicKey } = receipt;
  const bought =
    attachedGas(actions) +
    delegatedSendGas(config, actions) +
    totalExecGas(config, actions, receiverId) +
    config.receiptFee.execution;
  const unused = bought - (result.failed ? result.gasBurnt : result.gasUsed);
  const isCheaper = config.minGasPurchasePrice > 0n && gasPrice > blockGasPrice;
  const burnPrice = isCheaper ? blockGasPrice : gasPrice;
  let surplus = isCheaper ? (gasPrice - blockGasPrice) * BigInt(result.gasBurnt) : 0n;
  let extraBurnt = 0n;
  if (result.createdAccount && !result.failed) {
    const burnt = burnPrice * BigInt(config.fees.create_account_cost.execution);
    const due = config.accountCreationCharge > burnt ? config.accountCreationCharge - burnt : 0n;
    extraBurnt = due < surplus ? due : surplus;
    surplus -= extraBurnt;
  }
  const receipts: NewReceiptBody[] = [];
  const deposit = result.failed ? totalDeposit(actions) : 0n;
  if (deposit > 0n) receipts.push(balanceRefund(receipt.refundTo ?? predecessorId, deposit));
  const gas = gasPrice * BigInt(unused) + surplus;
  if (gas > 0n) receipts.push(gasRefund(signerId, signerPublicKey, gas));
  return { receipts, burnPrice, extraBurnt };
}
