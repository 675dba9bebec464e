import { not } from "drizzle-orm";
import { baseEncode } from "near-api-js";
import type { ContractUpgraded, UpgradePlan } from "../api/resources/contract.ts";
import { readBlock } from "../chain/blocks.ts";
import { contractCode } from "../chain/contract/code.ts";
import {
  type ContractBalance,
  type ContractUpgrade,
  type ContractVersion,
  contractViews,
} from "../chain/contract/views.ts";
import { ViewError } from "../chain/errors.ts";
import { protocolLimits } from "../chain/protocol.ts";
import { type ChainRpc, connect } from "../chain/rpc.ts";
import { accountCode, isPublishedCode } from "../chain/views.ts";
import { allCollections } from "../collections/on-chain.ts";
import type { EndpointResponse, ServiceContext } from "../context.ts";
import { ledgerOf } from "../db/ledger.ts";
import type { ContractRow } from "../db/queries/contracts.ts";
import { findIntegration } from "../db/queries/integrations.ts";
import { hasOpenOperation, openOperationOf } from "../db/queries/operations.ts";
import { publicationOf } from "../db/queries/provisioning.ts";
import { isFormerRelease } from "../domain/contract-releases.ts";
import { ServiceError } from "../domain/errors.ts";
import { newUuid, toHex, type Uuid } from "../domain/ids.ts";
import { BYTE_PRICE } from "../domain/promised-bytes.ts";
import { joinOperation, runOperation, tryOperation } from "../operations/engine/run.ts";
import type { ContractPublishOperation } from "../operations/kinds/contract-publish.ts";
import { ANNOUNCEMENT_BYTES, type ContractUpgradeOperation } from "../operations/kinds/contract-upgrade.ts";
import { walletOf } from "../wallet/client.ts";
import { OPERATOR, requireContract } from "./provisioning.ts";

/** Burned for each byte of a code that is published, yoctoNEAR (NEP-591). */
const PUBLICATION_PRICE = 10n ** 20n;

/** Most gas of one transaction of an upgrade, and the transactions: two payments, the announcement, the switch. */
const TRANSACTION_GAS = 100n * 10n ** 12n;
const TRANSACTIONS = 4;

interface ContractState {
  /** Hexadecimal; null if the account doesn't exist or has no code. */
  readonly codeHash: string | null;
  /** Null if the account has no contract of this service. */
  readonly version: ContractVersion | null;
  readonly ownerId: string | null;
  readonly collections: number;
  /** Null as `version`. */
  readonly upgrade: ContractUpgrade | null;
  /** Height of a final block before which the rest was read. */
  readonly height: number;
  /** yoctoNEAR that the account lacks of the balance it needs. */
  readonly missing: bigint;
}

interface Survey {
  readonly contract: ContractRow;
  readonly plan: UpgradePlan;
  /** Whether the account runs the new code already, which the service hasn't recorded. */
  readonly isSwitched: boolean;
  /** Whether the new code is announced. */
  readonly isAnnounced: boolean;
}

/** Reads a contract, its wallet and the code's publication. @throws ChainUnavailableError */
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
  const isAnnounced = chain.upgrade?.code_hash === baseEncode(code.hash);
  const transactions = isCurrent ? 0 : TRANSACTIONS;
  const topUp = isCurrent ? 0n : chain.missing;
  const fees = BigInt(transactions) * TRANSACTION_GAS * limits.minGasPrice;
  const lacking = topUp + fees - BigInt(available ?? topUp + fees);
  const walletId = integration?.walletAccountId ?? null;
  const obstacle = obstacleOf(contract, { ...chain, isAnnounced }, walletId, newCodeHash);
  const publishes = !isCurrent && !isPublished;
  const plan: UpgradePlan = {
    contract_uuid: contract.id,
    integration_uuid: contract.integrationId,
    account_id: contract.accountId,
    state: obstacle !== null ? "blocked" : isCurrent ? "current" : "ready",
    obstacle,
    code_hash: chain.codeHash,
    layout: chain.version?.layout ?? null,
    version: chain.version?.version ?? null,
    new_code_hash: newCodeHash,
    collections: chain.collections,
    transactions,
    publish: publishes,
    publish_cost: String(publishes ? BigInt(code.bytes.length) * PUBLICATION_PRICE : 0n),
    top_up: String(topUp),
    fees: String(fees),
    wallet: { account_id: walletId, available, missing: String(lacking > 0n ? lacking : 0n) },
  };
  return { contract, plan, isSwitched, isAnnounced };
};

/** Whether the code is published, by an operation that succeeded or by another account. */
const isAvailable = async ({ db }: ServiceContext, rpc: ChainRpc, codeHash: Uint8Array): Promise<boolean> =>
  (await publicationOf(db, codeHash, newUuid())) === "elsewhere_done" || isPublishedCode(rpc, codeHash);

const stateOf = async (rpc: ChainRpc, accountId: string): Promise<ContractState> => {
  const views = contractViews(rpc, accountId);
  const hash = await accountCode(rpc, accountId);
  const codeHash = hash && toHex(hash);
  try {
    const { height } = await readBlock(rpc, "final");
    const [version, roles, balance, upgrade, collections] = await Promise.all([
      views.version(),
      views.roles(),
      views.balance(),
      views.upgrade(),
      allCollections(views),
    ]);
    return {
      codeHash,
      version,
      ownerId: roles.owner_id,
      collections: collections.length,
      upgrade,
      height,
      missing: lackFor(ANNOUNCEMENT_BYTES, balance),
    };
  } catch (error) {
    if (error instanceof ViewError) return { codeHash, ...NOTHING };
    throw error;
  }
};

/** yoctoNEAR that a contract lacks to store so many bytes. */
const lackFor = (bytes: number, { free, missing }: ContractBalance): bigint => {
  const lack = BigInt(bytes) * BYTE_PRICE + BigInt(missing ?? "0") - BigInt(free);
  return lack > 0n ? lack : 0n;
};

const NOTHING = {
  version: null,
  ownerId: null,
  collections: 0,
  upgrade: null,
  height: 0,
  missing: 0n,
} as const;

const obstacleOf = (
  { state, accountId, codeHash }: ContractRow,
  chain: ContractState & { readonly isAnnounced: boolean },
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
    return `Ask the contract's owner ${chain.ownerId} to call upgrade_announce and upgrade with the code hash, or to make the wallet ${walletId} its owner.`;
  }
  if (chain.upgrade?.locked) return "The contract's code is locked: it keeps the code that it has.";
  const earliest = chain.upgrade?.earliest_height ?? 0;
  if (chain.isAnnounced && earliest > chain.height + 1) {
    return `The upgrade is announced. Carry it out from block ${earliest} on; the last final block is ${chain.height}.`;
  }
  return null;
};

const KIND = "contract_upgrade";

/** The plan of a contract's upgrade; nothing is sent. @throws ServiceError not_found, chain_unavailable */
export const planUpgrade = async (context: ServiceContext, contractId: Uuid): Promise<UpgradePlan> =>
  (await surveyOf(context, await requireContract(context, contractId))).plan;

/**
 * Upgrades a contract to this release's code: publishes the code if the chain lacks it, and announces the upgrade; where the
 * contract's delay is over, switches it. A call during an upgrade joins it; one after it changes nothing.
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
  const open = await openOperationOf(ledgerOf(context, integrationId), subject, KIND);
  if (open) return joinOperation(context, OPERATOR, { ...open, kind: KIND });
  const { plan, isSwitched, isAnnounced } = await surveyOf(context, contract);
  if (plan.obstacle !== null) throw new ServiceError("conflict", plan.obstacle);
  const { account_id, new_code_hash: codeHash } = plan;
  if (plan.state === "current") {
    return {
      status: 200,
      body: {
        contract_uuid: contract.id,
        account_id,
        code_hash: codeHash,
        earliest_height: null,
        tx_results: [],
      },
    };
  }
  requireFunds(plan);
  if (plan.publish) await publishCode(context, contract, codeHash);
  const request: ContractUpgradeOperation = {
    contract: account_id,
    codeHash,
    topUp: plan.top_up,
    switched: isSwitched,
    announced: isAnnounced,
  };
  const condition = not(hasOpenOperation(subject, KIND));
  const proposal = { kind: KIND, subjectId: contractId, request, condition } as const;
  const answer = await tryOperation(context, { integrationId, ...OPERATOR }, proposal);
  if (answer) return answer;
  const joined = await openOperationOf(ledgerOf(context, integrationId), subject, KIND);
  if (joined) return joinOperation(context, OPERATOR, { ...joined, kind: KIND });
  throw new ServiceError("conflict", "This contract has just been upgraded. Read it again.");
};

const requireFunds = ({ wallet, top_up, fees }: UpgradePlan): void => {
  if (wallet.missing === "0") return;
  throw new ServiceError(
    "insufficient_funds",
    `Send at least ${wallet.missing} yoctoNEAR to ${wallet.account_id}, the integration's wallet, and try again: the upgrade takes up to ${BigInt(top_up) + BigInt(fees)}. Nothing was sent.`,
    { outcome: "not_submitted", retryable: true },
  );
};

/** Publishes the code from the platform's account, unless another operation is publishing it; the upgrade waits for that. */
const publishCode = async (
  context: ServiceContext,
  { id: subjectId, integrationId }: ContractRow,
  codeHash: string,
): Promise<void> => {
  const id = newUuid();
  if ((await publicationOf(context.db, Buffer.from(codeHash, "hex"), id)) === "elsewhere_pending") return;
  const request: ContractPublishOperation = { platformId: context.settings.PLATFORM_ACCOUNT_ID, codeHash };
  // Its first step claims the publication, which nobody releases for an operation that doesn't exist.
  const proposal = { id, kind: "contract_publish", subjectId, request, acceptFirst: true } as const;
  await runOperation(context, { integrationId, ...OPERATOR }, proposal);
};
