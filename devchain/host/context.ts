/** One running call: its gas, registers, memory, logs, and what it will leave behind if it succeeds. */

import { isAccountId } from "../protocol/accounts.ts";
import { type ExtCosts, type Fee, type ProtocolConfig, sendFee } from "../protocol/config.ts";
import { keyFromBytes } from "../protocol/keys.ts";
import type { AccountContract, Action, DataReceiver } from "../protocol/types.ts";
import {
  gasExceeded,
  gasLimitExceeded,
  hostError,
  invalidPublicKey,
  memoryViolation,
  prohibitedInView,
} from "./errors.ts";

export type PromiseResult = { status: "successful"; data: Uint8Array } | { status: "failed" };

/** A contract's storage, seen through the account that runs. */
export interface ContractStorage {
  read(key: Uint8Array): Uint8Array | undefined;
  write(key: Uint8Array, value: Uint8Array): void;
  remove(key: Uint8Array): void;
  /** Trie nodes that a lookup for writing touches. */
  touchedNodes(key: Uint8Array): number;
  /** Whether a promise of this account that yielded still waits under a data id. */
  awaitsResume(dataId: string): boolean;
}

export interface CallInput {
  config: ProtocolConfig;
  chainId: string;
  currentAccountId: string;
  signerAccountId: string;
  signerPublicKey: Uint8Array;
  predecessorAccountId: string;
  refundToAccountId: string;
  method: string;
  args: Uint8Array;
  promiseResults: PromiseResult[];
  blockHeight: number;
  /** Nanoseconds since 1970. */
  blockTimestamp: bigint;
  epochHeight: number;
  accountBalance: bigint;
  lockedBalance: bigint;
  storageUsage: number;
  contract: AccountContract;
  attachedDeposit: bigint;
  prepaidGas: number;
  randomSeed: Uint8Array;
  isView: boolean;
  /** Who waits for the result: returning it is paid for each. */
  outputReceivers: string[];
  validators: ReadonlyMap<string, bigint>;
  storage: ContractStorage;
  newDataId: () => string;
}

/** A receipt that the call makes by the promise functions. */
export interface NewReceipt {
  receiverId: string;
  actions: Action[];
  outputDataReceivers: DataReceiver[];
  inputDataIds: string[];
  refundTo?: string;
  isPromiseYield?: boolean;
}

export type ReturnData =
  | { kind: "none" }
  | { kind: "value"; value: Uint8Array }
  | { kind: "receipt"; index: number };

/** A length argument that says "the pointer is a register" (u64::MAX, which as a number is 2^64). */
export const REGISTER_LENGTH = 2 ** 64;

export class CallContext {
  readonly input: CallInput;
  readonly ext: ExtCosts;
  memory = new Uint8Array();
  /** Gas that may still be burnt or attached. */
  left: number;
  /** Gas that leaves with promises. */
  promisesGas = 0;
  /** Compute beyond gas: some costs take a chunk's time more than they are charged. */
  extraCompute = 0;
  balance: bigint;
  storageUsage: number;
  readonly logs: string[] = [];
  #logBytes = 0;
  returnData: ReturnData = { kind: "none" };
  /** yoctoNEAR attached to promises by a contract that has none: one each may be (protocol version 85). */
  gifts = 0n;
  readonly receipts: NewReceipt[] = [];
  /** A promise is one receipt, or several joined. */
  readonly promises: (number | number[])[] = [];
  readonly gasWeights: { receipt: number; action: number; weight: bigint }[] = [];
  readonly resumes: { dataId: string; data: Uint8Array }[] = [];
  readonly #registers = new Map<number, Uint8Array>();

  constructor(input: CallInput) {
    this.input = input;
    this.ext = input.config.ext;
    this.left = input.isView ? input.config.limits.max_gas_burnt : input.prepaidGas;
    this.balance = input.accountBalance + input.attachedDeposit;
    this.storageUsage = input.storageUsage;
  }

  get #available(): number {
    return this.input.isView ? this.input.config.limits.max_gas_burnt : this.input.prepaidGas;
  }

  get burnt(): number {
    return Math.min(this.#available, this.#available - this.promisesGas - this.left);
  }

  get used(): number {
    return Math.min(this.#available, this.burnt + this.promisesGas);
  }

  /** The error of gas that has run out: `left` is below zero. */
  exhausted(): Error {
    const burnt = this.#available - this.promisesGas - this.left;
    return burnt > this.input.config.limits.max_gas_burnt ? gasLimitExceeded() : gasExceeded();
  }

  pay(gas: number): void {
    this.left -= gas;
    if (this.left < 0) throw this.exhausted();
  }

  payCost(cost: keyof ExtCosts, count = 1): void {
    this.pay(this.ext[cost] * count);
  }

  /** Sets gas aside for a promise. */
  prepay(gas: number): void {
    if (gas > this.left) {
      // As in nearcore the gas counts as wanted, not as burnt.
      throw gasExceeded();
    }
    this.left -= gas;
    this.promisesGas += gas;
  }

  /** Pays for sending an action or receipt now and sets aside what executing it costs. */
  payAction(fee: Fee, sameAccount: boolean, count = 1): void {
    this.pay(sendFee(fee, sameAccount) * count);
    this.prepay(fee.execution * count);
  }

  forbidInView(method: string): void {
    if (this.input.isView) throw prohibitedInView(method);
  }

  /** A view of guest memory, free of charge. */
  slice(pointer: number, length: number): Uint8Array {
    if (pointer + length > this.memory.length) throw memoryViolation();
    return this.memory.subarray(pointer, pointer + length);
  }

  readMemory(pointer: number, length: number): Uint8Array {
    this.payCost("read_memory_base");
    this.payCost("read_memory_byte", length);
    return this.slice(pointer, length);
  }

  writeMemory(pointer: number, data: Uint8Array): void {
    this.payCost("write_memory_base");
    this.payCost("write_memory_byte", data.length);
    this.slice(pointer, data.length).set(data);
  }

  readU128(pointer: number): bigint {
    const bytes = this.readMemory(pointer, 16);
    const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
    return view.getBigUint64(0, true) | (view.getBigUint64(8, true) << 64n);
  }

  writeU128(pointer: number, value: bigint): void {
    const bytes = new DataView(new ArrayBuffer(16));
    bytes.setBigUint64(0, value & 0xffff_ffff_ffff_ffffn, true);
    bytes.setBigUint64(8, value >> 64n, true);
    this.writeMemory(pointer, new Uint8Array(bytes.buffer));
  }

  register(id: number): Uint8Array {
    const data = this.#registers.get(id);
    if (!data)
      throw hostError("InvalidRegisterId", `Accessed invalid register id: ${id}`, { register_id: id });
    this.payCost("read_register_base");
    this.payCost("read_register_byte", data.length);
    return data;
  }

  registerLength(id: number): number | undefined {
    return this.#registers.get(id)?.length;
  }

  /** @param free bytes that were in the chain's memory anyway (a call's input and results) cost only the base. */
  setRegister(id: number, data: Uint8Array, free = false): void {
    this.payCost("write_register_base");
    if (!free) this.payCost("write_register_byte", data.length);
    const { max_register_size, max_number_registers } = this.input.config.limits;
    if (data.length > max_register_size || this.#registers.size >= max_number_registers)
      throw memoryViolation();
    this.#registers.set(id, data.slice());
  }

  /** Bytes named by a pointer and length, or by a register where the length is u64::MAX. */
  bytes(length: number, pointer: number): Uint8Array {
    return length === REGISTER_LENGTH ? this.register(pointer) : this.readMemory(pointer, length);
  }

  accountId(length: number, pointer: number): string {
    const bytes = this.bytes(length, pointer);
    this.payCost("utf8_decoding_base");
    this.payCost("utf8_decoding_byte", bytes.length);
    const id = decodeUtf8(bytes);
    if (!isAccountId(id)) throw hostError("InvalidAccountId", "VM Logic returned an invalid account id");
    return id;
  }

  /** Reads a key's bytes now; whether they are a key is asked later, as nearcore does. */
  publicKey(length: number, pointer: number): () => string {
    const bytes = this.bytes(length, pointer).slice();
    return () => {
      try {
        return keyFromBytes(bytes);
      } catch {
        throw invalidPublicKey();
      }
    };
  }

  get logSpace(): number {
    return this.input.config.limits.max_total_log_length - this.#logBytes;
  }

  logTooLong(length: number): Error {
    const limit = this.input.config.limits.max_total_log_length;
    const total = this.#logBytes + length;
    return hostError(
      "TotalLogLengthExceeded",
      `The length of a log message ${total} exceeds the limit ${limit}`,
      {
        length: total,
        limit,
      },
    );
  }

  log(message: string, length: number): void {
    if (length > this.logSpace) throw this.logTooLong(length);
    this.#logBytes += length;
    this.logs.push(message);
  }

  deduct(amount: bigint): void {
    if (amount > this.balance) throw hostError("BalanceExceeded", "Exceeded the account balance.");
    this.balance -= amount;
  }
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw hostError("BadUTF8", "String encoding is bad UTF-8 sequence.");
  }
}
