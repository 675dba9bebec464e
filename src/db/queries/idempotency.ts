import { and, eq, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { idempotencyKeys, operations } from "../schema/index.ts";

/** A row of the keys with the operation behind it, where there is one. */
export interface KeyRow {
  readonly key: typeof idempotencyKeys.$inferSelect;
  readonly operation: Pick<
    typeof operations.$inferSelect,
    "id" | "state" | "answerStatus" | "answerBody"
  > | null;
}

/** A claim on a key. */
export interface Claim {
  readonly integrationId: Uuid;
  readonly key: string;
  /** Null while it is not known: that of a multipart body is, once the body is read. */
  readonly fingerprint: Uint8Array | null;
  readonly now: Date;
  readonly expiresAt: Date;
  /** A key in flight since then, with no operation behind it, frees itself. */
  readonly freesBefore: Date;
  /** Statuses that free a key, so that the same request may be tried again. */
  readonly freeing: readonly number[];
}

const isKey = (integrationId: Uuid, key: string): SQL =>
  and(eq(idempotencyKeys.integrationId, integrationId), eq(idempotencyKeys.key, key)) as SQL;

/**
 * Takes a key if it is new or free: expired, in flight for too long with no operation behind it, or bound to an
 * operation that ended with an answer that is not kept. Whether it was taken.
 */
export const claimKey = async (db: Database, claim: Claim): Promise<boolean> => {
  const { integrationId, key, fingerprint, now, expiresAt, freesBefore, freeing } = claim;
  const row = {
    fingerprint,
    operationId: null,
    status: null,
    headers: null,
    body: null,
    createdAt: now,
    expiresAt,
  };
  const taken = await db
    .insert(idempotencyKeys)
    .values({ integrationId, key, ...row })
    .onConflictDoUpdate({
      target: [idempotencyKeys.integrationId, idempotencyKeys.key],
      set: row,
      setWhere: sql`
        (idempotency_keys.operation_id IS NULL AND idempotency_keys.status IS NULL
          AND idempotency_keys.created_at <= ${freesBefore.getTime()})
        OR (idempotency_keys.expires_at <= ${now.getTime()} AND NOT EXISTS (
          SELECT 1 FROM operations WHERE id = idempotency_keys.operation_id AND state IN ('pending', 'unknown')))
        OR EXISTS (
          SELECT 1 FROM operations WHERE id = idempotency_keys.operation_id AND state = 'failed'
          AND answer_status IN (SELECT value FROM json_each(${JSON.stringify(freeing)})))`,
    })
    .returning({ key: idempotencyKeys.key });
  return taken.length > 0;
};

/** A key with what it stands for; undefined where it was freed meanwhile. */
export const findKey = (db: Database, integrationId: Uuid, key: string): Promise<KeyRow | undefined> =>
  db
    .select({
      key: idempotencyKeys,
      operation: {
        id: operations.id,
        state: operations.state,
        answerStatus: operations.answerStatus,
        answerBody: operations.answerBody,
      },
    })
    .from(idempotencyKeys)
    .leftJoin(operations, eq(operations.id, idempotencyKeys.operationId))
    .where(isKey(integrationId, key))
    .get();

/** Notes the fingerprint of a request whose body has been read. */
export const setFingerprint = async (
  db: Database,
  integrationId: Uuid,
  key: string,
  fingerprint: Uint8Array,
): Promise<void> => {
  await db
    .update(idempotencyKeys)
    .set({ fingerprint })
    .where(and(isKey(integrationId, key), isNull(idempotencyKeys.fingerprint)));
};

/** Keeps an answer for a key that is in flight: a statement of its own, or of the batch that has the effect. */
export const keepAnswer = (
  db: Database,
  integrationId: Uuid,
  key: string,
  answer: { readonly status: number; readonly headers: Record<string, string>; readonly body: string | null },
) =>
  db
    .update(idempotencyKeys)
    .set(answer)
    .where(and(isKey(integrationId, key), isNull(idempotencyKeys.status)));

/** Frees a key that is in flight and has no operation that goes on or has an effect. */
export const freeKey = async (db: Database, integrationId: Uuid, key: string): Promise<void> => {
  await db
    .delete(idempotencyKeys)
    .where(
      and(
        isKey(integrationId, key),
        isNull(idempotencyKeys.status),
        sql`NOT EXISTS (SELECT 1 FROM operations WHERE id = ${idempotencyKeys.operationId} AND state <> 'failed')`,
      ),
    );
};

/** Some keys that have expired, with where their answers are, except those of operations that go on. */
export const expiredKeys = (db: Database, now: Date, limit: number) =>
  db
    .select({
      integrationId: idempotencyKeys.integrationId,
      key: idempotencyKeys.key,
      body: idempotencyKeys.body,
    })
    .from(idempotencyKeys)
    .where(
      and(
        lte(idempotencyKeys.expiresAt, now),
        sql`NOT EXISTS (SELECT 1 FROM operations WHERE id = ${idempotencyKeys.operationId}
          AND state IN ('pending', 'unknown'))`,
      ),
    )
    .limit(limit)
    .all();

/** Deletes keys of one integration that have expired still. */
export const deleteExpired = async (
  db: Database,
  integrationId: Uuid,
  keys: readonly string[],
  now: Date,
): Promise<void> => {
  await db
    .delete(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.integrationId, integrationId),
        inArray(idempotencyKeys.key, sql`(SELECT value FROM json_each(${JSON.stringify(keys)}))`),
        lte(idempotencyKeys.expiresAt, now),
      ),
    );
};
