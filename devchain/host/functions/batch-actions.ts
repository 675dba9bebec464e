/** Actions that a call appends to its promises, each paid for as if a transaction sent it. */
import type { Fee } from "../../protocol/config.ts";
import { globalContractIdBytes, methodNamesBytes, transferFees } from "../../protocol/fees.ts";
import { encodeHash } from "../../protocol/hash.ts";
import type { Action, GlobalContractId, Permission } from "../../protocol/types.ts";
import { type CallContext, decodeUtf8 } from "../context.ts";
import { hostError } from "../errors.ts";
import type { HostFunction } from "./basics.ts";
import { promiseAt } from "./promise-index.ts";

/** The receipt of a promise that isn't joint, and whether it goes to the running account itself. */
function receiptOf(ctx: CallContext, promise: number): { receipt: number; same: boolean } {
  const receipt = promiseAt(ctx, promise);
  if (typeof receipt !== "number")
    throw hostError("CannotAppendActionToJointPromise", "Actions can only be appended to non-joint promise.");
  return { receipt, same: ctx.receipts[receipt]!.receiverId === ctx.input.currentAccountId };
}

function append(ctx: CallContext, promise: number, fees: [Fee, number][], action: () => Action): void {
  const { receipt, same } = receiptOf(ctx, promise);
  for (const [fee, count] of fees) ctx.payAction(fee, same, count);
  ctx.receipts[receipt]!.actions.push(action());
}

function start(ctx: CallContext, name: string): void {
  ctx.payCost("base");
  ctx.forbidInView(name);
}

function methodName(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes);
  } catch {
    throw hostError("InvalidMethodName", "VM Logic returned an invalid method name");
  }
}

/** Appends a call and remembers its share of the gas that will be left over. */
export function appendFunctionCall(
  ctx: CallContext,
  receipt: number,
  method: Uint8Array,
  args: Uint8Array,
  deposit: bigint,
  gas: number,
  weight: bigint,
): void {
  const actions = ctx.receipts[receipt]!.actions;
  actions.push({ type: "FunctionCall", methodName: methodName(method), args, gas, deposit });
  if (weight > 0n) ctx.gasWeights.push({ receipt, action: actions.length - 1, weight });
}

function functionCall(ctx: CallContext, args: number[]): void {
  const [
    promise = 0,
    nameLength = 0,
    namePointer = 0,
    argsLength = 0,
    argsPointer = 0,
    amountPointer = 0,
    gas = 0,
    weight = 0,
  ] = args;
  const { config } = ctx.input;
  start(ctx, "promise_batch_action_function_call");
  const amount = ctx.readU128(amountPointer);
  const method = ctx.bytes(nameLength, namePointer).slice();
  if (method.length === 0) throw hostError("EmptyMethodName", "Tried to call an empty method name.");
  const callArgs = ctx.bytes(argsLength, argsPointer).slice();
  const { receipt, same } = receiptOf(ctx, promise);
  ctx.payAction(config.fees.function_call_cost, same);
  ctx.payAction(config.fees.function_call_cost_per_byte, same, method.length + callArgs.length);
  ctx.prepay(gas);
  const isGift = amount === 1n && ctx.balance === 0n && config.view.wasm_config.one_yocto_on_promise;
  if (isGift) ctx.gifts += amount;
  else ctx.deduct(amount);
  appendFunctionCall(ctx, receipt, method, callArgs, amount, gas, BigInt(weight));
}

function readCode(ctx: CallContext, length: number, pointer: number): Uint8Array {
  const code = ctx.bytes(length, pointer).slice();
  const limit = ctx.input.config.limits.max_contract_size;
  if (code.length > limit)
    throw hostError(
      "ContractSizeExceeded",
      `The size of a contract code in DeployContract action ${code.length} exceeds the limit ${limit}`,
      { size: code.length, limit },
    );
  return code;
}

function deployGlobal(name: string, mode: "CodeHash" | "AccountId"): HostFunction {
  return (ctx, promise = 0, length = 0, pointer = 0) => {
    start(ctx, name);
    const code = readCode(ctx, length, pointer);
    const { deploy_global_contract_cost, deploy_global_contract_cost_per_byte } = ctx.input.config.fees;
    const fees: [Fee, number][] = [
      [deploy_global_contract_cost, 1],
      [deploy_global_contract_cost_per_byte, code.length],
    ];
    append(ctx, promise, fees, () => ({ type: "DeployGlobalContract", code, mode }));
  };
}

function useGlobal(ctx: CallContext, promise: number, id: GlobalContractId): void {
  const { use_global_contract_cost, use_global_contract_cost_per_byte } = ctx.input.config.fees;
  const fees: [Fee, number][] = [
    [use_global_contract_cost, 1],
    [use_global_contract_cost_per_byte, globalContractIdBytes(id)],
  ];
  append(ctx, promise, fees, () => ({ type: "UseGlobalContract", id }));
}

/** Method names of a key: separated by commas, none of them empty. */
function splitMethodNames(bytes: Uint8Array): string[] {
  if (bytes.length === 0) return [];
  const names = methodName(bytes).split(",");
  if (names.includes("")) throw hostError("EmptyMethodName", "Tried to call an empty method name.");
  return names;
}

function addFunctionCallKey(ctx: CallContext, args: number[]): void {
  const [promise = 0, keyLength = 0, keyPointer = 0, nonce = 0, allowancePointer = 0, ...rest] = args;
  const [receiverLength = 0, receiverPointer = 0, namesLength = 0, namesPointer = 0] = rest;
  start(ctx, "promise_batch_action_add_key_with_function_call");
  const key = ctx.publicKey(keyLength, keyPointer);
  const allowance = ctx.readU128(allowancePointer);
  const receiverId = ctx.accountId(receiverLength, receiverPointer);
  const methodNames = splitMethodNames(ctx.bytes(namesLength, namesPointer).slice());
  const permission: Permission = { allowance: allowance > 0n ? allowance : null, receiverId, methodNames };
  const { function_call_cost, function_call_cost_per_byte } = ctx.input.config.fees.add_key_cost;
  const fees: [Fee, number][] = [
    [function_call_cost, 1],
    [function_call_cost_per_byte, methodNamesBytes(methodNames)],
  ];
  append(ctx, promise, fees, () => ({ type: "AddKey", publicKey: key(), accessKey: { nonce, permission } }));
}

export const batchActions: Record<string, HostFunction> = {
  promise_batch_action_create_account(ctx, promise = 0) {
    start(ctx, "promise_batch_action_create_account");
    append(ctx, promise, [[ctx.input.config.fees.create_account_cost, 1]], () => ({ type: "CreateAccount" }));
  },
  promise_batch_action_deploy_contract(ctx, promise = 0, length = 0, pointer = 0) {
    start(ctx, "promise_batch_action_deploy_contract");
    const code = readCode(ctx, length, pointer);
    const { deploy_contract_cost, deploy_contract_cost_per_byte } = ctx.input.config.fees;
    const fees: [Fee, number][] = [
      [deploy_contract_cost, 1],
      [deploy_contract_cost_per_byte, code.length],
    ];
    append(ctx, promise, fees, () => ({ type: "DeployContract", code }));
  },
  promise_batch_action_deploy_global_contract: deployGlobal(
    "promise_batch_action_deploy_global_contract",
    "CodeHash",
  ),
  promise_batch_action_deploy_global_contract_by_account_id: deployGlobal(
    "promise_batch_action_deploy_global_contract_by_account_id",
    "AccountId",
  ),
  promise_batch_action_use_global_contract(ctx, promise = 0, length = 0, pointer = 0) {
    start(ctx, "promise_batch_action_use_global_contract");
    const hash = ctx.bytes(length, pointer);
    if (hash.length !== 32) throw hostError("ContractCodeHashMalformed", "contract code hash is malformed");
    useGlobal(ctx, promise, { codeHash: encodeHash(hash) });
  },
  promise_batch_action_use_global_contract_by_account_id(ctx, promise = 0, length = 0, pointer = 0) {
    start(ctx, "promise_batch_action_use_global_contract_by_account_id");
    useGlobal(ctx, promise, { accountId: ctx.accountId(length, pointer) });
  },
  promise_batch_action_function_call: (ctx, ...args) => functionCall(ctx, args.slice(0, 7)),
  promise_batch_action_function_call_weight: (ctx, ...args) => functionCall(ctx, args),
  promise_batch_action_transfer(ctx, promise = 0, amountPointer = 0) {
    start(ctx, "promise_batch_action_transfer");
    const deposit = ctx.readU128(amountPointer);
    const { receipt } = receiptOf(ctx, promise);
    const fees = transferFees(ctx.input.config, ctx.receipts[receipt]!.receiverId);
    append(ctx, promise, fees, () => {
      ctx.deduct(deposit);
      return { type: "Transfer", deposit };
    });
  },
  promise_batch_action_stake(ctx, promise = 0, amountPointer = 0, keyLength = 0, keyPointer = 0) {
    start(ctx, "promise_batch_action_stake");
    const stake = ctx.readU128(amountPointer);
    const key = ctx.publicKey(keyLength, keyPointer);
    append(ctx, promise, [[ctx.input.config.fees.stake_cost, 1]], () => ({
      type: "Stake",
      stake,
      publicKey: key(),
    }));
  },
  promise_batch_action_add_key_with_full_access(ctx, promise = 0, length = 0, pointer = 0, nonce = 0) {
    start(ctx, "promise_batch_action_add_key_with_full_access");
    const key = ctx.publicKey(length, pointer);
    append(ctx, promise, [[ctx.input.config.fees.add_key_cost.full_access_cost, 1]], () => ({
      type: "AddKey",
      publicKey: key(),
      accessKey: { nonce, permission: "FullAccess" },
    }));
  },
  promise_batch_action_add_key_with_function_call: (ctx, ...args) => addFunctionCallKey(ctx, args),
  promise_batch_action_delete_key(ctx, promise = 0, length = 0, pointer = 0) {
    start(ctx, "promise_batch_action_delete_key");
    const key = ctx.publicKey(length, pointer);
    append(ctx, promise, [[ctx.input.config.fees.delete_key_cost, 1]], () => ({
      type: "DeleteKey",
      publicKey: key(),
    }));
  },
  promise_batch_action_delete_account(ctx, promise = 0, length = 0, pointer = 0) {
    start(ctx, "promise_batch_action_delete_account");
    const beneficiaryId = ctx.accountId(length, pointer);
    append(ctx, promise, [[ctx.input.config.fees.delete_account_cost, 1]], () => ({
      type: "DeleteAccount",
      beneficiaryId,
    }));
  },
};
