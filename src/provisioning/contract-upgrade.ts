import { not } from "drizzle-orm";
import { contractCode } from "../chain/contract/code.ts";
import type { Answer, ServiceContext } from "../context.ts";
import { hasOpenOperation, openOperationOf } from "../db/queries/operations.ts";
import { publicationOf } from "../db/queries/publications.ts";
import { ServiceError } from "../domain/errors.ts";
import { newUuid, type Uuid } from "../domain/ids.ts";
import { joinOperation, runOperation } from "../operations/engine/run.ts";
import type { ContractPublishOperation } from "../operations/kinds/contract-publish.ts";
import type { ContractUpgradeOperation } from "../operations/kinds/contract-upgrade.ts";
import type { ContractUpgraded, UpgradePlan } from "../resources/contract-upgrade.ts";
import { type Survey, surveyOf } from "./contract-survey.ts";
import { OPERATOR, requireContract } from "./provisioning.ts";

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
): Promise<Answer<ContractUpgraded>> => {
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
