import type { Contract, OwnedContract } from "../api/resources/contract.ts";
import { contractCode } from "../chain/contract/code.ts";
import type { ServiceContext } from "../context.ts";
import { type ContractRow, listContracts as rows } from "../db/queries/contracts.ts";
import { cursorUuid, type Page, pageOf } from "../domain/cursors.ts";
import { toHex, type Uuid } from "../domain/ids.ts";
import { requireIntegration } from "./integrations.ts";

/** The operator's view of a contract, from the database. */
export const toContract = (row: ContractRow): Contract => ({
  contract_uuid: row.id,
  account_id: row.accountId,
  code_hash: toHex(row.codeHash),
  state: row.state,
  created_at: row.createdAt.toISOString(),
});

/** An integration's contracts, newest first; the cursor is the id of the last one before. @throws ServiceError not_found */
export const listContracts = async (
  context: ServiceContext,
  integrationId: Uuid,
  cursor: string | null,
  size: number,
): Promise<Page<Contract>> => {
  await requireIntegration(context, integrationId);
  const found = await rows(context.db, { integrationId }, cursorUuid(cursor), size + 1);
  return pageOf(found.map(toContract), size, (contract) => contract.contract_uuid);
};

/** All contracts, newest first, or the one at an account; the cursor is the id of the last one before. */
export const listEveryContract = async (
  context: ServiceContext,
  accountId: string | undefined,
  cursor: string | null,
  size: number,
): Promise<Page<OwnedContract>> => {
  const code = toHex((await contractCode()).hash);
  const found = await rows(context.db, { accountId }, cursorUuid(cursor), size + 1);
  const view = (row: ContractRow): OwnedContract => ({
    ...toContract(row),
    integration_uuid: row.integrationId,
    is_current: toHex(row.codeHash) === code,
  });
  return pageOf(found.map(view), size, (contract) => contract.contract_uuid);
};
