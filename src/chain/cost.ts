import { isImplicitAccountId } from "../domain/account-ids.ts";
import { BYTE_PRICE } from "../domain/promised-bytes.ts";
import { type Action, attachedGasOf, depositOf } from "./actions.ts";
import { MEAN_GAS, type MeanGas } from "./mean-gas.ts";

/** Gas prices, yoctoNEAR per unit. */
export interface GasPrices {
  /** The block's price, at which gas is burnt. */
  readonly burnt: bigint;
  /** Lowest price of gas bought in advance (`min_gas_purchase_price`, ten times the usual price since PV 85). */
  readonly leastBought: bigint;
}

/** Upper bound of a transaction's cost to its signer, yoctoNEAR. */
export interface Cost {
  /** Spent regardless of the gas burnt: deposits, tokens burnt by actions, and storage. */
  readonly certain: bigint;
  readonly gas: bigint;
  /** Also held until the transaction ends: gas is bought at a higher price than it is burnt at. */
  readonly ahead: bigint;
}

export const NO_COST: Cost = { certain: 0n, gas: 0n, ahead: 0n };

/** Upper bound of the amount spent. */
export const maxSpent = ({ certain, gas }: Cost): bigint => certain + gas;

/** Balance needed for the transaction to be included in a block. */
export const requiredBalance = (cost: Cost): bigint => maxSpent(cost) + cost.ahead;

/** Upper bounds of gas other than attached gas, rounded up from the protocol's fees (PV 84 to 88). */
const RECEIPT_GAS = 300_000_000_000n;
const CALL_GAS = 1_000_000_000_000n;
const CREATE_GAS = 8_000_000_000_000n;
const OTHER_GAS = 500_000_000_000n;
export const ARGUMENT_BYTE_GAS = 50_000_000n;
const CODE_BYTE_GAS = 120_000_000n;
/** yoctoNEAR burnt per byte of global code (NEP-591), 0.0001 NEAR. */
const GLOBAL_BYTE_PRICE = 10n ** 20n;
/** Maximum storage of an access key in bytes, method list included. */
const KEY_BYTES = 400n;
/** Minimum yoctoNEAR for a new account since PV 85 (`account_creation_charge`), taken from the gas purchased for it. */
const CREATION_CHARGE = 7n * 10n ** 21n;
/**
 * Factor by which gas may rise until a quoted write is sent; the quoted maximum covers it. If all blocks are full, the
 * price doubles in about 140 blocks, and most attached gas isn't burnt.
 */
export const QUOTED_RISE = 2n;
/** Allowed rise of the gas price until inclusion: a tenth, about twenty full blocks at 0.5 % per block. */
const PRICE_MARGIN = { of: 11n, in: 10n };

const actionGas = (action: Action, receiverId: string): bigint => {
  switch (action.kind) {
    case "function_call":
      return CALL_GAS + BigInt(action.method.length + action.args.length) * ARGUMENT_BYTE_GAS;
    case "deploy_contract":
    case "deploy_global_contract":
      return CALL_GAS + BigInt(action.code.length) * CODE_BYTE_GAS;
    case "create_account":
      return CREATE_GAS;
    case "transfer":
      // A transfer to an implicit account also pays for creating it, whether or not it exists.
      return isImplicitAccountId(receiverId) ? OTHER_GAS + CREATE_GAS : OTHER_GAS;
    default:
      return OTHER_GAS;
  }
};

const actionBurn = (action: Action, receiverId: string): bigint => {
  switch (action.kind) {
    case "deploy_global_contract":
      return BigInt(action.code.length) * GLOBAL_BYTE_PRICE;
    case "add_full_access_key":
    case "add_function_call_key":
      return KEY_BYTES * BYTE_PRICE;
    case "create_account":
      return CREATION_CHARGE;
    case "transfer":
      return isImplicitAccountId(receiverId) ? CREATION_CHARGE : 0n;
    default:
      return 0n;
  }
};

export interface PricedTransaction {
  readonly receiverId: string;
  readonly actions: readonly Action[];
}

/** Upper bound of the gas a transaction burns, attached gas included. */
export const mostGasOf = ({ receiverId, actions }: PricedTransaction): bigint =>
  attachedGasOf(actions) + actions.reduce((sum, action) => sum + actionGas(action, receiverId), RECEIPT_GAS);

/** Upper bound of a transaction's cost to its signer, if it is included soon. */
export const costOf = (transaction: PricedTransaction, prices: GasPrices): Cost => {
  const { actions, receiverId } = transaction;
  const gas = mostGasOf(transaction);
  const burnt = (prices.burnt * PRICE_MARGIN.of) / PRICE_MARGIN.in;
  const bought = burnt > prices.leastBought ? burnt : prices.leastBought;
  const burned = actions.reduce((sum, action) => sum + actionBurn(action, receiverId), 0n);
  return { certain: depositOf(actions) + burned, gas: gas * burnt, ahead: gas * (bought - burnt) };
};

/** Gas of a transfer with its transaction and receipt, and of creating an implicit account. */
const TRANSFER_GAS = 446_300_000_000n;
const ACCOUNT_GAS = 7_700_000_000_000n;

interface CountedArguments {
  readonly account_ids?: readonly string[];
  readonly updates?: readonly object[];
  readonly receiver_ids?: readonly string[];
  readonly quantities?: readonly number[];
  readonly metadata?: object;
}

const likelyCallGas = (method: string, args: Uint8Array): bigint => {
  const mean = (MEAN_GAS as Readonly<Record<string, MeanGas>>)[method];
  if (!mean) throw new Error(`no mean gas of ${method} is known`);
  const { call, byte = 0, item = 0, receiver = 0, own = 0, own_byte: ownByte = 0 } = mean;
  const counted: CountedArguments = item > 0 ? JSON.parse(new TextDecoder().decode(args)) : {};
  const { account_ids: accounts = [], updates = [], receiver_ids: receivers = [], metadata } = counted;
  const { quantities = receivers.map(() => 1) } = counted;
  const items = accounts.length + updates.length + quantities.reduce((sum, quantity) => sum + quantity, 0);
  const each = metadata ? own + ownByte * JSON.stringify(metadata).length : 0;
  const ggas = call + byte * args.length + (item + each) * items + receiver * receivers.length;
  return BigInt(Math.round(ggas)) * 1_000_000_000n;
};

/** Gas of a transaction and its receipts that each call of a transaction with several calls doesn't take again. */
const SHARED_GAS = 420_000_000_000n;

/** Expected gas of a transaction to an account that exists, by measured means; `mostGasOf` is the bound. @throws Error without a mean */
export const likelyGasOf = ({ receiverId, actions }: PricedTransaction): bigint => {
  const calls = actions.filter((action) => action.kind === "function_call").length;
  const shared = SHARED_GAS * BigInt(Math.max(calls - 1, 0));
  return actions.reduce((sum, action) => {
    if (action.kind === "function_call") return sum + likelyCallGas(action.method, action.args);
    return sum + TRANSFER_GAS + (isImplicitAccountId(receiverId) ? ACCOUNT_GAS : 0n);
  }, -shared);
};
