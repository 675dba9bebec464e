import type { ServiceContext } from "../context.ts";
import type { CollectionSettings } from "../domain/settings.ts";
import { requireAccounts } from "./accounts.ts";

const TABLES = ["initial_royalties", "ongoing_royalties"] as const;

/**
 * Makes sure that every account which would be paid royalties exists.
 * @throws ServiceError unknown_account that names each that doesn't; chain_unavailable
 */
export const requirePayees = (
  context: ServiceContext,
  settings: Partial<Pick<CollectionSettings, (typeof TABLES)[number]>>,
): Promise<void> =>
  requireAccounts(
    context,
    TABLES.flatMap((table) =>
      Object.keys(settings[table] ?? {}).map((accountId) => ({ path: [table, accountId], accountId })),
    ),
    "Name an account that exists on the chain: this one could never receive its share.",
  );
