import { requireAccounts } from "../collections/accounts.ts";
import type { ServiceContext } from "../context.ts";
import { setPayoutAccount } from "../db/queries/integrations.ts";
import type { Uuid } from "../domain/ids.ts";
import { readIntegration, requireIntegration } from "../integrations/integrations.ts";
import type { Integration } from "../resources/integration.ts";

/**
 * Sets the account that an integration's money is paid out to; null: none.
 * @throws ServiceError not_found, unknown_account, chain_unavailable
 */
export const changePayoutAccount = async (
  context: ServiceContext,
  id: Uuid,
  accountId: string | null,
): Promise<Integration> => {
  await requireIntegration(context, id);
  const accounts = accountId === null ? [] : [{ path: ["account_id"], accountId }];
  await requireAccounts(
    context,
    accounts,
    "Name an account that exists on the chain: a payout to this one would come back.",
  );
  await setPayoutAccount(context.db, id, accountId, context.now());
  context.log("integration.payout_account", { integration_uuid: id, account_id: accountId });
  return readIntegration(context, id);
};
