import { connectFor } from "../chain/rpc.ts";
import { accountExists } from "../chain/views.ts";
import type { ServiceContext } from "../context.ts";
import { isImplicitAccountId } from "../domain/account-ids.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Issue } from "../domain/issues.ts";

/**
 * Makes sure that accounts exist on the chain; the first payment creates an implicit one. @param message what to do
 * about a missing account @throws ServiceError unknown_account that names each; chain_unavailable
 */
export const requireAccounts = async (
  context: ServiceContext,
  accounts: readonly { readonly path: Issue["path"]; readonly accountId: string }[],
  message: string,
): Promise<void> => {
  const named = accounts.filter(({ accountId }) => !isImplicitAccountId(accountId));
  if (named.length === 0) return;
  const known = await accountExists(
    connectFor(context),
    named.map(({ accountId }) => accountId),
  );
  const missing = named.filter(({ accountId }) => !known.get(accountId));
  if (missing.length === 0) return;
  const names = [...new Set(missing.map(({ accountId }) => accountId))].join(", ");
  throw new ServiceError("unknown_account", `Create these accounts, or correct their ids: ${names}.`, {
    issues: missing.map(({ path }): Issue => ({ path, message })),
    outcome: "not_submitted",
  });
};
