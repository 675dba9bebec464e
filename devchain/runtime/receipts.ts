/** Executes receipts: waits for their inputs, runs their actions as one, refunds, and makes the receipts that follow. */
import type { PromiseResult } from "../host/context.ts";
import { SYSTEM } from "../protocol/accounts.ts";
import type { ProtocolConfig } from "../protocol/config.ts";
import { totalDeposit } from "../protocol/fees.ts";
import { receiptId } from "../protocol/hash.ts";
import type { ActionReceipt, DataReceipt, Outcome, Receipt } from "../protocol/types.ts";
import { stateKey, type Workspace } from "../state/workspace.ts";
import * as actions from "./actions.ts";
import type { BlockFacts } from "./function-call.ts";
import { refunds } from "./refunds.ts";
import { type Result, type Run, runActions } from "./run-actions.ts";

export interface RuntimeBlock extends BlockFacts {
  hash: string;
  gasPrice: bigint;
}

/** An executed receipt: its outcome, the receipts it made, and what it took of the block's capacity. */
export interface Applied {
  outcome: Outcome;
  receipts: Receipt[];
  compute: number;
  /** yoctoNEAR that left the total supply. */
  burnt: bigint;
}

/** Executes a receipt, or keeps it (or its data) for later if something it waits for is missing. */
export function applyReceipt(
  config: ProtocolConfig,
  state: Workspace,
  block: RuntimeBlock,
  receipt: Receipt,
): Applied | undefined {
  if (receipt.kind === "distribution") {
    actions.applyDistribution(state, receipt);
    return undefined;
  }
  const ready = receipt.kind === "data" ? receiveData(state, receipt) : receiveAction(state, receipt);
  return ready && execute(config, state, block, ready);
}

/** Stores a result; the receipt that waited for it last is ready. */
function receiveData(state: Workspace, receipt: DataReceipt): ActionReceipt | undefined {
  const { receiverId, dataId } = receipt;
  state.set(stateKey.receivedData(receiverId, dataId), { data: receipt.data });
  const waiting = state.get<string>(stateKey.postponedId(receiverId, dataId));
  let ready: ActionReceipt | undefined;
  if (waiting !== undefined) {
    state.delete(stateKey.postponedId(receiverId, dataId));
    const countKey = stateKey.pendingCount(receiverId, waiting);
    const count = state.get<number>(countKey)! - 1;
    if (count > 0) state.set(countKey, count);
    else {
      ready = state.get<ActionReceipt>(stateKey.postponed(receiverId, waiting));
      state.delete(countKey);
      state.delete(stateKey.postponed(receiverId, waiting));
    }
  }
  state.commit({ type: "receipt_processing", receipt_hash: receipt.id });
  return ready;
}

function receiveAction(state: Workspace, receipt: ActionReceipt): ActionReceipt | undefined {
  const { receiverId, inputDataIds } = receipt;
  const missing = inputDataIds.filter((id) => state.get(stateKey.receivedData(receiverId, id)) === undefined);
  if (missing.length === 0) return receipt;
  for (const id of missing) state.set(stateKey.postponedId(receiverId, id), receipt.id);
  state.set(stateKey.pendingCount(receiverId, receipt.id), missing.length);
  state.set(stateKey.postponed(receiverId, receipt.id), receipt);
  state.commit({ type: "receipt_processing", receipt_hash: receipt.id });
  return undefined;
}

/** Takes the results that a receipt waited for out of the state. */
function takeResults(state: Workspace, receipt: ActionReceipt): PromiseResult[] {
  return receipt.inputDataIds.map((id) => {
    const key = stateKey.receivedData(receipt.receiverId, id);
    const received = state.get<{ data: Uint8Array | null }>(key)!;
    state.delete(key);
    return received.data === null ? { status: "failed" } : { status: "successful", data: received.data };
  });
}

function execute(
  config: ProtocolConfig,
  state: Workspace,
  block: RuntimeBlock,
  receipt: ActionReceipt,
): Applied {
  const results = takeResults(state, receipt);
  const cause = { type: "receipt_processing", receipt_hash: receipt.id } as const;
  state.commit(cause);
  const progress: actions.Progress = {
    config,
    state,
    receipt,
    height: block.height,
    account: state.account(receipt.receiverId),
    actorId: receipt.predecessorId,
    newReceipts: [],
    tokensBurnt: 0n,
    createdAccount: false,
  };
  const run = runActions(progress, block, results);
  const failed = "error" in run.result;
  if (failed) progress.newReceipts = [];
  const isRefund = receipt.predecessorId === SYSTEM;
  const result = {
    failed,
    gasBurnt: run.gasBurnt,
    gasUsed: run.gasUsed,
    createdAccount: progress.createdAccount,
  };
  const back = isRefund
    ? { receipts: [], burnPrice: 0n, extraBurnt: 0n }
    : refunds(config, receipt, result, block.gasPrice);
  if (failed) state.discard();
  else {
    if (isRefund) returnAllowance(state, receipt);
    if (progress.account) state.setAccount(receipt.receiverId, progress.account);
  }
  const reward = rewardContract(progress, run, back.burnPrice);
  state.commit(cause);
  const made = [...progress.newReceipts, ...back.receipts];
  const children = passResult(receipt, run.result, made).map(
    (body, index) => ({ ...body, id: receiptId(receipt.id, block.height, index) }) as Receipt,
  );
  const burnt = isRefund ? 0n : BigInt(run.gasBurnt) * back.burnPrice + back.extraBurnt;
  const outcome: Outcome = {
    id: receipt.id,
    blockHash: block.hash,
    blockHeight: block.height,
    executorId: receipt.receiverId,
    logs: run.logs,
    receiptIds: children.filter(({ kind }) => kind === "action").map(({ id }) => id),
    gasBurnt: run.gasBurnt,
    tokensBurnt: failed ? burnt : burnt + progress.tokensBurnt,
    status: status(receipt, run.result, block.height),
  };
  // A refund to a missing account is lost. Gifts are yoctoNEAR that no account paid.
  const lost = isRefund && failed ? totalDeposit(receipt.actions) : 0n;
  const burntInAll = outcome.tokensBurnt + lost - reward - (failed ? 0n : run.gifts);
  return { outcome, receipts: children, compute: run.compute, burnt: burntInAll };
}

function status(receipt: ActionReceipt, result: Result, height: number): Outcome["status"] {
  if ("error" in result) return { Failure: { ActionError: result.error } };
  if ("value" in result) return { SuccessValue: result.value };
  return { SuccessReceiptId: receiptId(receipt.id, height, result.receiptIndex) };
}

/** A gas refund also restores the allowance of the key that bought the gas. */
function returnAllowance(state: Workspace, receipt: ActionReceipt): void {
  if (receipt.signerId !== receipt.receiverId) return;
  const key = state.accessKey(receipt.signerId, receipt.signerPublicKey);
  if (!key || key.permission === "FullAccess" || key.permission.allowance === null) return;
  const allowance = key.permission.allowance + totalDeposit(receipt.actions);
  state.setAccessKey(receipt.signerId, receipt.signerPublicKey, {
    ...key,
    permission: { ...key.permission, allowance },
  });
}

/** Before protocol version 87 a contract gets a share of the gas that its calls burnt. */
function rewardContract(progress: actions.Progress, run: Run, price: bigint): bigint {
  const { state, receipt, config } = progress;
  const { numerator, denominator } = config.gasReward;
  const reward = ((BigInt(run.callGas) * numerator) / denominator) * price;
  const account = state.account(receipt.receiverId);
  if (reward === 0n || !account) return 0n;
  state.setAccount(receipt.receiverId, { ...account, amount: account.amount + reward });
  return reward;
}

/** Sends the result to those who wait for it, or leaves that to the receipt that will have it. */
function passResult(
  receipt: ActionReceipt,
  result: Result,
  made: actions.Progress["newReceipts"],
): actions.Progress["newReceipts"] {
  const waiting = receipt.outputDataReceivers;
  if (waiting.length === 0) return made;
  if ("receiptIndex" in result) {
    const heir = made[result.receiptIndex];
    if (heir?.kind === "action") heir.outputDataReceivers = [...heir.outputDataReceivers, ...waiting];
    return made;
  }
  const data = "value" in result ? result.value : null;
  return [
    ...made,
    ...waiting.map(({ dataId, receiverId }) => ({
      kind: "data" as const,
      predecessorId: receipt.receiverId,
      receiverId,
      dataId,
      data,
    })),
  ];
}
