import { type Action, attachedGasOf, depositOf } from "../chain/actions.ts";

/** Upper bounds of what actions cost beside attached gas, in gas; rounded up from the protocol's fees (PV 84 to 88). */
const RECEIPT_GAS = 300_000_000_000n;
const CALL_GAS = 1_000_000_000_000n;
const CREATE_GAS = 8_000_000_000_000n;
const OTHER_GAS = 500_000_000_000n;
const ARGUMENT_BYTE_GAS = 50_000_000n;
const CODE_BYTE_GAS = 115_000_000n;
/** yoctoNEAR burned for a byte of global code (NEP-591), 0.0001 NEAR. */
const GLOBAL_BYTE_PRICE = 10n ** 20n;
/** yoctoNEAR for a byte of storage that the signer's own account takes. */
const STORAGE_PRICE = 10n ** 19n;
/** Bytes that an access key takes at most, method list included. */
const KEY_BYTES = 400n;

const actionGas = (action: Action): bigint => {
  switch (action.kind) {
    case "function_call":
      return CALL_GAS + BigInt(action.args.length) * ARGUMENT_BYTE_GAS;
    case "deploy_contract":
    case "deploy_global_contract":
      return CALL_GAS + BigInt(action.code.length) * CODE_BYTE_GAS;
    case "create_account":
      return CREATE_GAS;
    default:
      return OTHER_GAS;
  }
};

const actionBurn = (action: Action): bigint => {
  if (action.kind === "deploy_global_contract") return BigInt(action.code.length) * GLOBAL_BYTE_PRICE;
  if (action.kind === "add_full_access_key" || action.kind === "add_function_call_key") {
    return KEY_BYTES * STORAGE_PRICE;
  }
  return 0n;
};

/**
 * What a transaction takes from the signer at most until its unused gas comes back, yoctoNEAR: deposits, all gas at
 * the given price, and what actions burn or occupy.
 */
export const costOf = (actions: readonly Action[], gasPrice: bigint): bigint => {
  const gas = actions.reduce((sum, action) => sum + actionGas(action), RECEIPT_GAS) + attachedGasOf(actions);
  const burned = actions.reduce((sum, action) => sum + actionBurn(action), 0n);
  return depositOf(actions) + gas * gasPrice + burned;
};
