import { not } from "drizzle-orm";
import type { ContractUpgraded, UpgradePlan } from "../api/resources/contract.ts";
import { contractCode } from "../chain/contract/code.ts";
import { type ContractCollection, type ContractVersion, contractViews } from "../chain/contract/views.ts";
import { ViewError } from "../chain/errors.ts";
import { protocolLimits } from "../chain/protocol.ts";
import { type ChainRpc, connect } from "../chain/rpc.ts";
import { accountBalance, accountCode, isPublishedCode } from "../chain/views.ts";
import { allCollections } from "../collections/on-chain.ts";
import type { EndpointResponse, ServiceContext } from "../context.ts";
import type { ContractRow } from "../db/queries/contracts.ts";
import { findIntegration } from "../db/queries/integrations.ts";
import { hasOpenOperation, openOperationOf } from "../db/queries/operations.ts";
import { publicationOf } from "../db/queries/provisioning.ts";
import { hasOldPages, isFormerRelease } from "../domain/contract-releases.ts";
import { bytesPromised, mostMigrations } from "../domain/contract-upgrades.ts";
import { ServiceError } from "../domain/errors.ts";
import { newUuid, toHex, type Uuid } from "../domain/ids.ts";
import { BYTE_PRICE } from "../domain/promised-bytes.ts";
import { joinOperation, runOperation } from "../operations/engine/run.ts";
import type { ContractPublishOperation } from "../operations/kinds/contract-publish.ts";
import type { ContractUpgradeOperation } from "../operations/kinds/contract-upgrade.ts";
import { walletOf } from "../wallet/client.ts";
import { OPERATOR, requireContract } from "./provisioning.ts";

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
const surveyOf = async (context: ServiceContext, contract: ContractRow): Promise<Survey> => {
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

const KIND = "contract_upgrade";

const toPlan = (survey: Survey): UpgradePlan => {
  const { contract, chain, publish, topUp, fees, wallet } = survey;
  return {
    contract_uuid: contract.id,
    integration_uuid: contract.integrationId,
    account_id: contract.accountId,
    state: survey.obstacle !== null ? "blocked" : survey.isCurrent ? "current" : "ready",
    obstacle: survey.obstacle,
    code_hash: chain.codeHash,
    layout: chain.version?.layout ?? null,
    version: chain.version?.version ?? null,
    new_code_hash: survey.newCodeHash,
    collections: chain.collections.length,
    transactions: survey.transactions,
    publish: publish.isNeeded,
    publish_cost: publish.cost.toString(),
    top_up: topUp.toString(),
    fees: fees.toString(),
    wallet: {
      account_id: wallet.accountId,
      available: wallet.available?.toString() ?? null,
      missing: wallet.missing.toString(),
    },
  };
};

/** What an upgrade of a contract would do; nothing is sent. @throws ServiceError not_found, chain_unavailable */
export const planUpgrade = async (context: ServiceContext, contractId: Uuid): Promise<UpgradePlan> =>
  toPlan(await surveyOf(context, await requireContract(context, contractId)));

/**
 * Upgrades a contract to this release's code: publishes the code if the chain lacks it, switches the contract, and
 * converts its collections. A call during an upgrade joins it; one after it changes nothing.
 * @throws ServiceError not_found; conflict where the contract can't be upgraded; insufficient_funds; and whatever the
 * operations fail with
 */
export const upgradeContract = async (
  context: ServiceContext,
  contractId: Uuid,
): Promise<EndpointResponse<ContractUpgraded>> => {
  const contract = await requireContract(context, contractId);
  const { integrationId } = contract;
  const subject = { integrationId, subjectId: contractId };
  const open = await openOperationOf(context.db, subject, KIND);
  if (open) return joinOperation(context, OPERATOR, { ...open, kind: KIND });
  const survey = await surveyOf(context, contract);
  if (survey.obstacle !== null) throw new ServiceError("conflict", survey.obstacle);
  if (survey.isCurrent) return { status: 200, body: currentView(survey) };
  requireFunds(survey);
  await publishCode(context, survey);
  const request: ContractUpgradeOperation = {
    contract: contract.accountId,
    codeHash: survey.newCodeHash,
    topUp: survey.topUp.toString(),
    switched: survey.isSwitched,
    migrates: survey.migrates,
  };
  const condition = not(hasOpenOperation(subject, KIND));
  const proposal = { kind: KIND, subjectId: contractId, request, condition } as const;
  const answer = await runOperation(context, { integrationId, ...OPERATOR }, proposal);
  if (answer) return answer;
  const joined = await openOperationOf(context.db, subject, KIND);
  if (joined) return joinOperation(context, OPERATOR, { ...joined, kind: KIND });
  throw new ServiceError("conflict", "This contract has just been upgraded. Read it again.");
};

const currentView = ({ contract, newCodeHash }: Survey) => ({
  contract_uuid: contract.id,
  account_id: contract.accountId,
  code_hash: newCodeHash,
  tx_results: [],
});

const requireFunds = ({ wallet, topUp, fees }: Survey): void => {
  if (wallet.missing === 0n) return;
  throw new ServiceError(
    "insufficient_funds",
    `Send at least ${wallet.missing} yoctoNEAR to ${wallet.accountId}, the integration's wallet, and try again: the upgrade takes up to ${topUp + fees}. Nothing was sent.`,
    { outcome: "not_submitted", retryable: true },
  );
};

/**
 * Has the platform publish the code if the chain lacks it. Of several requests at once one does; the others' upgrades
 * wait for it.
 */
const publishCode = async (context: ServiceContext, survey: Survey): Promise<void> => {
  const { contract, newCodeHash, publish } = survey;
  const id = newUuid();
  const { hash } = await contractCode();
  if (!publish.isNeeded || (await publicationOf(context.db, hash, id)) === "elsewhere_pending") return;
  const request: ContractPublishOperation = {
    platformId: context.settings.PLATFORM_ACCOUNT_ID,
    codeHash: newCodeHash,
  };
  const { integrationId } = contract;
  const proposal = { id, kind: "contract_publish", subjectId: contract.id, request } as const;
  await runOperation(context, { integrationId, ...OPERATOR }, proposal);
};
