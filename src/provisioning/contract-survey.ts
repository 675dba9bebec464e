// provisioning/: the operator makes wallets and contracts, restores wallets, upgrades contracts, rotates secrets.

import { contractCode } from "../chain/contract/code.ts";
import { type ContractCollection, type ContractVersion, contractViews } from "../chain/contract/views.ts";
import { ViewError } from "../chain/errors.ts";
import { protocolLimits } from "../chain/protocol.ts";
import { type ChainRpc, connect } from "../chain/rpc.ts";
import { accountBalance, accountCode, isPublishedCode } from "../chain/views.ts";
import { allCollections } from "../collections/on-chain.ts";
import type { ServiceContext } from "../context.ts";
import type { ContractRow } from "../db/queries/contracts.ts";
import { findIntegration } from "../db/queries/integrations.ts";
import { publicationOf } from "../db/queries/publications.ts";
import { hasOldPages, isFormerRelease } from "../domain/contract-releases.ts";
import { bytesPromised, mostMigrations } from "../domain/contract-upgrades.ts";
import { newUuid, toHex } from "../domain/ids.ts";
import { BYTE_PRICE } from "../domain/promised-bytes.ts";
import { walletOf } from "../wallet/client.ts";

/** Burned for each byte of a code that is published, yoctoNEAR (NEP-591). */
const PUBLICATION_PRICE = 10n ** 20n;

/** Gas that one transaction of an upgrade carries at most, and those beside the migrations: two payments, the switch. */
const TRANSACTION_GAS = 300n * 10n ** 12n;
const OTHER_TRANSACTIONS = 3;

/** What the contract keeps beside what it stores and owes (docs/contract.md, "What is paid for"), yoctoNEAR. */
const CUSHION = 10n ** 23n;

/** What the chain has of a contract before its upgrade. */
export interface ContractState {
  /** Hexadecimal; null: no such account, or no code. */
  readonly codeHash: string | null;
  /** Null where the account has no contract of ours. */
  readonly version: ContractVersion | null;
  readonly ownerId: string | null;
  readonly collections: readonly ContractCollection[];
  /** What the account lacks of what it has to hold once it is upgraded, yoctoNEAR. */
  readonly missing: bigint;
}

/** A contract looked at for its upgrade. Amounts are yoctoNEAR. */
export interface Survey {
  readonly contract: ContractRow;
  readonly chain: ContractState;
  readonly newCodeHash: string;
  /** Nothing is to be done. */
  readonly isCurrent: boolean;
  /** The account runs the new code, and its collections may have to be taken over yet. */
  readonly isSwitched: boolean;
  /** Collections may lie on pages of layout 2. */
  readonly migrates: boolean;
  /** Why it can't be done, as a sentence for the operator; null: it can. */
  readonly obstacle: string | null;
  readonly publish: { readonly isNeeded: boolean; readonly cost: bigint };
  readonly transactions: number;
  readonly topUp: bigint;
  readonly fees: bigint;
  readonly wallet: {
    readonly accountId: string | null;
    readonly available: bigint | null;
    readonly missing: bigint;
  };
}

/** Looks at a contract, its wallet and the code's publication. @throws ChainUnavailableError */
export const surveyOf = async (context: ServiceContext, contract: ContractRow): Promise<Survey> => {
  const rpc = connect(context.settings);
  const code = await contractCode();
  const newCodeHash = toHex(code.hash);
  const [chain, integration, limits, isPublished] = await Promise.all([
    stateOf(rpc, contract.accountId),
    findIntegration(context.db, contract.integrationId),
    protocolLimits(rpc),
    isAvailable(context, rpc, code.hash),
  ]);
  const { available = null } = await walletOf(context.env, contract.integrationId).status();
  const knownHash = toHex(contract.codeHash);
  const isSwitched = chain.codeHash === newCodeHash;
  const isCurrent = isSwitched && knownHash === newCodeHash;
  const migrates = hasOldPages(isSwitched ? knownHash : (chain.codeHash ?? knownHash));
  const steps = migrates ? mostMigrations(chain.collections.map(({ assets }) => assets)) : 0;
  const transactions = isCurrent ? 0 : OTHER_TRANSACTIONS + steps;
  const topUp = isCurrent ? 0n : chain.missing;
  const fees = BigInt(transactions) * TRANSACTION_GAS * limits.minGasPrice;
  const lacking = topUp + fees - BigInt(available ?? topUp + fees);
  return {
    contract,
    chain,
    newCodeHash,
    isCurrent,
    isSwitched,
    migrates,
    obstacle: obstacleOf(contract, chain, integration?.walletAccountId ?? null, newCodeHash),
    publish: {
      isNeeded: !isCurrent && !isPublished,
      cost: isCurrent || isPublished ? 0n : BigInt(code.bytes.length) * PUBLICATION_PRICE,
    },
    transactions,
    topUp,
    fees,
    wallet: {
      accountId: integration?.walletAccountId ?? null,
      available: available === null ? null : BigInt(available),
      missing: lacking > 0n ? lacking : 0n,
    },
  };
};

/** Whether the code is published: by an operation that is over, or by somebody whom the database doesn't know. */
const isAvailable = async ({ db }: ServiceContext, rpc: ChainRpc, codeHash: Uint8Array): Promise<boolean> =>
  (await publicationOf(db, codeHash, newUuid())) === "elsewhere_done" || isPublishedCode(rpc, codeHash);

const stateOf = async (rpc: ChainRpc, accountId: string): Promise<ContractState> => {
  const views = contractViews(rpc, accountId);
  const hash = await accountCode(rpc, accountId);
  const codeHash = hash && toHex(hash);
  try {
    const [version, roles, balance, account, collections] = await Promise.all([
      views.version(),
      views.roles(),
      views.balance(),
      accountBalance(rpc, accountId),
      allCollections(views),
    ]);
    if (account === null) return { codeHash, ...NOTHING };
    const missing =
      balance.missing === undefined
        ? BigInt(account.storageUsage + bytesPromised(collections)) * BYTE_PRICE +
          BigInt(balance.owed) +
          CUSHION -
          account.total
        : BigInt(balance.missing);
    return {
      codeHash,
      version,
      ownerId: roles.owner_id,
      collections,
      missing: missing > 0n ? missing : 0n,
    };
  } catch (error) {
    if (error instanceof ViewError) return { codeHash, ...NOTHING };
    throw error;
  }
};

const NOTHING = { version: null, ownerId: null, collections: [], missing: 0n } as const;

const obstacleOf = (
  { state, accountId, codeHash }: ContractRow,
  chain: ContractState,
  walletId: string | null,
  newCodeHash: string,
): string | null => {
  if (state !== "ready") return `The contract is ${state}. Only a contract that is ready can be upgraded.`;
  if (chain.codeHash === null || chain.version === null) {
    return `Check the account ${accountId}: the chain shows no Mintage contract there.`;
  }
  if (chain.codeHash === newCodeHash) return null;
  if (chain.codeHash !== toHex(codeHash) && !isFormerRelease(chain.codeHash)) {
    return `Check the account ${accountId}: it runs code ${chain.codeHash}, and this release can't upgrade that.`;
  }
  if (chain.ownerId !== walletId) {
    return `Ask the contract's owner ${chain.ownerId} to call upgrade with the code hash, or to make the wallet ${walletId} its owner.`;
  }
  return null;
};
