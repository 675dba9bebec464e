/** From a signed transaction to its receipt: is it valid, what does it cost, what comes of it. */
import { isAccountId } from "../protocol/accounts.ts";
import type { ProtocolConfig } from "../protocol/config.ts";
import { transactionCost } from "../protocol/fees.ts";
import { decodeHash, receiptId } from "../protocol/hash.ts";
import { verifySignature } from "../protocol/keys.ts";
import type {
  AccessKey,
  Account,
  Action,
  ActionReceipt,
  ErrorView,
  Outcome,
  Transaction,
} from "../protocol/types.ts";
import type { Snapshot, Workspace } from "../state/workspace.ts";
import { missingStorageStake } from "./storage-stake.ts";
import { validateActions } from "./validation.ts";

/** Nonces stay below a block's height times this; a new key's nonce starts there, one block back. */
export const NONCE_RANGE = 1_000_000;

export type InvalidTx = { InvalidTxError: ErrorView };

const invalid = (error: ErrorView): InvalidTx => ({ InvalidTxError: error });
const invalidKey = (error: ErrorView) => invalid({ InvalidAccessKeyError: error });

/** Checks that need no state: sizes, ids, limits and the signature. */
export function validateTransaction(config: ProtocolConfig, tx: Transaction): InvalidTx | undefined {
  const limit = config.limits.max_transaction_size;
  if (tx.size > limit) return invalid({ TransactionSizeExceeded: { size: tx.size, limit } });
  if (!isAccountId(tx.signerId)) return invalid({ InvalidSignerId: { signer_id: tx.signerId } });
  if (!isAccountId(tx.receiverId)) return invalid({ InvalidReceiverId: { receiver_id: tx.receiverId } });
  const error = validateActions(config, tx.actions);
  if (error) return invalid({ ActionsValidation: error });
  if (!verifySignature(tx.publicKey, decodeHash(tx.hash), tx.signature)) return invalid("InvalidSignature");
  return undefined;
}

/** Why a function-call key doesn't allow these actions on this receiver; null if it does. */
export function permissionError(key: AccessKey, actions: Action[], receiverId: string): ErrorView | null {
  if (key.permission === "FullAccess") return null;
  const [call] = actions;
  if (actions.length !== 1 || call?.type !== "FunctionCall") return "RequiresFullAccess";
  if (call.deposit > 0n) return "DepositWithFunctionCall";
  const { receiverId: allowed, methodNames } = key.permission;
  if (receiverId !== allowed) return { ReceiverMismatch: { tx_receiver: receiverId, ak_receiver: allowed } };
  if (methodNames.length > 0 && !methodNames.includes(call.methodName))
    return { MethodNameMismatch: { method_name: call.methodName } };
  return null;
}

export interface Charged {
  account: Account;
  key: AccessKey;
  gasBurnt: number;
  burntAmount: bigint;
  receiptGasPrice: bigint;
}

/**
 * Checks a transaction against the state and says what the signer and key become. The nonce must exceed the key's;
 * the upper bound of nonces is checked by nodes before a transaction gets into a block, by the height of the next.
 */
export function chargeTransaction(
  config: ProtocolConfig,
  state: Snapshot,
  tx: Transaction,
  gasPrice: bigint,
  height: number,
): Charged | InvalidTx {
  const { signerId, publicKey } = tx;
  const account = state.account(signerId);
  if (!account) return invalid({ SignerDoesNotExist: { signer_id: signerId } });
  const key = state.accessKey(signerId, publicKey);
  if (!key) return invalidKey({ AccessKeyNotFound: { account_id: signerId, public_key: publicKey } });
  if (tx.nonce <= key.nonce) return invalid({ InvalidNonce: { tx_nonce: tx.nonce, ak_nonce: key.nonce } });
  const upperBound = height * NONCE_RANGE;
  if (tx.nonce >= upperBound)
    return invalid({ NonceTooLarge: { tx_nonce: tx.nonce, upper_bound: upperBound } });

  const cost = transactionCost(config, signerId, tx.receiverId, tx.actions, gasPrice);
  const { totalCost } = cost;
  if (account.amount < totalCost)
    return invalid({
      NotEnoughBalance: { signer_id: signerId, balance: `${account.amount}`, cost: `${totalCost}` },
    });
  let permission = key.permission;
  if (permission !== "FullAccess" && permission.allowance !== null) {
    const allowance = permission.allowance;
    if (allowance < totalCost)
      return invalidKey({
        NotEnoughAllowance: {
          account_id: signerId,
          public_key: publicKey,
          allowance: `${allowance}`,
          cost: `${totalCost}`,
        },
      });
    permission = { ...permission, allowance: allowance - totalCost };
  }
  const amount = account.amount - totalCost;
  const missing = missingStorageStake(config, account, amount);
  if (missing > 0n) return invalid({ LackBalanceForState: { signer_id: signerId, amount: `${missing}` } });
  const forbidden = permissionError(key, tx.actions, tx.receiverId);
  if (forbidden) return invalidKey(forbidden);
  const { gasBurnt, burntAmount, receiptGasPrice } = cost;
  return {
    account: { ...account, amount },
    key: { nonce: tx.nonce, permission },
    gasBurnt,
    burntAmount,
    receiptGasPrice,
  };
}

/** Turns a valid transaction into a receipt, charging its signer; an invalid one changes nothing. */
export function convertTransaction(
  config: ProtocolConfig,
  state: Workspace,
  tx: Transaction,
  block: { height: number; hash: string; gasPrice: bigint },
): { outcome: Outcome; receipt: ActionReceipt } | InvalidTx {
  const charged = chargeTransaction(config, state, tx, block.gasPrice, block.height);
  if ("InvalidTxError" in charged) return charged;
  state.setAccount(tx.signerId, charged.account);
  state.setAccessKey(tx.signerId, tx.publicKey, charged.key);
  state.commit({ type: "transaction_processing", tx_hash: tx.hash });
  const id = receiptId(tx.hash, block.height, 0);
  const receipt: ActionReceipt = {
    kind: "action",
    id,
    predecessorId: tx.signerId,
    receiverId: tx.receiverId,
    signerId: tx.signerId,
    signerPublicKey: tx.publicKey,
    gasPrice: charged.receiptGasPrice,
    outputDataReceivers: [],
    inputDataIds: [],
    actions: tx.actions,
  };
  const outcome: Outcome = {
    id: tx.hash,
    blockHash: block.hash,
    blockHeight: block.height,
    executorId: tx.signerId,
    logs: [],
    receiptIds: [id],
    gasBurnt: charged.gasBurnt,
    tokensBurnt: charged.burntAmount,
    status: { SuccessReceiptId: id },
  };
  return { outcome, receipt };
}
