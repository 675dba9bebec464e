import { and, desc, eq, isNull, lt, or } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { apiKeys } from "../schema/index.ts";

/** A row of an integration's keys. */
export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** The key with this digest, whatever its state; undefined where there is none. */
export const findKeyByDigest = (db: Database, digest: Uint8Array): Promise<ApiKeyRow | undefined> =>
  db.select().from(apiKeys).where(eq(apiKeys.digest, digest)).get();

/** Notes the last use of a key, unless another isolate noted one since `unlessSince`. */
export const touchKey = async (db: Database, id: Uuid, now: Date, unlessSince: Date): Promise<void> => {
  const stale = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, unlessSince));
  await db
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), stale));
};

/** Stores a new key. */
export const insertKey = async (db: Database, row: ApiKeyRow): Promise<void> => {
  await db.insert(apiKeys).values(row);
};

/** An integration's keys, newest first, behind the one with the id `after`. */
export const listKeys = (
  db: Database,
  integrationId: Uuid,
  after: Uuid | null,
  limit: number,
): Promise<ApiKeyRow[]> =>
  db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.integrationId, integrationId), after ? lt(apiKeys.id, after) : undefined))
    .orderBy(desc(apiKeys.id))
    .limit(limit)
    .all();

/** Revokes a key of an integration; a second time changes nothing. Undefined where there is no such key. */
export const revokeKey = async (
  db: Database,
  integrationId: Uuid,
  id: Uuid,
  now: Date,
): Promise<ApiKeyRow | undefined> => {
  const own = and(eq(apiKeys.integrationId, integrationId), eq(apiKeys.id, id));
  await db
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(own, isNull(apiKeys.revokedAt)));
  return db.select().from(apiKeys).where(own).get();
};
