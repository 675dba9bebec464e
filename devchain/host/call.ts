/** Runs one method of a contract in a fresh instance. */
import { CallContext, type CallInput, type NewReceipt, type ReturnData } from "./context.ts";
import {
  CallError,
  codeDoesNotExist,
  gasExceeded,
  memoryViolation,
  methodResolveError,
  trapError,
} from "./errors.ts";
import { hostFunctions } from "./functions/index.ts";
import { GAS_EXPORT, MEMORY_EXPORT, START_EXPORT } from "./metering.ts";
import { type PreparedModule, prepareModule } from "./modules.ts";

/** The module's gas counter: an f64, so a number. */
type GasGlobal = WebAssembly.Global & { value: number };

export interface CallOutcome {
  error?: CallError;
  gasBurnt: number;
  gasUsed: number;
  /** What the call takes of a block's capacity: gas, and more for storage. */
  compute: number;
  logs: string[];
  balance: bigint;
  storageUsage: number;
  returnData: ReturnData;
  receipts: NewReceipt[];
  resumes: { dataId: string; data: Uint8Array }[];
  /** See `CallContext.gifts`. */
  gifts: bigint;
}

/** A call that ended before its contract was loaded: it burns nothing beyond the action's own fees. */
function nothing(input: CallInput, error: CallError): CallOutcome {
  return {
    error,
    gasBurnt: 0,
    gasUsed: 0,
    compute: 0,
    logs: [],
    balance: input.accountBalance,
    storageUsage: input.storageUsage,
    returnData: { kind: "none" },
    receipts: [],
    resumes: [],
    gifts: 0n,
  };
}

function outcome(ctx: CallContext, error?: CallError): CallOutcome {
  return {
    error,
    gasBurnt: ctx.burnt,
    gasUsed: ctx.used,
    compute: ctx.burnt + ctx.extraCompute,
    logs: ctx.logs,
    balance: ctx.balance,
    storageUsage: ctx.storageUsage,
    returnData: ctx.returnData,
    receipts: ctx.receipts,
    resumes: ctx.resumes,
    gifts: ctx.gifts,
  };
}

function unsigned(value: number | bigint): number {
  return typeof value === "bigint" ? Number(BigInt.asUintN(64, value)) : value >>> 0;
}

/** Wraps a host function: gas moves between the module's global and the context around it. */
function bind(name: string, ctx: CallContext, gas: () => GasGlobal, memory: () => WebAssembly.Memory) {
  const run = hostFunctions[name]!;
  const returnsU32 = name === "promise_yield_resume";
  return (...args: (number | bigint)[]) => {
    const global = gas();
    ctx.left = global.value;
    const { buffer } = memory();
    if (ctx.memory.buffer !== buffer) ctx.memory = new Uint8Array(buffer);
    const result = run(ctx, ...args.map(unsigned));
    global.value = ctx.left;
    if (result === undefined) return undefined;
    return returnsU32 ? Number(result) : BigInt(result as number | bigint);
  };
}

function instantiate(prepared: PreparedModule, ctx: CallContext) {
  let exports: Record<string, WebAssembly.ExportValue> = {};
  const gas = () => exports[GAS_EXPORT] as GasGlobal;
  const memory = () => exports[MEMORY_EXPORT] as WebAssembly.Memory;
  const env = Object.fromEntries(prepared.imports.map(({ name }) => [name, bind(name, ctx, gas, memory)]));
  exports = new WebAssembly.Instance(prepared.module, { env }).exports;
  return { exports, gas: gas() };
}

/** Gives the gas that is left to the promises that asked for a share of it (NEP-264). */
function distributeGas(ctx: CallContext): void {
  const total = ctx.gasWeights.reduce((sum, { weight }) => sum + weight, 0n);
  if (total === 0n || ctx.left <= 0) return;
  const left = BigInt(Math.floor(ctx.left));
  let given = 0n;
  ctx.gasWeights.forEach(({ receipt, action, weight }, index) => {
    const isLast = index === ctx.gasWeights.length - 1;
    const share = isLast ? left - given : (left * weight) / total;
    given += share;
    const call = ctx.receipts[receipt]!.actions[action];
    if (call?.type === "FunctionCall") call.gas += Number(share);
  });
  ctx.promisesGas += ctx.left;
  ctx.left = 0;
}

/** Calls `input.method`. Contract failures are part of the outcome; anything thrown is a defect of this chain. */
export function callContract(input: CallInput, codeHash: string, code: Uint8Array | undefined): CallOutcome {
  if (!code) return nothing(input, codeDoesNotExist(input.currentAccountId));
  if (input.method === "") return nothing(input, methodResolveError("MethodEmptyName"));
  const ctx = new CallContext(input);
  const prepared = prepareModule(codeHash, code, input.config);
  if (prepared instanceof CallError && "CompilationError" in Object(prepared.view))
    return outcome(ctx, prepared);
  try {
    ctx.payCost("contract_loading_bytes", code.length);
    ctx.payCost("contract_loading_base");
  } catch {
    return outcome(ctx, gasExceeded());
  }
  if (prepared instanceof CallError) return outcome(ctx, prepared);
  if (prepared.exports.get(input.method) !== "function")
    return nothing(input, methodResolveError("MethodNotFound"));
  return run(prepared, ctx);
}

function run(prepared: PreparedModule, ctx: CallContext): CallOutcome {
  let gas: GasGlobal | undefined;
  try {
    const instance = instantiate(prepared, ctx);
    gas = instance.gas;
    gas.value = ctx.left;
    const start = instance.exports[START_EXPORT];
    if (typeof start === "function") start();
    const method = instance.exports[ctx.input.method];
    if (typeof method !== "function" || method.length !== 0)
      return nothing(ctx.input, methodResolveError("MethodInvalidSignature"));
    method();
    ctx.left = gas.value;
  } catch (error) {
    return outcome(ctx, failure(error, ctx, gas));
  }
  if (!ctx.input.isView) distributeGas(ctx);
  return outcome(ctx);
}

function failure(error: unknown, ctx: CallContext, gas: GasGlobal | undefined): CallError {
  if (error instanceof CallError) return error;
  // V8's own stack ends where the protocol's would: nodes answer both with the same error.
  if (error instanceof RangeError) return memoryViolation();
  if (error instanceof WebAssembly.RuntimeError) {
    ctx.left = gas?.value ?? ctx.left;
    return ctx.left < 0 ? (ctx.exhausted() as CallError) : trapError(error);
  }
  throw error;
}
