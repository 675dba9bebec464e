import { and, eq, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidFromBytes } from "../../domain/ids.ts";
import { type Budget, budgetsOf, type KeyRights } from "../../domain/key-rights.ts";
import type { Database } from "../client.ts";
import { apiKeys, integrations } from "../schema/index.ts";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** What a key may do. */
export const rightsOf = (
  row: Pick<ApiKeyRow, "scopes" | "collections" | "spendingPerDay" | "confirmAbove" | "expiresAt">,
): KeyRights => ({
  scopes: row.scopes,
  collections: row.collections,
  spendingPerDay: row.spendingPerDay,
  confirmAbove: row.confirmAbove,
  expiresAt: row.expiresAt?.getTime() ?? null,
});

/** The key with this digest, now or before its rotation, in any state, with what limits its integration. */
export const findKeyByDigest = (db: Database, digest: Uint8Array) =>
  db
    .select({
      key: apiKeys,
      limits: integrations.limits,
      // A distinct name: a key has a limit of its own.
      spendingPerDay: sql<string | null>`${integrations.spendingPerDay}`.as("wallet_spending_per_day"),
      suspendedAt: integrations.suspendedAt,
    })
    .from(apiKeys)
    .innerJoin(integrations, eq(integrations.id, apiKeys.integrationId))
    .where(or(eq(apiKeys.digest, digest), eq(apiKeys.oldDigest, digest)))
    .get();

/** Records the last use of a key, unless another isolate has recorded one since `unlessSince`. */
export const touchKey = async (db: Database, id: Uuid, now: Date, unlessSince: Date): Promise<void> => {
  const stale = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, unlessSince));
  await db
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), stale));
};

/** The budgets that count the spending of a key, as JSON; of none, null. @param id SQL of the key's id */
export const budgetsOfKey = (id: SQL): SQL<string | null> => sql<string | null>`(
  SELECT json_array(lower(hex(id)), spending_per_day, json(maker_budgets)) FROM api_keys WHERE id = ${id})`;

/** The budgets of what `budgetsOfKey` has read. */
export const budgetsFrom = (text: string | null): readonly Budget[] => {
  if (text === null) return [];
  const [hex, spendingPerDay, makerBudgets] = JSON.parse(text) as [string, string | null, readonly Budget[]];
  return budgetsOf(uuidFromBytes(Buffer.from(hex, "hex")), { spendingPerDay, makerBudgets });
};
