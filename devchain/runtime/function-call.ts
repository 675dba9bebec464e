/** Function calls: the code of an account, what the call sees, and what it leaves. */
import { type CallOutcome, callContract } from "../host/call.ts";
import type { CallInput, ContractStorage, PromiseResult } from "../host/context.ts";
import type { ProtocolConfig } from "../protocol/config.ts";
import { actionHash, dataId, randomSeed } from "../protocol/hash.ts";
import { keyBytes } from "../protocol/keys.ts";
import type { Account, Action, ActionReceipt } from "../protocol/types.ts";
import { type Snapshot, stateKey, type Workspace } from "../state/workspace.ts";
import { globalCodeKey, type Progress } from "./actions.ts";

/** What a call can know of the block it runs in. */
export interface BlockFacts {
  height: number;
  /** Nanoseconds since 1970. */
  timestamp: bigint;
  epochHeight: number;
  randomValue: Uint8Array;
  chainId: string;
  validators: ReadonlyMap<string, bigint>;
}

/** The hash and bytes of the code that an account runs, its own or published globally. */
export function codeOf(
  state: Snapshot,
  account: Account,
): { codeHash: string; code: Uint8Array } | undefined {
  const { contract } = account;
  if (contract.type === "none") return undefined;
  const codeHash =
    contract.type === "local" ? contract.codeHash : state.get<string>(globalCodeKey(contract.id));
  const code = codeHash === undefined ? undefined : state.code(codeHash);
  return codeHash === undefined || code === undefined ? undefined : { codeHash, code };
}

function storageOf(state: Workspace, accountId: string): ContractStorage {
  const at = (key: Uint8Array) => stateKey.data(accountId, key);
  return {
    read: (key) => state.get<Uint8Array>(at(key)),
    write: (key, value) => state.set(at(key), value),
    remove: (key) => state.delete(at(key)),
    touchedNodes: (key) => state.touchedNodes(at(key)),
    awaitsResume: (id) => state.get(stateKey.yieldTimeout(accountId, id)) !== undefined,
  };
}

/** What a call sees of its block and of its own account, whether it may write or not. */
const surroundings = (config: ProtocolConfig, block: BlockFacts, account: Account, accountId: string) =>
  ({
    config,
    chainId: block.chainId,
    blockHeight: block.height,
    blockTimestamp: block.timestamp,
    epochHeight: block.epochHeight,
    validators: block.validators,
    currentAccountId: accountId,
    accountBalance: account.amount,
    lockedBalance: account.locked,
    storageUsage: account.storageUsage,
    contract: account.contract,
  }) satisfies Partial<CallInput>;

/** Runs a call of a receipt and merges what it did into the receipt's progress. */
export function functionCall(
  progress: Progress,
  block: BlockFacts,
  action: Extract<Action, { type: "FunctionCall" }>,
  index: number,
  promiseResults: PromiseResult[],
): CallOutcome {
  const { config, state, receipt, height } = progress;
  const account = progress.account!;
  const accountId = receipt.receiverId;
  const hash = actionHash(receipt.id, height, index);
  let dataCount = 0;
  const isLast = index === receipt.actions.length - 1;
  const outcome = runCode(state, account, {
    ...surroundings(config, block, account, accountId),
    signerAccountId: receipt.signerId,
    signerPublicKey: keyBytes(receipt.signerPublicKey),
    predecessorAccountId: receipt.predecessorId,
    refundToAccountId: receipt.refundTo ?? receipt.predecessorId,
    method: action.methodName,
    args: action.args,
    promiseResults,
    blockHeight: height,
    attachedDeposit: action.deposit,
    prepaidGas: action.gas,
    randomSeed: randomSeed(hash, block.randomValue),
    isView: false,
    outputReceivers: isLast ? receipt.outputDataReceivers.map(({ receiverId }) => receiverId) : [],
    storage: storageOf(state, accountId),
    newDataId: () => dataId(hash, height, dataCount++),
  });
  if (outcome.error) return outcome;
  progress.account = { ...account, amount: outcome.balance, storageUsage: outcome.storageUsage };
  addReceipts(progress, outcome);
  return outcome;
}

function runCode(state: Snapshot, account: Account, input: CallInput): CallOutcome {
  const found = codeOf(state, account);
  return callContract(input, found?.codeHash ?? "", found?.code);
}

function addReceipts(progress: Progress, outcome: CallOutcome): void {
  const { receipt, state, config, height } = progress;
  const accountId = receipt.receiverId;
  const base = {
    predecessorId: accountId,
    signerId: receipt.signerId,
    signerPublicKey: receipt.signerPublicKey,
    gasPrice: receipt.gasPrice,
  } satisfies Partial<ActionReceipt>;
  for (const made of outcome.receipts) {
    progress.newReceipts.push({ kind: "action", ...base, ...made });
    const [id] = made.inputDataIds;
    if (made.isPromiseYield && id)
      state.set(stateKey.yieldTimeout(accountId, id), height + config.limits.yield_timeout_length_in_blocks);
  }
  for (const { dataId: id, data } of outcome.resumes) {
    state.delete(stateKey.yieldTimeout(accountId, id));
    progress.newReceipts.push({
      kind: "data",
      predecessorId: accountId,
      receiverId: accountId,
      dataId: id,
      data,
      isPromiseResume: true,
    });
  }
}

/** Calls a method without changing anything, as `query` does. */
export function viewCall(
  config: ProtocolConfig,
  state: Snapshot,
  account: Account,
  accountId: string,
  block: BlockFacts,
  method: string,
  args: Uint8Array,
): CallOutcome {
  const forbidden = (): never => {
    throw new Error("a view can't write");
  };
  return runCode(state, account, {
    ...surroundings(config, block, account, accountId),
    signerAccountId: accountId,
    signerPublicKey: new Uint8Array(),
    predecessorAccountId: accountId,
    refundToAccountId: accountId,
    method,
    args,
    promiseResults: [],
    attachedDeposit: 0n,
    prepaidGas: 0,
    randomSeed: block.randomValue,
    isView: true,
    outputReceivers: [],
    storage: {
      read: (key) => state.get<Uint8Array>(stateKey.data(accountId, key)),
      write: forbidden,
      remove: forbidden,
      touchedNodes: () => 0,
      awaitsResume: () => false,
    },
    newDataId: forbidden,
  });
}
