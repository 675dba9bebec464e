/** Promises: receipts that a call makes, how they wait for each other, and the results of those it waited for. */
import { sendFee } from "../../protocol/config.ts";
import { decodeHash, encodeHash } from "../../protocol/hash.ts";
import type { CallContext } from "../context.ts";
import { hostError } from "../errors.ts";
import type { HostFunction } from "./basics.ts";
import { appendFunctionCall, batchActions } from "./batch-actions.ts";
import { promiseAt } from "./promise-index.ts";

function pushPromise(ctx: CallContext, promise: number | number[]): number {
  ctx.promises.push(promise);
  const limit = ctx.input.config.limits.max_promises_per_function_call_action;
  const count = ctx.promises.length;
  if (count > limit)
    throw hostError(
      "NumberPromisesExceeded",
      `The number of promises within a FunctionCall ${count} exceeds the limit ${limit}`,
      { number_of_promises: count, limit },
    );
  return count - 1;
}

/** Pays for a receipt and for each result it waits for, which arrives as a data receipt. */
function payNewReceipt(ctx: CallContext, sameAccount: boolean, dependencies: boolean[]): void {
  const { receiptFee, dataReceiptFee } = ctx.input.config;
  const data = dependencies.reduce(
    (sum, same) => sum + sendFee(dataReceiptFee, same) + dataReceiptFee.execution,
    0,
  );
  ctx.pay(sendFee(receiptFee, sameAccount) + data);
  ctx.prepay(receiptFee.execution);
}

function newReceipt(ctx: CallContext, receiverId: string, dependencies: number[]): number {
  const same = dependencies.map((index) => ctx.receipts[index]!.receiverId === receiverId);
  payNewReceipt(ctx, receiverId === ctx.input.currentAccountId, same);
  const inputDataIds = dependencies.map((index) => {
    const dataId = ctx.input.newDataId();
    ctx.receipts[index]!.outputDataReceivers.push({ dataId, receiverId });
    return dataId;
  });
  ctx.receipts.push({ receiverId, actions: [], outputDataReceivers: [], inputDataIds });
  return ctx.receipts.length - 1;
}

function batchCreate(ctx: CallContext, length: number, pointer: number): number {
  ctx.payCost("base");
  ctx.forbidInView("promise_batch_create");
  return pushPromise(ctx, newReceipt(ctx, ctx.accountId(length, pointer), []));
}

function batchThen(ctx: CallContext, index: number, length: number, pointer: number): number {
  ctx.payCost("base");
  ctx.forbidInView("promise_batch_then");
  const receiverId = ctx.accountId(length, pointer);
  return pushPromise(ctx, newReceipt(ctx, receiverId, [promiseAt(ctx, index)].flat()));
}

function and(ctx: CallContext, pointer: number, count: number): number {
  ctx.payCost("base");
  ctx.forbidInView("promise_and");
  ctx.payCost("promise_and_base");
  ctx.payCost("promise_and_per_promise", count * 8);
  const bytes = ctx.readMemory(pointer, count * 8);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const receipts: number[] = [];
  const limit = ctx.input.config.limits.max_number_input_data_dependencies;
  for (let i = 0; i < count; i++) {
    receipts.push(...[promiseAt(ctx, Number(view.getBigUint64(i * 8, true)))].flat());
    if (receipts.length > limit)
      throw hostError(
        "NumberInputDataDependenciesExceeded",
        `The number of input data dependencies ${receipts.length} exceeds the limit ${limit}`,
        { number_of_input_data_dependencies: receipts.length, limit },
      );
  }
  return pushPromise(ctx, receipts);
}

/** NEP-519: a promise of the contract to itself that waits until the contract resumes it, or 200 blocks. */
function yieldCreate(ctx: CallContext, args: number[]): number {
  const [
    methodLength = 0,
    methodPointer = 0,
    argsLength = 0,
    argsPointer = 0,
    gas = 0,
    weight = 0,
    register = 0,
  ] = args;
  const { config, currentAccountId } = ctx.input;
  ctx.payCost("base");
  ctx.forbidInView("promise_yield_create");
  ctx.payCost("yield_create_base");
  const method = ctx.bytes(methodLength, methodPointer).slice();
  if (method.length === 0) throw hostError("EmptyMethodName", "Tried to call an empty method name.");
  const callArgs = ctx.bytes(argsLength, argsPointer).slice();
  const bytes = method.length + callArgs.length;
  ctx.payCost("yield_create_byte", bytes);
  ctx.prepay(gas);
  payNewReceipt(ctx, true, [true]);
  const dataId = ctx.input.newDataId();
  const receipt = {
    receiverId: currentAccountId,
    actions: [],
    outputDataReceivers: [],
    inputDataIds: [dataId],
    isPromiseYield: true,
  };
  const promise = pushPromise(ctx, ctx.receipts.push(receipt) - 1);
  ctx.payAction(config.fees.function_call_cost, true);
  ctx.payAction(config.fees.function_call_cost_per_byte, true, bytes);
  appendFunctionCall(ctx, ctx.receipts.length - 1, method, callArgs, 0n, gas, BigInt(weight));
  ctx.setRegister(register, decodeHash(dataId));
  return promise;
}

function yieldResume(ctx: CallContext, args: number[]): number {
  const [idLength = 0, idPointer = 0, payloadLength = 0, payloadPointer = 0] = args;
  ctx.payCost("base");
  ctx.forbidInView("promise_yield_resume");
  ctx.payCost("yield_resume_base");
  ctx.payCost("yield_resume_byte", payloadLength);
  const id = ctx.bytes(idLength, idPointer).slice();
  const data = ctx.bytes(payloadLength, payloadPointer).slice();
  const limit = ctx.input.config.limits.max_yield_payload_size;
  if (data.length > limit)
    throw hostError(
      "YieldPayloadLength",
      `Yield resume payload is ${data.length} bytes which exceeds the ${limit} byte limit`,
      { length: data.length, limit },
    );
  if (id.length !== 32) throw hostError("DataIdMalformed", "yield resumption token is malformed");
  const dataId = encodeHash(id);
  const isOwn = ctx.receipts.some((receipt) => receipt.isPromiseYield && receipt.inputDataIds[0] === dataId);
  const isResumed = ctx.resumes.some((resume) => resume.dataId === dataId);
  if (isResumed || !(isOwn || ctx.input.storage.awaitsResume(dataId))) return 0;
  ctx.resumes.push({ dataId, data });
  return 1;
}

function promiseReturn(ctx: CallContext, index: number): void {
  ctx.payCost("base");
  ctx.payCost("promise_return");
  ctx.forbidInView("promise_return");
  const promise = promiseAt(ctx, index);
  if (typeof promise !== "number")
    throw hostError("CannotReturnJointPromise", "Returning joint promise is currently prohibited.");
  ctx.returnData = { kind: "receipt", index: promise };
}

function promiseResult(ctx: CallContext, index: number, register: number): number {
  ctx.payCost("base");
  ctx.forbidInView("promise_result");
  const result = ctx.input.promiseResults[index];
  if (!result)
    throw hostError("InvalidPromiseResultIndex", `Accessed invalid promise result index: ${index}`, {
      result_idx: index,
    });
  if (result.status === "failed") return 2;
  ctx.setRegister(register, result.data, true);
  return 1;
}

export const promises: Record<string, HostFunction> = {
  promise_batch_create: (ctx, length = 0, pointer = 0) => batchCreate(ctx, length, pointer),
  promise_batch_then: (ctx, index = 0, length = 0, pointer = 0) => batchThen(ctx, index, length, pointer),
  promise_create(ctx, length = 0, pointer = 0, ...call) {
    const promise = batchCreate(ctx, length, pointer);
    batchActions.promise_batch_action_function_call!(ctx, promise, ...call);
    return promise;
  },
  promise_then(ctx, index = 0, length = 0, pointer = 0, ...call) {
    const promise = batchThen(ctx, index, length, pointer);
    batchActions.promise_batch_action_function_call!(ctx, promise, ...call);
    return promise;
  },
  promise_and: (ctx, pointer = 0, count = 0) => and(ctx, pointer, count),
  promise_set_refund_to(ctx, index = 0, length = 0, pointer = 0) {
    ctx.payCost("base");
    ctx.forbidInView("promise_set_refund_to");
    const refundTo = ctx.accountId(length, pointer);
    const promise = promiseAt(ctx, index);
    if (typeof promise !== "number")
      throw hostError(
        "CannotSetRefundToOnJointPromise",
        "Setting refund_to on a joint promise is prohibited.",
      );
    ctx.receipts[promise]!.refundTo = refundTo;
  },
  promise_yield_create: (ctx, ...args) => yieldCreate(ctx, args),
  promise_yield_resume: (ctx, ...args) => yieldResume(ctx, args),
  promise_results_count(ctx) {
    ctx.payCost("base");
    ctx.forbidInView("promise_results_count");
    return ctx.input.promiseResults.length;
  },
  promise_result: (ctx, index = 0, register = 0) => promiseResult(ctx, index, register),
  promise_return: (ctx, index = 0) => promiseReturn(ctx, index),
};
