import { and, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Database } from "../client.ts";
import { contracts, integrations, webhooks } from "../schema/index.ts";

/** The newest contracts of all integrations that are ready. */
export const newestContracts = (db: Database, limit: number) =>
  db
    .select({ id: contracts.id, integrationId: contracts.integrationId, accountId: contracts.accountId })
    .from(contracts)
    .where(eq(contracts.state, "ready"))
    .orderBy(desc(contracts.id))
    .limit(limit)
    .all();

/** Webhooks that are enabled, or that the service has disabled, the newest first. */
export const newestWebhooks = (db: Database, state: "enabled" | "disabled", limit: number) =>
  db
    .select({
      id: webhooks.id,
      integrationId: webhooks.integrationId,
      url: webhooks.url,
      disabledReason: webhooks.disabledReason,
    })
    .from(webhooks)
    .where(
      state === "enabled"
        ? sql`state = 'enabled'`
        : and(isNotNull(webhooks.disabledReason), eq(webhooks.state, state)),
    )
    .orderBy(desc(webhooks.id))
    .limit(limit)
    .all();

/** Bytes of files that assets and collections refer to, of all integrations. */
export const storedBytes = async (db: Database): Promise<number> => {
  const row = await db
    .select({ bytes: sql<number | null>`sum(${integrations.storedBytes})` })
    .from(integrations)
    .where(isNull(integrations.deletedAt))
    .get();
  return row?.bytes ?? 0;
};
