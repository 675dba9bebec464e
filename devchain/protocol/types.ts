/** The values that travel through the chain: actions, transactions, receipts, outcomes, accounts and keys. */

export type Permission =
  | "FullAccess"
  | { allowance: bigint | null; receiverId: string; methodNames: string[] };

export interface AccessKey {
  nonce: number;
  permission: Permission;
}

/** NEP-591: global code is named by its hash (immutable) or by the account that published it. */
export type GlobalContractId = { codeHash: string } | { accountId: string };

export interface DelegateAction {
  senderId: string;
  receiverId: string;
  actions: Action[];
  nonce: number;
  maxBlockHeight: number;
  publicKey: string;
}

export type Action =
  | { type: "CreateAccount" }
  | { type: "DeployContract"; code: Uint8Array }
  | { type: "FunctionCall"; methodName: string; args: Uint8Array; gas: number; deposit: bigint }
  | { type: "Transfer"; deposit: bigint }
  | { type: "Stake"; stake: bigint; publicKey: string }
  | { type: "AddKey"; publicKey: string; accessKey: AccessKey }
  | { type: "DeleteKey"; publicKey: string }
  | { type: "DeleteAccount"; beneficiaryId: string }
  | { type: "Delegate"; delegateAction: DelegateAction; signature: string; signedHash: Uint8Array }
  | { type: "DeployGlobalContract"; code: Uint8Array; mode: "CodeHash" | "AccountId" }
  | { type: "UseGlobalContract"; id: GlobalContractId };

export interface Transaction {
  hash: string;
  signerId: string;
  publicKey: string;
  nonce: number;
  receiverId: string;
  blockHash: string;
  actions: Action[];
  signature: string;
  /** Bytes of the signed transaction, for the protocol's size limit. */
  size: number;
}

/** Where the result of a receipt goes: `dataId` is awaited by a receipt of `receiverId`. */
export interface DataReceiver {
  dataId: string;
  receiverId: string;
}

export interface ActionReceipt {
  kind: "action";
  id: string;
  predecessorId: string;
  receiverId: string;
  signerId: string;
  signerPublicKey: string;
  /** The price at which the signer bought the gas that this receipt carries. */
  gasPrice: bigint;
  outputDataReceivers: DataReceiver[];
  inputDataIds: string[];
  actions: Action[];
  refundTo?: string;
  /** Awaits a resume by the contract itself instead of another receipt's result (NEP-519). */
  isPromiseYield?: boolean;
}

export interface DataReceipt {
  kind: "data";
  id: string;
  predecessorId: string;
  receiverId: string;
  dataId: string;
  /** The result; null if it failed. */
  data: Uint8Array | null;
  isPromiseResume?: boolean;
}

/** Global code on its way to a shard. */
export interface DistributionReceipt {
  kind: "distribution";
  id: string;
  predecessorId: string;
  receiverId: string;
  contract: GlobalContractId;
  code: Uint8Array;
}

export type Receipt = ActionReceipt | DataReceipt | DistributionReceipt;

/** The JSON of an error as a node's RPC shows it, such as `{ActionError: {index, kind}}`. */
export type ErrorView = string | { [name: string]: unknown };

export type OutcomeStatus =
  | { SuccessValue: Uint8Array }
  | { SuccessReceiptId: string }
  | { Failure: ErrorView };

export interface Outcome {
  id: string;
  blockHash: string;
  blockHeight: number;
  executorId: string;
  logs: string[];
  receiptIds: string[];
  gasBurnt: number;
  tokensBurnt: bigint;
  status: OutcomeStatus;
}

export type AccountContract =
  | { type: "none" }
  | { type: "local"; codeHash: string; size: number }
  | { type: "global"; id: GlobalContractId };

export interface Account {
  amount: bigint;
  locked: bigint;
  storageUsage: number;
  contract: AccountContract;
}
