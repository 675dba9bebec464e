import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { IssuedKey, Key } from "../api/resources/key.ts";
import type { RequestKey, ServiceContext } from "../context.ts";
import type { ApiKeyRow } from "../db/queries/api-keys.ts";
import { recordChange } from "../db/queries/audit.ts";
import { idsIn } from "../db/queries/collections.ts";
import { noteEvent } from "../db/queries/events.ts";
import { runWithResponse } from "../db/queries/idempotency.ts";
import { mayHaveKey } from "../db/queries/usage.ts";
import { refuseUsedUp } from "../db/quota.ts";
import { apiKeys, collections as collectionRows, type UntoldEvent } from "../db/schema/index.ts";
import { apiKeyDigest, apiKeyPrefix, newApiKey } from "../domain/api-keys.ts";
import type { AuditAction } from "../domain/audit.ts";
import { ServiceError } from "../domain/errors.ts";
import type { EventType } from "../domain/events.ts";
import { newUuid, type Uuid, uuidToBytes } from "../domain/ids.ts";
import { type Budget, type KeyRights, roleOf } from "../domain/key-rights.ts";
import { tellEvent } from "../events/webhooks/interface.ts";
import { forgetKey } from "../http/authentication.ts";

/** How long a key's text works beside the one that replaces it. Milliseconds. */
const OLD_KEY_MS = 24 * 3_600_000;

/** A key as the API shows it. */
export const toKey = (row: ApiKeyRow, now: Date): Key => ({
  key_uuid: row.id,
  name: row.name,
  prefix: row.prefix,
  role: roleOf(row.scopes),
  scopes: row.scopes,
  collections: row.collections,
  spending_per_day: row.spendingPerDay,
  confirm_above: row.confirmAbove,
  expires_at: row.expiresAt?.toISOString() ?? null,
  old_key_until:
    row.oldDigestUntil !== null && row.oldDigestUntil > now ? row.oldDigestUntil.toISOString() : null,
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  revoked_at: row.revokedAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
});

/** A key to make. */
export interface NewKey extends KeyRights {
  readonly name: string;
  /** Budgets of the key that makes it. */
  readonly makerBudgets: readonly Budget[];
}

/** What the audit log shows of a key. */
const audited = (row: ApiKeyRow): object => {
  const { scopes, collections, spendingPerDay, confirmAbove, expiresAt, name, prefix } = row;
  return {
    ...{ name, prefix, scopes, collections },
    spending_per_day: spendingPerDay,
    confirm_above: confirmAbove,
    expires_at: expiresAt?.toISOString() ?? null,
  };
};

/** The entry of a change of a key in the audit log, in its batch. */
const beside = (context: ServiceContext, row: ApiKeyRow, action: AuditAction, condition: SQL) =>
  recordChange(context, row.integrationId, { action, subjectId: row.id, changes: audited(row) }, condition);

/** The event of a change of a key. */
const newsOf = (row: ApiKeyRow, type: EventType, at: Date): UntoldEvent => ({
  id: newUuid(),
  integrationId: row.integrationId,
  type,
  data: toKey(row, at),
  at,
});

/** An answer to keep for the request's Idempotency-Key; sealed, because it shows a key. */
const kept = async (requestKey: RequestKey | null, status: number, answer: IssuedKey) =>
  requestKey && (await requestKey.keeps(status, JSON.stringify(answer), { isSecret: true }));

/** The collections, of those named, that an integration lacks. */
const unknownCollections = async (
  { db }: ServiceContext,
  integrationId: Uuid,
  collections: readonly Uuid[],
): Promise<readonly Uuid[]> => {
  const rows = await db
    .select({ id: collectionRows.id })
    .from(collectionRows)
    .where(sql`id IN ${idsIn(collections)} AND integration_id = ${uuidToBytes(integrationId)}`);
  const known = new Set(rows.map(({ id }) => id));
  return collections.filter((id) => !known.has(id));
};

/** Issues a key, which only this answer shows. @throws ServiceError quota_exceeded, conflict, invalid_request */
export const issueKey = async (
  context: ServiceContext,
  integrationId: Uuid,
  { makerBudgets, name, ...rights }: NewKey,
  requestKey: RequestKey | null = null,
): Promise<IssuedKey> => {
  const { db, settings } = context;
  await refuseUnknown(context, integrationId, rights.collections ?? []);
  const text = newApiKey(settings.NEAR_NETWORK);
  const createdAt = context.now();
  const { scopes, collections, spendingPerDay, confirmAbove } = rights;
  const row: ApiKeyRow = {
    ...{
      id: newUuid(),
      integrationId,
      name,
      scopes,
      collections,
      spendingPerDay,
      confirmAbove,
      makerBudgets,
    },
    ...{
      digest: await apiKeyDigest(text),
      prefix: apiKeyPrefix(text),
      oldDigest: null,
      oldDigestUntil: null,
    },
    expiresAt: rights.expiresAt === null ? null : new Date(rights.expiresAt),
    ...{ lastUsedAt: null, revokedAt: null, createdAt },
  };
  const answer = { ...toKey(row, createdAt), api_key: text };
  const condition = mayHaveKey(integrationId, createdAt);
  const insertion = db
    .insert(apiKeys)
    .select(sql`
      SELECT ${uuidToBytes(row.id)}, ${uuidToBytes(integrationId)}, ${name}, ${JSON.stringify(scopes)},
        ${collections && JSON.stringify(collections)}, ${spendingPerDay}, ${JSON.stringify(makerBudgets)},
        ${confirmAbove}, ${row.digest}, ${row.prefix}, NULL, NULL, ${rights.expiresAt}, NULL, NULL,
        ${createdAt.getTime()}
      WHERE ${condition}`)
    .returning({ id: apiKeys.id });
  const answered = await kept(requestKey, 201, answer);
  const event = newsOf(row, "key.created", createdAt);
  const extra = [...beside(context, row, "key.created", condition), noteEvent(db, event, condition)];
  const stored = await runWithResponse(db, { answered, condition }, insertion, extra);
  if (stored.length > 0) {
    await tellEvent(context, event);
    return answer;
  }
  await refuseUsedUp(context, integrationId, ["keys"]);
  throw new ServiceError("conflict", "Another key of this integration has just ended. Issue the key again.");
};

const refuseUnknown = async (
  context: ServiceContext,
  integrationId: Uuid,
  collections: readonly Uuid[],
): Promise<void> => {
  const unknown = await unknownCollections(context, integrationId, collections);
  if (unknown.length === 0) return;
  const issues = unknown.map((id) => ({
    path: ["collections", collections.indexOf(id)],
    message: "There is no such collection.",
  }));
  throw new ServiceError("invalid_request", "Name collections of this integration.", { issues });
};

const own = (integrationId: Uuid, id: Uuid): SQL =>
  and(eq(apiKeys.integrationId, integrationId), eq(apiKeys.id, id)) as SQL;

/** The refusal of an unknown or deleted key. */
export const noKey = (): ServiceError =>
  new ServiceError("not_found", "This integration has no such key. Check its key_uuid.");

/** A key of an integration, in any state. @throws ServiceError not_found */
export const requireKey = async (
  { db }: ServiceContext,
  integrationId: Uuid,
  id: Uuid,
): Promise<ApiKeyRow> => {
  const row = await db.select().from(apiKeys).where(own(integrationId, id)).get();
  if (!row) throw noKey();
  return row;
};

/**
 * Replaces a key's text; the one before works as well for a day. Only this answer shows the new one.
 * @throws ServiceError not_found if it was deleted, conflict if another request has just replaced it
 */
export const rotateKey = async (
  context: ServiceContext,
  read: ApiKeyRow,
  requestKey: RequestKey | null,
): Promise<IssuedKey> => {
  const { db, settings } = context;
  if (read.revokedAt !== null) throw noKey();
  const text = newApiKey(settings.NEAR_NETWORK);
  const now = context.now();
  const changes = {
    digest: await apiKeyDigest(text),
    prefix: apiKeyPrefix(text),
    oldDigest: read.digest,
    oldDigestUntil: new Date(now.getTime() + OLD_KEY_MS),
  };
  const row = { ...read, ...changes };
  const answer = { ...toKey(row, now), api_key: text };
  const which = and(
    own(read.integrationId, read.id),
    eq(apiKeys.digest, read.digest),
    isNull(apiKeys.revokedAt),
  );
  const condition = sql`EXISTS (SELECT 1 FROM api_keys WHERE ${which})`;
  const answered = await kept(requestKey, 200, answer);
  const change = db.update(apiKeys).set(changes).where(which).returning({ id: apiKeys.id });
  const event = newsOf(row, "key.rotated", now);
  const extra = [...beside(context, row, "key.rotated", condition), noteEvent(db, event, condition)];
  if ((await runWithResponse(db, { answered, condition }, change, extra)).length === 0) {
    throw new ServiceError(
      "conflict",
      "Another request has just rotated or deleted this key. Read GET /key.",
    );
  }
  forgetKey(read.id);
  await tellEvent(context, event);
  return answer;
};

/** Ends a key: it is refused everywhere within five seconds. A second time changes nothing. @returns whether it worked before */
export const revokeKey = async (
  context: ServiceContext,
  read: ApiKeyRow,
  requestKey: RequestKey | null = null,
): Promise<boolean> => {
  const { db } = context;
  const which = and(own(read.integrationId, read.id), isNull(apiKeys.revokedAt));
  const condition = sql`EXISTS (SELECT 1 FROM api_keys WHERE ${which})`;
  const answered = requestKey && (await requestKey.keeps(204, null));
  const change = db
    .update(apiKeys)
    .set({ revokedAt: context.now() })
    .where(which)
    .returning({ id: apiKeys.id });
  const extra = beside(context, read, "key.deleted", condition);
  const [row] = await runWithResponse(db, { answered, condition }, change, extra);
  forgetKey(read.id);
  return row !== undefined;
};

/** The rights of a key as the API is asked for them. */
export interface WantedRights {
  readonly scopes: KeyRights["scopes"];
  readonly collections?: readonly Uuid[] | null | undefined;
  readonly spending_per_day?: string | null | undefined;
  readonly confirm_above?: string | null | undefined;
  readonly expires_at?: string | null | undefined;
}

/** The same; an absent limit is that of `own`. */
export const wantedRights = (
  {
    scopes,
    collections,
    spending_per_day: spending,
    confirm_above: confirm,
    expires_at: expires,
  }: WantedRights,
  own: Omit<KeyRights, "scopes">,
): KeyRights => ({
  scopes,
  collections: collections === undefined ? own.collections : collections,
  spendingPerDay: spending === undefined ? own.spendingPerDay : spending,
  confirmAbove: confirm === undefined ? own.confirmAbove : confirm,
  expiresAt: expires === undefined ? own.expiresAt : expires === null ? null : Date.parse(expires),
});
