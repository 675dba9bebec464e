/** Registers, what a call knows about itself, logs, panics and its result. */

import { sendFee } from "../../protocol/config.ts";
import { decodeHash } from "../../protocol/hash.ts";
import { type CallContext, decodeUtf8, REGISTER_LENGTH } from "../context.ts";
import { guestPanic, hostError, memoryViolation } from "../errors.ts";

/**
 * A host function: arguments as numbers (exact up to 2^53, u64::MAX as 2^64), an unsigned number (or bigint) or
 * nothing.
 */
export type HostFunction = (ctx: CallContext, ...args: number[]) => unknown;

const utf8 = (text: string) => Buffer.from(text, "utf8");

/** A function that puts a fact about the call into a register; some facts don't exist in a view. */
function fact(read: (ctx: CallContext) => Uint8Array, deniedInView?: string): HostFunction {
  return (ctx, register = 0) => {
    ctx.payCost("base");
    if (deniedInView) ctx.forbidInView(deniedInView);
    ctx.setRegister(register, read(ctx));
  };
}

function readNumber(read: (ctx: CallContext) => number | bigint, deniedInView?: string): HostFunction {
  return (ctx) => {
    ctx.payCost("base");
    if (deniedInView) ctx.forbidInView(deniedInView);
    return read(ctx);
  };
}

function balance(read: (ctx: CallContext) => bigint): HostFunction {
  return (ctx, pointer = 0) => {
    ctx.payCost("base");
    ctx.writeU128(pointer, read(ctx));
  };
}

/** Text of a log or panic: of the given length, or up to a zero byte where the length is u64::MAX. */
function readUtf8(ctx: CallContext, length: number, pointer: number): { text: string; length: number } {
  ctx.payCost("utf8_decoding_base");
  const limit = ctx.logSpace;
  let bytes: Uint8Array;
  if (length !== REGISTER_LENGTH) {
    if (length > limit) throw ctx.logTooLong(length);
    bytes = ctx.readMemory(pointer, length);
  } else {
    let end = 0;
    while (ctx.readMemory(pointer + end, 1)[0] !== 0) if (++end > limit) throw ctx.logTooLong(end);
    bytes = ctx.slice(pointer, end);
  }
  ctx.payCost("utf8_decoding_byte", bytes.length);
  return { text: decodeUtf8(bytes), length: bytes.length };
}

function readUtf16(ctx: CallContext, length: number, pointer: number): string {
  ctx.payCost("utf16_decoding_base");
  const limit = ctx.logSpace;
  let bytes: Uint8Array;
  if (length !== REGISTER_LENGTH) bytes = ctx.readMemory(pointer, length);
  else {
    let end = 0;
    while (ctx.readMemory(pointer + end, 2).some((byte) => byte !== 0)) {
      end += 2;
      if (end > limit) throw ctx.logTooLong(end);
    }
    bytes = ctx.slice(pointer, end);
  }
  const text = bytes.length % 2 === 0 ? Buffer.from(bytes).toString("utf16le") : "\ud800";
  if (!text.isWellFormed()) throw hostError("BadUTF16", "String encoding is bad UTF-16 sequence.");
  if (bytes.length > limit) throw ctx.logTooLong(bytes.length);
  ctx.payCost("utf16_decoding_byte", bytes.length);
  return text;
}

function checkLogCount(ctx: CallContext): void {
  const limit = ctx.input.config.limits.max_number_logs;
  if (ctx.logs.length >= limit)
    throw hostError("NumberOfLogsExceeded", `The number of logs will exceed the limit ${limit}`, { limit });
}

function writeLog(ctx: CallContext, text: string, prefix = ""): void {
  const length = Buffer.byteLength(text);
  ctx.payCost("log_base");
  ctx.payCost("log_byte", length);
  ctx.log(prefix + text, length + prefix.length);
}

function contractCode(ctx: CallContext, register: number): number {
  ctx.payCost("base");
  const contract = ctx.input.contract;
  if (contract.type === "none") return 0;
  if (contract.type === "local") {
    ctx.setRegister(register, decodeHash(contract.codeHash));
    return 1;
  }
  const id = contract.id;
  ctx.setRegister(register, "codeHash" in id ? decodeHash(id.codeHash) : utf8(id.accountId));
  return "codeHash" in id ? 2 : 3;
}

function valueReturn(ctx: CallContext, length: number, pointer: number): void {
  ctx.payCost("base");
  const value = ctx.bytes(length, pointer).slice();
  const { config, currentAccountId, outputReceivers } = ctx.input;
  const limit = config.limits.max_length_returned_data;
  if (value.length > limit)
    throw hostError(
      "ReturnedValueLengthExceeded",
      `The length of a returned value ${value.length} exceeds the limit ${limit}`,
      { length: value.length, limit },
    );
  for (const receiver of outputReceivers) {
    const fee = config.dataReceiptByteFee;
    ctx.pay((sendFee(fee, receiver === currentAccountId) + fee.execution) * value.length);
  }
  ctx.returnData = { kind: "value", value };
}

function abort(ctx: CallContext, message: number, file: number, line: number, column: number): void {
  ctx.payCost("base");
  if (message < 4 || file < 4) throw hostError("BadUTF16", "String encoding is bad UTF-16 sequence.");
  checkLogCount(ctx);
  const lengthBefore = (pointer: number) => {
    const bytes = ctx.readMemory(pointer - 4, 4);
    return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  };
  const messageLength = lengthBefore(message);
  const fileLength = lengthBefore(file);
  const text = readUtf16(ctx, messageLength, message);
  const name = readUtf16(ctx, fileLength, file);
  const whole = `${text}, filename: "${name}" line: ${line} col: ${column}`;
  writeLog(ctx, whole, "ABORT: ");
  throw guestPanic(whole);
}

export const basics: Record<string, HostFunction> = {
  read_register(ctx, register = 0, pointer = 0) {
    ctx.payCost("base");
    ctx.writeMemory(pointer, ctx.register(register));
  },
  register_len(ctx, register = 0) {
    ctx.payCost("base");
    return ctx.registerLength(register) ?? -1n;
  },
  write_register(ctx, register = 0, length = 0, pointer = 0) {
    ctx.payCost("base");
    ctx.setRegister(register, ctx.readMemory(pointer, length));
  },
  current_account_id: fact((ctx) => utf8(ctx.input.currentAccountId)),
  chain_id: fact((ctx) => utf8(ctx.input.chainId)),
  signer_account_id: fact((ctx) => utf8(ctx.input.signerAccountId), "signer_account_id"),
  signer_account_pk: fact((ctx) => ctx.input.signerPublicKey, "signer_account_pk"),
  predecessor_account_id: fact((ctx) => utf8(ctx.input.predecessorAccountId), "predecessor_account_id"),
  refund_to_account_id: fact((ctx) => utf8(ctx.input.refundToAccountId), "refund_to_account_id"),
  random_seed: fact((ctx) => ctx.input.randomSeed),
  input(ctx, register = 0) {
    ctx.payCost("base");
    ctx.setRegister(register, ctx.input.args, true);
  },
  block_index: readNumber((ctx) => ctx.input.blockHeight),
  block_timestamp: readNumber((ctx) => ctx.input.blockTimestamp),
  epoch_height: readNumber((ctx) => ctx.input.epochHeight),
  storage_usage: readNumber((ctx) => ctx.storageUsage),
  prepaid_gas: readNumber((ctx) => ctx.input.prepaidGas, "prepaid_gas"),
  used_gas: readNumber((ctx) => ctx.used, "used_gas"),
  account_balance: balance((ctx) => ctx.balance),
  account_locked_balance: balance((ctx) => ctx.input.lockedBalance),
  attached_deposit: balance((ctx) => ctx.input.attachedDeposit),
  validator_stake(ctx, length = 0, pointer = 0, stakePointer = 0) {
    ctx.payCost("base");
    const id = ctx.accountId(length, pointer);
    ctx.payCost("validator_stake_base");
    ctx.writeU128(stakePointer, ctx.input.validators.get(id) ?? 0n);
  },
  validator_total_stake(ctx, stakePointer = 0) {
    ctx.payCost("base");
    ctx.payCost("validator_total_stake_base");
    ctx.writeU128(
      stakePointer,
      [...ctx.input.validators.values()].reduce((sum, stake) => sum + stake, 0n),
    );
  },
  current_contract_code: (ctx, register = 0) => contractCode(ctx, register),
  value_return: (ctx, length = 0, pointer = 0) => valueReturn(ctx, length, pointer),
  panic(ctx) {
    ctx.payCost("base");
    throw guestPanic("explicit guest panic");
  },
  panic_utf8(ctx, length = 0, pointer = 0) {
    ctx.payCost("base");
    throw guestPanic(readUtf8(ctx, length, pointer).text);
  },
  log_utf8(ctx, length = 0, pointer = 0) {
    ctx.payCost("base");
    checkLogCount(ctx);
    writeLog(ctx, readUtf8(ctx, length, pointer).text);
  },
  log_utf16(ctx, length = 0, pointer = 0) {
    ctx.payCost("base");
    checkLogCount(ctx);
    writeLog(ctx, readUtf16(ctx, length, pointer));
  },
  abort: (ctx, message = 0, file = 0, line = 0, column = 0) => {
    if (message > 2 ** 32 || file > 2 ** 32) throw memoryViolation();
    abort(ctx, message, file, line, column);
  },
};
