import { connectFor } from "../chain/rpc.ts";
import { accountExists } from "../chain/views.ts";
import type { ServiceContext } from "../context.ts";
import { isImplicitAccountId, isSystemAccountId } from "../domain/account-ids.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Issue } from "../domain/issues.ts";

/** An account that a request names, and where. */
interface NamedAccount {
  readonly path: Issue["path"];
  readonly accountId: string;
}

/**
 * Refuses receivers of an NFT that can never sign: what they hold is lost.
 * @param contract the account of the NFT's contract
 * @throws ServiceError invalid_request that names each of them
 */
export const requireHolders = (accounts: readonly NamedAccount[], contract: string): void => {
  const issues = accounts.flatMap(({ path, accountId }): Issue[] => {
    const isContract = accountId === contract;
    if (!isContract && !isSystemAccountId(accountId)) return [];
    const why = isContract
      ? "this is the NFT contract's own account"
      : `nobody can have the account ${accountId}`;
    return [{ path, message: `Name another account: ${why}, and the NFT would be lost.` }];
  });
  if (issues[0]) throw new ServiceError("invalid_request", issues[0].message, { issues });
};

/**
 * Makes sure that accounts exist on the chain; the first payment creates an implicit one. @param message what to do
 * about a missing account @throws ServiceError unknown_account that names each; chain_unavailable
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
