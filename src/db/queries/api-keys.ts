import { and, eq, isNull, lt, or } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { apiKeys, integrations } from "../schema/index.ts";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** The key with this digest in any state, with its integration's limits and suspension time. */
export const findKeyByDigest = (db: Database, digest: Uint8Array) =>
  db
    .select({ key: apiKeys, limits: integrations.limits, suspendedAt: integrations.suspendedAt })
    .from(apiKeys)
    .innerJoin(integrations, eq(integrations.id, apiKeys.integrationId))
    .where(eq(apiKeys.digest, digest))
    .get();

/** Records the last use of a key, unless another isolate has recorded one since `unlessSince`. */
export const touchKey = async (db: Database, id: Uuid, now: Date, unlessSince: Date): Promise<void> => {
  const stale = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, unlessSince));
  await db
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), stale));
};
