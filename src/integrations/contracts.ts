import { contractCode } from "../chain/contract/code.ts";
import type { ServiceContext } from "../context.ts";
import { type ContractRow, listAllContracts, listContracts as rows } from "../db/queries/contracts.ts";
import { cursorUuid, type Stretch, stretchOf } from "../domain/cursors.ts";
import { toHex, type Uuid } from "../domain/ids.ts";
import { requireIntegration } from "./integrations.ts";

/** A contract as the operator sees it. */
export interface ContractView {
  readonly contract_uuid: Uuid;
  readonly account_id: string;
  /** Hexadecimal of the SHA-256 of its code. */
  readonly code_hash: string;
  readonly state: "deploying" | "ready" | "failed";
  readonly created_at: string;
}

const contractView = (row: ContractRow): ContractView => ({
  contract_uuid: row.id,
  account_id: row.accountId,
  code_hash: toHex(row.codeHash),
  state: row.state,
  created_at: row.createdAt.toISOString(),
});

/**
 * Some of an integration's contracts, newest first; the cursor is the id of the last one before.
 * @throws ServiceError not_found
 */
export const listContracts = async (
  context: ServiceContext,
  integrationId: Uuid,
  cursor: string | null,
  size: number,
): Promise<Stretch<ContractView>> => {
  await requireIntegration(context, integrationId);
  const found = await rows(context.db, integrationId, cursorUuid(cursor), size + 1);
  return stretchOf(found.map(contractView), size, (contract) => contract.contract_uuid);
};

/** A contract among those of all integrations. */
export interface OwnedContractView extends ContractView {
  readonly integration_uuid: Uuid;
  /** It runs this release's code, with all of its collections taken over. */
  readonly is_current: boolean;
}

/** Some of all contracts, newest first; the cursor is the id of the last one before. */
export const listEveryContract = async (
  context: ServiceContext,
  cursor: string | null,
  size: number,
): Promise<Stretch<OwnedContractView>> => {
  const code = toHex((await contractCode()).hash);
  const found = await listAllContracts(context.db, cursorUuid(cursor), size + 1);
  const view = (row: ContractRow): OwnedContractView => ({
    ...contractView(row),
    integration_uuid: row.integrationId,
    is_current: toHex(row.codeHash) === code,
  });
  return stretchOf(found.map(view), size, (contract) => contract.contract_uuid);
};
