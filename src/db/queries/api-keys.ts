import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { apiKeys, integrations } from "../schema/index.ts";
import { mayHaveKey } from "./usage.ts";

/** A row of an integration's keys. */
export type ApiKeyRow = typeof apiKeys.$inferSelect;

/**
 * The key with this digest, whatever its state, with its integration's limits and since when that is suspended;
 * undefined if there is none.
 */
export const findKeyByDigest = (db: Database, digest: Uint8Array) =>
  db
    .select({ key: apiKeys, limits: integrations.limits, suspendedAt: integrations.suspendedAt })
    .from(apiKeys)
    .innerJoin(integrations, eq(integrations.id, apiKeys.integrationId))
    .where(eq(apiKeys.digest, digest))
    .get();

/** Reads a key of an integration. */
export const ownKey = (db: Database, integrationId: Uuid, id: Uuid) =>
  db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.id, id), eq(apiKeys.integrationId, integrationId)));

/** Notes the last use of a key, unless another isolate noted one since `unlessSince`. */
export const touchKey = async (db: Database, id: Uuid, now: Date, unlessSince: Date): Promise<void> => {
  const stale = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, unlessSince));
  await db
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), stale));
};

/** Stores a new key, unless its integration has as many as it may. Whether it was stored. */
export const insertKey = async (db: Database, row: ApiKeyRow): Promise<boolean> => {
  const { id, integrationId, name, role, digest, prefix, expiresAt, createdAt } = row;
  const stored = await db
    .insert(apiKeys)
    .select(sql`
      SELECT ${uuidToBytes(id)}, ${uuidToBytes(integrationId)}, ${name}, ${role}, ${digest}, ${prefix},
        ${expiresAt?.getTime() ?? null}, NULL, NULL, ${createdAt.getTime()}
      WHERE ${mayHaveKey(integrationId, createdAt)}`)
    .returning({ id: apiKeys.id });
  return stored.length > 0;
};

/** An integration's keys, newest first, behind the one with the id `after`. */
export const listKeys = (db: Database, integrationId: Uuid, after: Uuid | null, limit: number) =>
  db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.integrationId, integrationId), after ? lt(apiKeys.id, after) : undefined))
    .orderBy(desc(apiKeys.id))
    .limit(limit)
    .all();

/** Revokes a key of an integration; a second time changes nothing. Undefined if there is no such key. */
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
