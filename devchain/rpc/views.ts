/** The chain's values as the RPC's JSON. Pure. */
import type { Block } from "../blocks/block.ts";
import { BLOCK_GAS_LIMIT, chunkHash, derivedHash } from "../blocks/block.ts";
import { encodeHash, sha256, ZERO_HASH } from "../protocol/hash.ts";
import type { AccessKey, Account, Action, Outcome, Receipt, Transaction } from "../protocol/types.ts";

const base64 = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");

/** A placeholder: nobody signs this chain's blocks. */
const NO_SIGNATURE = `ed25519:${encodeHash(new Uint8Array(64))}`;

export function accountView(account: Account) {
  const { contract } = account;
  const id = contract.type === "global" ? contract.id : undefined;
  return {
    amount: `${account.amount}`,
    locked: `${account.locked}`,
    code_hash: contract.type === "local" ? contract.codeHash : ZERO_HASH,
    storage_usage: account.storageUsage,
    storage_paid_at: 0,
    ...(id &&
      ("codeHash" in id
        ? { global_contract_hash: id.codeHash }
        : { global_contract_account_id: id.accountId })),
  };
}

export function accessKeyView({ nonce, permission }: AccessKey) {
  if (permission === "FullAccess") return { nonce, permission };
  const { allowance, receiverId, methodNames } = permission;
  return {
    nonce,
    permission: {
      FunctionCall: {
        allowance: allowance === null ? null : `${allowance}`,
        receiver_id: receiverId,
        method_names: methodNames,
      },
    },
  };
}

function actionView(action: Action): unknown {
  switch (action.type) {
    case "CreateAccount":
      return "CreateAccount";
    case "DeployContract":
      return { DeployContract: { code: base64(sha256(action.code)) } };
    case "FunctionCall": {
      const { methodName, args, gas, deposit } = action;
      return { FunctionCall: { method_name: methodName, args: base64(args), gas, deposit: `${deposit}` } };
    }
    case "Transfer":
      return { Transfer: { deposit: `${action.deposit}` } };
    case "Stake":
      return { Stake: { stake: `${action.stake}`, public_key: action.publicKey } };
    case "AddKey":
      return { AddKey: { public_key: action.publicKey, access_key: accessKeyView(action.accessKey) } };
    case "DeleteKey":
      return { DeleteKey: { public_key: action.publicKey } };
    case "DeleteAccount":
      return { DeleteAccount: { beneficiary_id: action.beneficiaryId } };
    case "Delegate": {
      const { senderId, receiverId, actions, nonce, maxBlockHeight, publicKey } = action.delegateAction;
      const delegate_action = {
        sender_id: senderId,
        receiver_id: receiverId,
        actions: actions.map(actionView),
        nonce,
        max_block_height: maxBlockHeight,
        public_key: publicKey,
      };
      return { Delegate: { delegate_action, signature: action.signature } };
    }
    case "DeployGlobalContract": {
      const code = base64(sha256(action.code));
      return action.mode === "CodeHash"
        ? { DeployGlobalContract: { code } }
        : { DeployGlobalContractByAccountId: { code } };
    }
    case "UseGlobalContract":
      return "codeHash" in action.id
        ? { UseGlobalContract: { code_hash: action.id.codeHash } }
        : { UseGlobalContractByAccountId: { account_id: action.id.accountId } };
  }
}

export function transactionView(tx: Transaction) {
  return {
    signer_id: tx.signerId,
    public_key: tx.publicKey,
    nonce: tx.nonce,
    receiver_id: tx.receiverId,
    actions: tx.actions.map(actionView),
    priority_fee: 0,
    signature: tx.signature,
    hash: tx.hash,
  };
}

export function receiptView(receipt: Receipt) {
  const { predecessorId, receiverId, id } = receipt;
  return {
    predecessor_id: predecessorId,
    receiver_id: receiverId,
    receipt_id: id,
    receipt: receiptBody(receipt),
    priority: 0,
  };
}

function receiptBody(receipt: Receipt): unknown {
  switch (receipt.kind) {
    case "action":
      return {
        Action: {
          signer_id: receipt.signerId,
          signer_public_key: receipt.signerPublicKey,
          gas_price: `${receipt.gasPrice}`,
          output_data_receivers: receipt.outputDataReceivers.map(({ dataId, receiverId }) => ({
            data_id: dataId,
            receiver_id: receiverId,
          })),
          input_data_ids: receipt.inputDataIds,
          actions: receipt.actions.map(actionView),
          is_promise_yield: receipt.isPromiseYield ?? false,
          ...(receipt.refundTo && { refund_to: receipt.refundTo }),
        },
      };
    case "data":
      return {
        Data: {
          data_id: receipt.dataId,
          data: receipt.data && base64(receipt.data),
          is_promise_resume: receipt.isPromiseResume ?? false,
        },
      };
    case "distribution": {
      const id =
        "codeHash" in receipt.contract
          ? { CodeHash: receipt.contract.codeHash }
          : { AccountId: receipt.contract.accountId };
      return {
        GlobalContractDistribution: {
          id,
          target_shard: 0,
          already_delivered_shards: [],
          code: base64(receipt.code),
        },
      };
    }
  }
}

export function statusView(status: Outcome["status"]): unknown {
  return "SuccessValue" in status ? { SuccessValue: base64(status.SuccessValue) } : status;
}

export function outcomeView(outcome: Outcome) {
  return {
    id: outcome.id,
    block_hash: outcome.blockHash,
    outcome: {
      logs: outcome.logs,
      receipt_ids: outcome.receiptIds,
      gas_burnt: outcome.gasBurnt,
      tokens_burnt: `${outcome.tokensBurnt}`,
      executor_id: outcome.executorId,
      status: statusView(outcome.status),
      metadata: { version: 1, gas_profile: null },
    },
    proof: [],
  };
}

/** What a block's view needs beside the block: where finality stood, its epoch, and the protocol's version. */
export interface HeaderFacts {
  epochHeight: number;
  protocolVersion: number;
  lastFinal: string;
  lastNearFinal: string;
}

export function epochId(epochHeight: number): string {
  return epochHeight <= 2 ? ZERO_HASH : encodeHash(sha256(Buffer.from(`epoch ${epochHeight}`)));
}

export function headerView(block: Block, facts: HeaderFacts) {
  const body = block.transactions.length + block.receipts.length > 0;
  return {
    height: block.height,
    prev_height: block.prevHeight,
    epoch_id: epochId(facts.epochHeight),
    next_epoch_id: epochId(facts.epochHeight + 1),
    hash: block.hash,
    prev_hash: block.prevHash,
    prev_state_root: derivedHash({ hash: block.prevHash }, "state"),
    block_body_hash: derivedHash(block, "body"),
    chunk_receipts_root: derivedHash(block, "receipts"),
    chunk_headers_root: derivedHash(block, "chunk headers"),
    chunk_tx_root: derivedHash(block, "transactions"),
    outcome_root: body ? derivedHash(block, "outcomes") : ZERO_HASH,
    chunks_included: 1,
    challenges_root: ZERO_HASH,
    timestamp: Number(block.timestamp),
    timestamp_nanosec: `${block.timestamp}`,
    random_value: encodeHash(block.randomValue),
    validator_proposals: [],
    chunk_mask: [true],
    gas_price: `${block.gasPrice}`,
    block_ordinal: block.height + 1,
    rent_paid: "0",
    validator_reward: "0",
    total_supply: `${block.totalSupply}`,
    challenges_result: [],
    last_final_block: facts.lastFinal,
    last_ds_final_block: facts.lastNearFinal,
    next_bp_hash: ZERO_HASH,
    block_merkle_root: derivedHash(block, "blocks"),
    epoch_sync_data_hash: null,
    approvals: [NO_SIGNATURE],
    signature: NO_SIGNATURE,
    latest_protocol_version: facts.protocolVersion,
    chunk_endorsements: [[1]],
    shard_split: null,
  };
}

export function chunkHeaderView(block: Block) {
  return {
    chunk_hash: chunkHash(block),
    prev_block_hash: block.prevHash,
    outcome_root: derivedHash({ hash: block.prevHash }, "outcomes"),
    prev_state_root: derivedHash({ hash: block.prevHash }, "state"),
    encoded_merkle_root: derivedHash(block, "encoded"),
    encoded_length: 8,
    height_created: block.height,
    height_included: block.height,
    shard_id: 0,
    gas_used: block.gasUsed,
    gas_limit: BLOCK_GAS_LIMIT,
    rent_paid: "0",
    validator_reward: "0",
    balance_burnt: `${block.balanceBurnt}`,
    outgoing_receipts_root: derivedHash(block, "outgoing"),
    tx_root: derivedHash(block, "transactions"),
    validator_proposals: [],
    congestion_info: {
      allowed_shard: 0,
      buffered_receipts_gas: "0",
      delayed_receipts_gas: "0",
      receipt_bytes: 0,
    },
    bandwidth_requests: { V1: { requests: [] } },
    signature: NO_SIGNATURE,
  };
}
