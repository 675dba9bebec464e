/** What the protocol refuses without looking at the state: limits of actions and receipts. Pure. */
import { isAccountId } from "../protocol/accounts.ts";
import type { LimitConfig, ProtocolConfig } from "../protocol/config.ts";
import { attachedGas, methodNamesBytes } from "../protocol/fees.ts";
import type { Action, ErrorView, Permission } from "../protocol/types.ts";

/** The first rule that a list of actions breaks, as an `ActionsValidationError`, or undefined. */
export function validateActions(config: ProtocolConfig, actions: Action[]): ErrorView | undefined {
  const { limits } = config;
  if (actions.length > limits.max_actions_per_receipt)
    return {
      TotalNumberOfActionsExceeded: {
        total_number_of_actions: actions.length,
        limit: limits.max_actions_per_receipt,
      },
    };
  const deployments = actions.filter(
    ({ type }) => type === "DeployContract" || type === "DeployGlobalContract",
  );
  if (deployments.length > limits.max_deploy_actions_per_receipt)
    return {
      TotalNumberOfDeployActionsExceeded: {
        number_of_deploy_actions: deployments.length,
        limit: limits.max_deploy_actions_per_receipt,
      },
    };
  let hasDelegate = false;
  for (const [index, action] of actions.entries()) {
    if (action.type === "DeleteAccount" && index !== actions.length - 1) return "DeleteActionMustBeFinal";
    if (action.type === "Delegate") {
      if (hasDelegate) return "DelegateActionMustBeOnlyOne";
      hasDelegate = true;
    }
    const error = validateAction(config, action);
    if (error) return error;
  }
  const total = attachedGas(actions);
  if (total > limits.max_total_prepaid_gas)
    return { TotalPrepaidGasExceeded: { total_prepaid_gas: total, limit: limits.max_total_prepaid_gas } };
  return undefined;
}

function validateAction(config: ProtocolConfig, action: Action): ErrorView | undefined {
  const { limits } = config;
  switch (action.type) {
    case "DeployContract":
    case "DeployGlobalContract":
      return action.code.length > limits.max_contract_size
        ? { ContractSizeExceeded: { size: action.code.length, limit: limits.max_contract_size } }
        : undefined;
    case "FunctionCall":
      return validateFunctionCall(config, action);
    case "Stake":
      return action.publicKey.startsWith("ed25519:")
        ? undefined
        : { UnsuitableStakingKey: { public_key: action.publicKey } };
    case "AddKey":
      return validatePermission(limits, action.accessKey.permission);
    case "DeleteAccount":
      return invalidAccountId(action.beneficiaryId);
    case "UseGlobalContract":
      return "accountId" in action.id ? invalidAccountId(action.id.accountId) : undefined;
    case "Delegate":
      return validateActions(config, action.delegateAction.actions);
    case "CreateAccount":
    case "Transfer":
    case "DeleteKey":
      return undefined;
  }
}

function invalidAccountId(accountId: string): ErrorView | undefined {
  return isAccountId(accountId) ? undefined : { InvalidAccountId: { account_id: accountId } };
}

function validateFunctionCall(
  { limits, protocolVersion }: ProtocolConfig,
  call: Extract<Action, { type: "FunctionCall" }>,
): ErrorView | undefined {
  if (call.gas === 0) return "FunctionCallZeroAttachedGas";
  if (call.methodName === "" && protocolVersion >= 87) return "FunctionCallEmptyMethodName";
  const nameBytes = Buffer.byteLength(call.methodName);
  if (nameBytes > limits.max_length_method_name)
    return {
      FunctionCallMethodNameLengthExceeded: { length: nameBytes, limit: limits.max_length_method_name },
    };
  if (call.args.length > limits.max_arguments_length)
    return {
      FunctionCallArgumentsLengthExceeded: { length: call.args.length, limit: limits.max_arguments_length },
    };
  return undefined;
}

function validatePermission(limits: LimitConfig, permission: Permission): ErrorView | undefined {
  if (permission === "FullAccess") return undefined;
  const invalid = invalidAccountId(permission.receiverId);
  if (invalid) return invalid;
  for (const name of permission.methodNames) {
    const length = Buffer.byteLength(name);
    if (length > limits.max_length_method_name)
      return { AddKeyMethodNameLengthExceeded: { length, limit: limits.max_length_method_name } };
  }
  const total = methodNamesBytes(permission.methodNames);
  if (total > limits.max_number_bytes_method_names)
    return {
      AddKeyMethodNamesNumberOfBytesExceeded: {
        total_number_of_bytes: total,
        limit: limits.max_number_bytes_method_names,
      },
    };
  return undefined;
}
