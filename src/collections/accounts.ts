import { connectFor } from "../chain/rpc.ts";
import { accountExists } from "../chain/views.ts";
import type { ServiceContext } from "../context.ts";
import { isImplicitAccountId } from "../domain/account-ids.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Issue } from "../domain/issues.ts";

/** An account that a request names, and where it does. */
export interface NamedAccount {
  readonly path: Issue["path"];
  readonly accountId: string;
}

/**
 * Makes sure that accounts exist on the chain. Implicit accounts come into being with the first payment.
 * @param message what is to be done about one that doesn't
 * @throws ServiceError unknown_account that names each that doesn't; chain_unavailable
 */
export const requireAccounts = async (
  context: ServiceContext,
  accounts: readonly NamedAccount[],
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
