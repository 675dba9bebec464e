import { connect } from "../chain/rpc.ts";
import { accountExists } from "../chain/views.ts";
import type { ServiceContext } from "../context.ts";
import { isImplicitAccountId } from "../domain/account-ids.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Issue } from "../domain/issues.ts";
import type { CollectionSettings } from "../domain/settings.ts";

const TABLES = ["initial_royalties", "ongoing_royalties"] as const;

/**
 * Makes sure that every account which would be paid royalties exists. Implicit accounts come into being with the
 * first payment.
 * @throws ServiceError unknown_account that names each that doesn't; chain_unavailable
 */
export const requirePayees = async (
  context: ServiceContext,
  settings: Partial<Pick<CollectionSettings, (typeof TABLES)[number]>>,
): Promise<void> => {
  const payees = TABLES.flatMap((table) =>
    Object.keys(settings[table] ?? {}).map((accountId) => ({ table, accountId })),
  ).filter(({ accountId }) => !isImplicitAccountId(accountId));
  if (payees.length === 0) return;
  const known = await accountExists(
    connect(context.settings),
    payees.map(({ accountId }) => accountId),
  );
  const issues = payees
    .filter(({ accountId }) => !known.get(accountId))
    .map(
      ({ table, accountId }): Issue => ({
        path: [table, accountId],
        message: "Name an account that exists on the chain: this one could never receive its share.",
      }),
    );
  if (issues.length === 0) return;
  const names = issues.map(({ path }) => path.at(-1)).join(", ");
  throw new ServiceError("unknown_account", `Create these accounts, or correct their ids: ${names}.`, {
    issues,
    outcome: "not_submitted",
  });
};
