/** Runs the actions of a receipt: all of them stand or fall together. */
import type { PromiseResult } from "../host/context.ts";
import { execGas } from "../protocol/fees.ts";
import type { Action, ErrorView } from "../protocol/types.ts";
import * as actions from "./actions.ts";
import { delegate } from "./delegate.ts";
import { type BlockFacts, functionCall } from "./function-call.ts";
import { missingStorageStake } from "./storage-stake.ts";
import { validateActions } from "./validation.ts";

/** What a receipt came to: a value, the receipt whose value it will be, or an error. */
export type Result = { value: Uint8Array } | { receiptIndex: number } | { error: ErrorView };

export interface Run {
  result: Result;
  gasBurnt: number;
  gasUsed: number;
  callGas: number;
  compute: number;
  logs: string[];
  /** yoctoNEAR that contracts without a balance attached to promises all the same. */
  gifts: bigint;
}

/** Runs the actions in order until one fails. */
export function runActions(progress: actions.Progress, block: BlockFacts, results: PromiseResult[]): Run {
  const { config, receipt } = progress;
  const base = config.receiptFee.execution;
  const run: Run = {
    result: { value: new Uint8Array() },
    gasBurnt: base,
    gasUsed: base,
    callGas: 0,
    compute: base,
    logs: [],
    gifts: 0n,
  };
  for (const [index, action] of receipt.actions.entries()) {
    const gas = execGas(config, action, receipt.receiverId);
    run.gasBurnt += gas;
    run.gasUsed += gas;
    run.compute += gas;
    const firstReceipt = progress.newReceipts.length;
    const error =
      actions.checkAction(progress, action) ?? runAction(progress, block, results, run, action, index);
    const kind = error ?? invalidReceipt(progress, firstReceipt);
    if (kind) {
      run.result = { error: { index, kind } };
      return run;
    }
  }
  const { account } = progress;
  const missing = account ? missingStorageStake(config, account, account.amount) : 0n;
  if (missing > 0n) {
    const kind = { LackBalanceForState: { account_id: receipt.receiverId, amount: `${missing}` } };
    run.result = { error: { index: null, kind } };
  }
  return run;
}

function invalidReceipt(progress: actions.Progress, from: number): ErrorView | undefined {
  for (const receipt of progress.newReceipts.slice(from)) {
    const error = receipt.kind === "action" && validateActions(progress.config, receipt.actions);
    if (error) return { NewReceiptValidationError: { ActionsValidation: error } };
  }
  return undefined;
}

function runAction(
  progress: actions.Progress,
  block: BlockFacts,
  results: PromiseResult[],
  run: Run,
  action: Action,
  index: number,
): ErrorView | undefined {
  run.result = { value: new Uint8Array() };
  switch (action.type) {
    case "CreateAccount":
      return actions.createAccount(progress);
    case "DeployContract":
      return void actions.deployContract(progress, action.code);
    case "FunctionCall":
      return runCall(progress, block, results, run, action, index);
    case "Transfer":
      return void actions.transfer(progress, action.deposit);
    case "Stake":
      return actions.stake(progress, action.stake);
    case "AddKey":
      return actions.addKey(progress, action);
    case "DeleteKey":
      return actions.deleteKey(progress, action.publicKey);
    case "DeleteAccount":
      return actions.deleteAccount(progress, action.beneficiaryId);
    case "DeployGlobalContract":
      return actions.deployGlobalContract(progress, action.code, action.mode);
    case "UseGlobalContract":
      return actions.useGlobalContract(progress, action.id);
    case "Delegate": {
      const done = delegate(progress, action);
      if (typeof done === "string" || !("gasBurnt" in done)) return done;
      const { gasBurnt, gasUsed } = done as { gasBurnt: number; gasUsed: number };
      run.gasBurnt += gasBurnt;
      run.gasUsed += gasUsed;
      run.compute += gasBurnt;
      return undefined;
    }
  }
}

function runCall(
  progress: actions.Progress,
  block: BlockFacts,
  results: PromiseResult[],
  run: Run,
  action: Extract<Action, { type: "FunctionCall" }>,
  index: number,
): ErrorView | undefined {
  const firstReceipt = progress.newReceipts.length;
  const outcome = functionCall(progress, block, action, index, results);
  run.gasBurnt += outcome.gasBurnt;
  run.gasUsed += outcome.gasUsed;
  run.callGas += outcome.gasBurnt;
  run.compute += outcome.compute;
  run.logs.push(...outcome.logs);
  run.gifts += outcome.gifts;
  if (outcome.error) return { FunctionCallError: outcome.error.view };
  const { returnData } = outcome;
  if (returnData.kind === "value") run.result = { value: returnData.value };
  if (returnData.kind === "receipt") run.result = { receiptIndex: firstReceipt + returnData.index };
  return undefined;
}
