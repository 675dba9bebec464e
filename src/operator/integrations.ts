import { baseEncode } from "near-api-js";
import type { Integration } from "../api/resources/integration.ts";
import type { ServiceContext } from "../context.ts";
import * as queries from "../db/queries/integrations.ts";
import { cursorUuid, type Page, pageOf } from "../domain/cursors.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";

const toIntegration = (row: queries.IntegrationRow): Integration => ({
  integration_uuid: row.id,
  name: row.name,
  state: row.deletedAt ? "deleted" : row.suspendedAt ? "suspended" : "active",
  wallet_account_id: row.walletAccountId,
  wallet_public_key: row.walletPublicKey && `ed25519:${baseEncode(row.walletPublicKey)}`,
  wallet_state: row.walletState,
  payout_account: row.payoutAccount,
  created_at: row.createdAt.toISOString(),
});

/** An integration's row. @throws ServiceError not_found */
export const requireIntegration = async (
  context: ServiceContext,
  id: Uuid,
): Promise<queries.IntegrationRow> => {
  const row = await queries.findIntegration(context.db, id);
  if (!row) throw new ServiceError("not_found", "There is no such integration. Check its integration_uuid.");
  return row;
};

/** An integration's row where it isn't deleted. @throws ServiceError not_found, conflict */
export const requireUndeleted = async (
  context: ServiceContext,
  id: Uuid,
): Promise<queries.IntegrationRow> => {
  const row = await requireIntegration(context, id);
  if (row.deletedAt) throw new ServiceError("conflict", "This integration was deleted. Create another one.");
  return row;
};

/** One integration. @throws ServiceError not_found */
export const readIntegration = async (context: ServiceContext, id: Uuid): Promise<Integration> =>
  toIntegration(await requireIntegration(context, id));

/** What an operator changes of an integration; an absent field stays. */
export interface IntegrationChanges {
  readonly name?: string;
  readonly suspended?: boolean;
}

/** Renames an integration, suspends or resumes it. @throws ServiceError not_found, conflict if it was deleted */
export const changeIntegration = async (
  context: ServiceContext,
  id: Uuid,
  changes: IntegrationChanges,
): Promise<Integration> => {
  await requireUndeleted(context, id);
  await queries.changeIntegration(context.db, id, changes, context.now());
  context.log("integration.changed", { integration_uuid: id, ...changes });
  return readIntegration(context, id);
};

/** Some integrations, newest first; the cursor is the id of the last one before. */
export const listIntegrations = async (
  context: ServiceContext,
  which: queries.WhichIntegrations,
  cursor: string | null,
  size: number,
): Promise<Page<Integration>> => {
  const rows = await queries.listIntegrations(context.db, which, cursorUuid(cursor), size + 1);
  return pageOf(rows.map(toIntegration), size, (row) => row.integration_uuid);
};
