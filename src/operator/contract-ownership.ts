import type { ContractHandOver, ContractOwnership, ContractWithRoles } from "../api/resources/contract.ts";
import { contractViews } from "../chain/contract/views.ts";
import { ChainUnavailableError, ViewError } from "../chain/errors.ts";
import { connect } from "../chain/rpc.ts";
import { requireAccounts } from "../collections/accounts.ts";
import type { EndpointResponse, ServiceContext } from "../context.ts";
import { ledgerOf } from "../db/ledger.ts";
import { type ContractRow, findContractOf, forgetEarned, listContracts } from "../db/queries/contracts.ts";
import type { IntegrationRow } from "../db/queries/integrations.ts";
import { cursorUuid, type Page, pageOf } from "../domain/cursors.ts";
import { ServiceError } from "../domain/errors.ts";
import { newUuid, type Uuid } from "../domain/ids.ts";
import { runOperation } from "../operations/engine/run.ts";
import type {
  ContractAcceptOperation,
  ContractHandOverOperation,
} from "../operations/kinds/contract-ownership.ts";
import { toContract } from "./contracts.ts";
import { requireIntegration, requireUndeleted } from "./integrations.ts";
import { OPERATOR, requireContract, requireWallet, rolesOf, unfitAccount } from "./provisioning.ts";

interface HandOver {
  readonly contractId: Uuid;
  /** The account that becomes the owner by accepting; null withdraws the proposal. */
  readonly accountId: string | null;
  /** Whether the integration's wallet stays an admin. */
  readonly staysAdmin: boolean;
}

/**
 * Proposes another owner for a contract, who accepts by a call of their own. Nothing changes until then.
 * @throws ServiceError not_found, conflict, unknown_account, chain_unavailable, and whatever the operation fails with
 */
export const handOverContract = async (
  context: ServiceContext,
  { contractId, accountId, staysAdmin }: HandOver,
): Promise<EndpointResponse<ContractHandOver>> => {
  const contract = await requireContract(context, contractId);
  const { integrationId, accountId: account } = contract;
  const walletId = requireWallet(await requireIntegration(context, integrationId));
  if (accountId !== null) {
    const message = "Name an account that exists on the chain: it has to accept the contract itself.";
    await requireAccounts(context, [{ path: ["account_id"], accountId }], message);
  }
  const absent = () =>
    new ServiceError(
      "conflict",
      `Wait until the contract is deployed, or check the account ${account}: the chain shows no Mintage contract there.`,
    );
  const { owner_id: owner } = await rolesOf(context, account, absent);
  if (owner !== walletId) {
    throw new ServiceError("conflict", `Ask ${owner}: it is the contract's owner, and this wallet isn't.`);
  }
  if (accountId === owner) throw unfitAccount("Give another account: this one is the owner.");
  const request: ContractHandOverOperation = { contract: account, accountId, walletId, staysAdmin };
  const proposal = { kind: "contract_hand_over", subjectId: contractId, request } as const;
  return runOperation(context, { integrationId, ...OPERATOR }, proposal);
};

/**
 * Has an integration's wallet accept a contract that its owner has proposed to it. A call after it changes nothing.
 * @throws ServiceError not_found; conflict: another integration has it; invalid_request: nothing is proposed; chain_unavailable
 */
export const acceptContract = async (
  context: ServiceContext,
  { integrationId, accountId }: { readonly integrationId: Uuid; readonly accountId: string },
): Promise<EndpointResponse<ContractOwnership>> => {
  const walletId = requireWallet(await requireUndeleted(context, integrationId));
  const known = await findContractOf(context.db, accountId);
  if (known !== undefined && known.integrationId !== integrationId) {
    throw new ServiceError(
      "conflict",
      `This contract belongs to the integration ${known.integrationId} of this service. Nothing was sent.`,
    );
  }
  const roles = await rolesOf(context, accountId, ({ message }) =>
    unfitAccount(`Give a contract of this service: ${message}`),
  );
  if (roles.owner_id === walletId) {
    return { status: 200, body: { account_id: accountId, owner_id: walletId, tx_results: [] } };
  }
  if (roles.proposed_owner_id !== walletId) {
    throw unfitAccount(
      `Have the owner, ${roles.owner_id}, propose ${walletId} first. Proposed is ${roles.proposed_owner_id ?? "nobody"}.`,
    );
  }
  const request: ContractAcceptOperation = { contract: accountId, walletId };
  const id = newUuid();
  // Before the wallet can be the owner: what the contract has counted until then is the former owner's.
  const after = [forgetEarned(ledgerOf(context, integrationId), [accountId], id)];
  const proposal = { id, kind: "contract_accept", subjectId: integrationId, request, after } as const;
  return runOperation(context, { integrationId, ...OPERATOR }, proposal);
};

/** A contract with its current roles from the chain, null if no node responds. @throws ServiceError not_found */
export const readContract = async (context: ServiceContext, contractId: Uuid): Promise<ContractWithRoles> => {
  const contract = await requireContract(context, contractId);
  return withRoles(context, contract, await requireIntegration(context, contract.integrationId));
};

const ROLES_AT_ONCE = 50;

/** An integration's contracts as `readContract` shows each, newest first. A page may have fewer than `size`. */
export const listContractsWithRoles = async (
  context: ServiceContext,
  integrationId: Uuid,
  cursor: string | null,
  size: number,
): Promise<Page<ContractWithRoles>> => {
  const integration = await requireIntegration(context, integrationId);
  const most = Math.min(size, ROLES_AT_ONCE);
  const found = await listContracts(context.db, { integrationId }, cursorUuid(cursor), most + 1);
  const { items, next } = pageOf(found, most, ({ id }) => id);
  return { items: await Promise.all(items.map((row) => withRoles(context, row, integration))), next };
};

const withRoles = async (
  context: ServiceContext,
  contract: ContractRow,
  { walletAccountId: wallet }: IntegrationRow,
): Promise<ContractWithRoles> => {
  const roles = await contractViews(connect(context.settings), contract.accountId)
    .roles()
    .catch((error: unknown) => {
      if (!(error instanceof ViewError || error instanceof ChainUnavailableError)) throw error;
      context.log("contract.roles_not_read", { account_id: contract.accountId, error });
      return null;
    });
  return {
    ...toContract(contract),
    integration_uuid: contract.integrationId,
    owner_id: roles?.owner_id ?? null,
    proposed_owner_id: roles?.proposed_owner_id ?? null,
    wallet_is_admin: roles && wallet !== null && roles.admin_ids.includes(wallet),
  };
};
