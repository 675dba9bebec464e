/** Meta transactions (NEP-366): a relayer pays for what a sender signed. */
import { attachedGas, delegatedSendGas, totalExecGas } from "../protocol/fees.ts";
import { verifySignature } from "../protocol/keys.ts";
import type { Action, ErrorView } from "../protocol/types.ts";
import type { Progress } from "./actions.ts";
import { NONCE_RANGE, permissionError } from "./transactions.ts";

type Delegate = Extract<Action, { type: "Delegate" }>;

/** Checks the sender's signature, key and nonce, and makes the receipt that it signed for. */
export function delegate(
  progress: Progress,
  action: Delegate,
): ErrorView | { gasBurnt: number; gasUsed: number } {
  const error = checkDelegate(progress, action);
  if (error) return error;
  const { receipt, state, config } = progress;
  const { senderId, receiverId, actions, nonce, publicKey } = action.delegateAction;
  const key = state.accessKey(senderId, publicKey)!;
  state.setAccessKey(senderId, publicKey, { ...key, nonce });
  progress.newReceipts.push({
    kind: "action",
    predecessorId: senderId,
    receiverId,
    signerId: receipt.signerId,
    signerPublicKey: receipt.signerPublicKey,
    gasPrice: receipt.gasPrice,
    outputDataReceivers: [],
    inputDataIds: [],
    actions,
  });
  const sending = delegatedSendGas(config, receipt.actions);
  const later =
    totalExecGas(config, actions, receiverId) + attachedGas(actions) + config.receiptFee.execution;
  return { gasBurnt: sending, gasUsed: sending + later };
}

function checkDelegate(progress: Progress, action: Delegate): ErrorView | undefined {
  const { receipt, state, height } = progress;
  const { senderId, receiverId, actions, nonce, maxBlockHeight, publicKey } = action.delegateAction;
  if (!verifySignature(publicKey, action.signedHash, action.signature))
    return "DelegateActionInvalidSignature";
  if (height > maxBlockHeight) return "DelegateActionExpired";
  if (senderId !== receipt.receiverId)
    return {
      DelegateActionSenderDoesNotMatchTxReceiver: { sender_id: senderId, receiver_id: receipt.receiverId },
    };
  const key = state.accessKey(senderId, publicKey);
  if (!key)
    return {
      DelegateActionAccessKeyError: { AccessKeyNotFound: { account_id: senderId, public_key: publicKey } },
    };
  if (nonce <= key.nonce)
    return { DelegateActionInvalidNonce: { delegate_nonce: nonce, ak_nonce: key.nonce } };
  const upperBound = height * NONCE_RANGE;
  if (nonce >= upperBound)
    return { DelegateActionNonceTooLarge: { delegate_nonce: nonce, upper_bound: upperBound } };
  const forbidden = permissionError(key, actions, receiverId);
  return forbidden ? { DelegateActionAccessKeyError: forbidden } : undefined;
}
