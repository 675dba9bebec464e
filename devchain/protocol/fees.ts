/** What actions cost in gas, to send and to execute, and what a transaction costs in all. Pure. */
import { accountKind } from "./accounts.ts";
import { type Fee, type ProtocolConfig, sendFee } from "./config.ts";
import type { Action, GlobalContractId, Permission } from "./types.ts";

/** Bytes of method names that an access key is charged for: each name and a terminator. */
export function methodNamesBytes(names: string[]): number {
  return names.reduce((sum, name) => sum + Buffer.byteLength(name) + 1, 0);
}

/** Bytes by which using a global contract is charged and stored: 32 for a hash, the id's length for an account. */
export function globalContractIdBytes(id: GlobalContractId): number {
  return "codeHash" in id ? 32 : id.accountId.length;
}

/** The fees of an action as pairs of a fee and how many times it is due. */
function actionFees(config: ProtocolConfig, action: Action, receiverId: string): [Fee, number][] {
  const fees = config.fees;
  switch (action.type) {
    case "CreateAccount":
      return [[fees.create_account_cost, 1]];
    case "DeployContract":
      return [
        [fees.deploy_contract_cost, 1],
        [fees.deploy_contract_cost_per_byte, action.code.length],
      ];
    case "FunctionCall":
      return [
        [fees.function_call_cost, 1],
        [fees.function_call_cost_per_byte, Buffer.byteLength(action.methodName) + action.args.length],
      ];
    case "Transfer":
      return transferFees(config, receiverId);
    case "Stake":
      return [[fees.stake_cost, 1]];
    case "AddKey":
      return addKeyFees(config, action.accessKey.permission);
    case "DeleteKey":
      return [[fees.delete_key_cost, 1]];
    case "DeleteAccount":
      return [[fees.delete_account_cost, 1]];
    case "Delegate":
      return [[fees.delegate_cost, 1]];
    case "DeployGlobalContract":
      return [
        [fees.deploy_global_contract_cost, 1],
        [fees.deploy_global_contract_cost_per_byte, action.code.length],
      ];
    case "UseGlobalContract":
      return [
        [fees.use_global_contract_cost, 1],
        [fees.use_global_contract_cost_per_byte, globalContractIdBytes(action.id)],
      ];
  }
}

/** A transfer to an implicit account pays for creating it, whether or not it exists. */
export function transferFees(config: ProtocolConfig, receiverId: string): [Fee, number][] {
  const { transfer_cost, create_account_cost, add_key_cost } = config.fees;
  switch (accountKind(receiverId)) {
    case "near-implicit":
      return [
        [transfer_cost, 1],
        [create_account_cost, 1],
        [add_key_cost.full_access_cost, 1],
      ];
    case "eth-implicit":
    case "deterministic":
      return [
        [transfer_cost, 1],
        [create_account_cost, 1],
      ];
    case "universal":
      return config.view.wasm_config.universal_accounts
        ? [
            [transfer_cost, 1],
            [create_account_cost, 1],
          ]
        : [[transfer_cost, 1]];
    case "named":
      return [[transfer_cost, 1]];
  }
}

function addKeyFees(config: ProtocolConfig, permission: Permission): [Fee, number][] {
  const { full_access_cost, function_call_cost, function_call_cost_per_byte } = config.fees.add_key_cost;
  if (permission === "FullAccess") return [[full_access_cost, 1]];
  return [
    [function_call_cost, 1],
    [function_call_cost_per_byte, methodNamesBytes(permission.methodNames)],
  ];
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

/** Gas to execute an action once it has arrived, not counting gas attached to a call. */
export function execGas(config: ProtocolConfig, action: Action, receiverId: string): number {
  return sum(actionFees(config, action, receiverId).map(([fee, count]) => fee.execution * count));
}

/** Gas to send actions. What a meta transaction carries is sent twice, and both are paid for at the start. */
function sendGas(
  config: ProtocolConfig,
  actions: Action[],
  receiverId: string,
  sameAccount: boolean,
): number {
  return sum(
    actions.map((action) => {
      const fees = actionFees(config, action, receiverId);
      const own = sum(fees.map(([fee, count]) => sendFee(fee, sameAccount) * count));
      if (action.type !== "Delegate") return own;
      const { receiverId: inner, actions: delegated } = action.delegateAction;
      return own + sendGas(config, delegated, inner, sameAccount);
    }),
  );
}

/** Gas to send what meta transactions hold a second time, from their sender to its receiver. */
export function delegatedSendGas(config: ProtocolConfig, actions: Action[]): number {
  return sum(
    actions.map((action) => {
      if (action.type !== "Delegate") return 0;
      const { senderId, receiverId, actions: inner } = action.delegateAction;
      return sendGas(config, inner, receiverId, senderId === receiverId);
    }),
  );
}

/** Gas to execute all actions of a receipt, and all that its meta transactions will start. */
export function totalExecGas(config: ProtocolConfig, actions: Action[], receiverId: string): number {
  return sum(
    actions.map((action) => {
      const own = execGas(config, action, receiverId);
      if (action.type !== "Delegate") return own;
      const { receiverId: inner, actions: delegated } = action.delegateAction;
      return own + config.receiptFee.execution + totalExecGas(config, delegated, inner);
    }),
  );
}

/** Gas attached to calls, those inside meta transactions included. */
export function attachedGas(actions: Action[]): number {
  return sum(
    actions.map((action) => {
      if (action.type === "FunctionCall") return action.gas;
      return action.type === "Delegate" ? attachedGas(action.delegateAction.actions) : 0;
    }),
  );
}

/** Tokens that move with the actions, those inside meta transactions included. */
export function totalDeposit(actions: Action[]): bigint {
  return actions.reduce((total, action) => {
    if (action.type === "FunctionCall" || action.type === "Transfer") return total + action.deposit;
    return action.type === "Delegate" ? total + totalDeposit(action.delegateAction.actions) : total;
  }, 0n);
}

/** What a transaction costs its signer when it becomes a receipt. */
export interface TransactionCost {
  /** Gas burnt at once, at the block's price. */
  gasBurnt: number;
  /** Gas bought for later, at `receiptGasPrice`; what isn't burnt comes back. */
  gasRemaining: number;
  receiptGasPrice: bigint;
  burntAmount: bigint;
  totalCost: bigint;
}

export function transactionCost(
  config: ProtocolConfig,
  signerId: string,
  receiverId: string,
  actions: Action[],
  gasPrice: bigint,
): TransactionCost {
  const sameAccount = signerId === receiverId;
  const gasBurnt =
    sendFee(config.receiptFee, sameAccount) + sendGas(config, actions, receiverId, sameAccount);
  const gasRemaining =
    attachedGas(actions) +
    delegatedSendGas(config, actions) +
    config.receiptFee.execution +
    totalExecGas(config, actions, receiverId);
  const receiptGasPrice = gasPrice > config.minGasPurchasePrice ? gasPrice : config.minGasPurchasePrice;
  const burntAmount = BigInt(gasBurnt) * gasPrice;
  const totalCost = burntAmount + BigInt(gasRemaining) * receiptGasPrice + totalDeposit(actions);
  return { gasBurnt, gasRemaining, receiptGasPrice, burntAmount, totalCost };
}
