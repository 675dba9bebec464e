/** Every action but function calls and meta transactions: what it demands and what it changes. */
import { accountKind, isImplicit, isSubAccountOf, isTopLevel } from "../protocol/accounts.ts";
import type { ProtocolConfig } from "../protocol/config.ts";
import { globalContractIdBytes } from "../protocol/fees.ts";
import { encodeHash, sha256 } from "../protocol/hash.ts";
import { implicitAccountKey } from "../protocol/keys.ts";
import type {
  Account,
  Action,
  ActionReceipt,
  ErrorView,
  GlobalContractId,
  Receipt,
} from "../protocol/types.ts";
import { stateKey, type Workspace } from "../state/workspace.ts";
import { balanceRefund, type NewReceiptBody } from "./refunds.ts";
import { accessKeyBytes } from "./storage-stake.ts";
import { NONCE_RANGE } from "./transactions.ts";

/** What running a receipt's actions has come to so far. */
export interface Progress {
  config: ProtocolConfig;
  state: Workspace;
  receipt: ActionReceipt;
  height: number;
  account: Account | undefined;
  /** Who acts: the predecessor, or the account itself once the receipt created it. */
  actorId: string;
  newReceipts: NewReceiptBody[];
  /** Tokens burnt beside gas: code published globally. */
  tokensBurnt: bigint;
  createdAccount: boolean;
}

/** Accounts with more state than this can't be deleted. */
const MAX_DELETED_BYTES = 10_000;

/** State key of published code, by its identifier's text. */
export function globalCodeKey(id: GlobalContractId) {
  return stateKey.globalCode("codeHash" in id ? id.codeHash : `@${id.accountId}`);
}

/** The error that stops an action before it runs: no account, or no right to it. */
export function checkAction(progress: Progress, action: Action): ErrorView | undefined {
  const { account, receipt, actorId, config } = progress;
  const accountId = receipt.receiverId;
  if (action.type === "CreateAccount") {
    if (account) return { AccountAlreadyExists: { account_id: accountId } };
    return isImplicit(accountId)
      ? { OnlyImplicitAccountCreationAllowed: { account_id: accountId } }
      : undefined;
  }
  if (!account) {
    const creates = action.type === "Transfer" && receipt.predecessorId !== "system";
    return creates && isCreatedBy(receipt.actions.length, accountId, config)
      ? undefined
      : { AccountDoesNotExist: { account_id: accountId } };
  }
  const open = action.type === "FunctionCall" || action.type === "Transfer" || action.type === "Delegate";
  if (!open && actorId !== accountId)
    return { ActorNoPermission: { account_id: accountId, actor_id: actorId } };
  if (action.type === "DeleteAccount" && account.locked > 0n)
    return { DeleteAccountStaking: { account_id: accountId } };
  return undefined;
}

/** Whether a transfer among this many actions creates the account. Only a universal account can't be taken over by the others. */
function isCreatedBy(actions: number, accountId: string, { view }: ProtocolConfig): boolean {
  const { eth_implicit_accounts, universal_accounts } = view.wasm_config;
  switch (accountKind(accountId)) {
    case "named":
      return false;
    case "universal":
      return universal_accounts;
    case "eth-implicit":
      return eth_implicit_accounts && actions === 1;
    default:
      return actions === 1;
  }
}

export function createAccount(progress: Progress): ErrorView | undefined {
  const { receipt, config } = progress;
  const { receiverId: accountId, predecessorId } = receipt;
  const { min_allowed_top_level_account_length, registrar_account_id } = config.view.account_creation_config;
  if (isTopLevel(accountId)) {
    if (accountId.length < min_allowed_top_level_account_length && predecessorId !== registrar_account_id)
      return {
        CreateAccountOnlyByRegistrar: {
          account_id: accountId,
          registrar_account_id,
          predecessor_id: predecessorId,
        },
      };
  } else if (!isSubAccountOf(accountId, predecessorId))
    return { CreateAccountNotAllowed: { account_id: accountId, predecessor_id: predecessorId } };
  progress.actorId = accountId;
  progress.account = newAccount(config, 0n, 0);
  progress.createdAccount = true;
  return undefined;
}

function newAccount(config: ProtocolConfig, amount: bigint, extraBytes: number): Account {
  const { num_bytes_account } = config.view.transaction_costs.storage_usage_config;
  return { amount, locked: 0n, storageUsage: num_bytes_account + extraBytes, contract: { type: "none" } };
}

/** Adds a deposit, creating an implicit account if there is none. */
export function transfer(progress: Progress, deposit: bigint): void {
  const { account, config, receipt, height, state } = progress;
  if (account) {
    progress.account = { ...account, amount: account.amount + deposit };
    return;
  }
  const accountId = receipt.receiverId;
  progress.createdAccount = true;
  progress.actorId = accountId;
  const kind = accountKind(accountId);
  if (kind === "deterministic" || kind === "universal") {
    // Its code and keys come later, by what its id is the hash of.
    progress.account = newAccount(config, deposit, 0);
    return;
  }
  if (kind === "eth-implicit") {
    // A node marks the account with its built-in wallet contract; the bytes of that mark are stored.
    const { num_extra_bytes_record } = config.view.transaction_costs.storage_usage_config;
    progress.account = newAccount(config, deposit, ETH_WALLET_MARK_BYTES + num_extra_bytes_record);
    return;
  }
  const publicKey = implicitAccountKey(accountId);
  const accessKey = { nonce: (height - 1) * NONCE_RANGE, permission: "FullAccess" as const };
  state.setAccessKey(accountId, publicKey, accessKey);
  progress.account = newAccount(config, deposit, accessKeyBytes(config, publicKey, accessKey));
}

/** "near" and the base58 hash of the wallet contract, which is 44 characters on mainnet. */
const ETH_WALLET_MARK_BYTES = 48;

/** Frees the bytes of the contract that an account has. */
function withoutContract(account: Account): Account {
  const { contract } = account;
  const bytes =
    contract.type === "local"
      ? contract.size
      : contract.type === "global"
        ? globalContractIdBytes(contract.id)
        : 0;
  return { ...account, storageUsage: account.storageUsage - bytes, contract: { type: "none" } };
}

export function deployContract(progress: Progress, code: Uint8Array): void {
  const account = withoutContract(progress.account!);
  const codeHash = encodeHash(sha256(code));
  progress.state.newCode.set(codeHash, code);
  progress.state.set(stateKey.code(progress.receipt.receiverId), codeHash);
  progress.account = {
    ...account,
    storageUsage: account.storageUsage + code.length,
    contract: { type: "local", codeHash, size: code.length },
  };
}

/** NEP-591: burns tokens for the code and sends it to the shards; it can be used when it has arrived. */
export function deployGlobalContract(
  progress: Progress,
  code: Uint8Array,
  mode: "CodeHash" | "AccountId",
): ErrorView | undefined {
  const { config, receipt } = progress;
  const account = progress.account!;
  const cost = config.globalContractAmountPerByte * BigInt(code.length);
  if (account.amount < cost)
    return { LackBalanceForState: { account_id: receipt.receiverId, amount: `${cost}` } };
  progress.account = { ...account, amount: account.amount - cost };
  progress.tokensBurnt += cost;
  const contract: GlobalContractId =
    mode === "CodeHash" ? { codeHash: encodeHash(sha256(code)) } : { accountId: receipt.receiverId };
  progress.newReceipts.push({
    kind: "distribution",
    predecessorId: receipt.receiverId,
    receiverId: "system",
    contract,
    code,
  });
  return undefined;
}

export function useGlobalContract(progress: Progress, id: GlobalContractId): ErrorView | undefined {
  const { state, receipt } = progress;
  if (state.get(globalCodeKey(id)) === undefined)
    return { GlobalContractDoesNotExist: { identifier: globalContractIdView(id) } };
  const account = withoutContract(progress.account!);
  if (progress.account!.contract.type === "local") state.delete(stateKey.code(receipt.receiverId));
  progress.account = {
    ...account,
    storageUsage: account.storageUsage + globalContractIdBytes(id),
    contract: { type: "global", id },
  };
  return undefined;
}

export function globalContractIdView(id: GlobalContractId): ErrorView {
  return "codeHash" in id ? { CodeHash: id.codeHash } : { AccountId: id.accountId };
}

/** Locks a stake. This chain has one validator of its own and elects nobody; tokens come back by staking 0. */
export function stake(progress: Progress, amount: bigint): ErrorView | undefined {
  const account = progress.account!;
  const accountId = progress.receipt.receiverId;
  const increment = amount > account.locked ? amount - account.locked : 0n;
  if (account.amount < increment)
    return {
      TriesToStake: {
        account_id: accountId,
        stake: `${amount}`,
        locked: `${account.locked}`,
        balance: `${account.amount}`,
      },
    };
  if (account.locked === 0n && amount === 0n) return { TriesToUnstake: { account_id: accountId } };
  progress.account = { ...account, amount: account.amount + account.locked - amount, locked: amount };
  return undefined;
}

export function addKey(
  progress: Progress,
  action: Extract<Action, { type: "AddKey" }>,
): ErrorView | undefined {
  const { state, config, height, receipt } = progress;
  const accountId = receipt.receiverId;
  const { publicKey } = action;
  if (state.accessKey(accountId, publicKey))
    return { AddKeyAlreadyExists: { account_id: accountId, public_key: publicKey } };
  const accessKey = { ...action.accessKey, nonce: (height - 1) * NONCE_RANGE };
  state.setAccessKey(accountId, publicKey, accessKey);
  changeStorage(progress, accessKeyBytes(config, publicKey, accessKey));
  return undefined;
}

export function deleteKey(progress: Progress, publicKey: string): ErrorView | undefined {
  const { state, config, receipt } = progress;
  const accountId = receipt.receiverId;
  const accessKey = state.accessKey(accountId, publicKey);
  if (!accessKey) return { DeleteKeyDoesNotExist: { account_id: accountId, public_key: publicKey } };
  state.delete(stateKey.accessKey(accountId, publicKey));
  changeStorage(progress, -accessKeyBytes(config, publicKey, accessKey));
  return undefined;
}

function changeStorage(progress: Progress, bytes: number): void {
  const account = progress.account!;
  progress.account = { ...account, storageUsage: account.storageUsage + bytes };
}

export function deleteAccount(progress: Progress, beneficiaryId: string): ErrorView | undefined {
  const { state, receipt } = progress;
  const accountId = receipt.receiverId;
  const account = progress.account!;
  const codeBytes = account.contract.type === "local" ? account.contract.size : 0;
  if (account.storageUsage - codeBytes > MAX_DELETED_BYTES)
    return { DeleteAccountWithLargeState: { account_id: accountId } };
  if (account.amount > 0n) progress.newReceipts.push(balanceRefund(beneficiaryId, account.amount));
  state.delete(stateKey.account(accountId));
  if (account.contract.type === "local") state.delete(stateKey.code(accountId));
  for (const prefix of [stateKey.accessKeys(accountId), stateKey.allData(accountId)])
    for (const [key] of [...state.scan(prefix)]) state.delete(key);
  progress.actorId = receipt.predecessorId;
  progress.account = undefined;
  return undefined;
}

/** Makes published code usable: the distribution has reached this chain's one shard. */
export function applyDistribution(
  state: Workspace,
  receipt: Extract<Receipt, { kind: "distribution" }>,
): void {
  const codeHash = encodeHash(sha256(receipt.code));
  state.newCode.set(codeHash, receipt.code);
  state.set(globalCodeKey(receipt.contract), codeHash);
  state.commit({ type: "receipt_processing", receipt_hash: receipt.id });
}
