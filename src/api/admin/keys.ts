import { z } from "@hono/zod-openapi";
import { and, desc, eq, isNull, lt, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import type { Database } from "../../db/client.ts";
import type { ApiKeyRow } from "../../db/queries/api-keys.ts";
import { mayHaveKey } from "../../db/queries/usage.ts";
import { refuseUsedUp } from "../../db/quota.ts";
import { apiKeys } from "../../db/schema/index.ts";
import { apiKeyDigest, apiKeyPrefix, newApiKey } from "../../domain/api-keys.ts";
import { cursorUuid, pageOf } from "../../domain/cursors.ts";
import { ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { forgetKey } from "../../http/authentication.ts";
import { listResponse } from "../../http/list-response.ts";
import { show } from "../../http/typed-response.ts";
import { requireIntegration, requireUndeleted } from "../../operator/integrations.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import type { Shown } from "../resources/samples.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";
import { integrationParam, keyParam } from "../schemas/parameters.ts";
import { keyBody } from "./schemas.ts";

/** Stores a new key, unless its integration has as many as it may. Whether it was stored. */
const insertKey = async (db: Database, row: ApiKeyRow): Promise<boolean> => {
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
const listKeys = (db: Database, integrationId: Uuid, after: Uuid | null, limit: number) =>
  db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.integrationId, integrationId), after ? lt(apiKeys.id, after) : undefined))
    .orderBy(desc(apiKeys.id))
    .limit(limit)
    .all();

/** Revokes a key of an integration; a second time changes nothing. Undefined if there is no such key. */
const revokeKey = async (
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

const keyFields = {
  key_uuid: z.uuid(),
  name: z.string().openapi({ example: "Shop server" }),
  role: z.enum(["full", "read"]),
  prefix: z.string().openapi({
    description: "The key's first characters, to distinguish keys.",
    example: "mk_live_4CQb",
  }),
  expires_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
};

/** A key as the operator sees it. */
const keyView = z.object(keyFields).openapi("Key");

/** A new key with its secret. */
const issuedKeyView = z
  .object({
    ...keyFields,
    api_key: z.string().openapi({ description: "Shown here and never again.", example: "mk_live_…" }),
  })
  .openapi("IssuedKey");

type Key = Shown<typeof keyView>;

type IssuedKey = Shown<typeof issuedKeyView>;

/** What a new key is to be. */
interface KeyRequest {
  readonly name: string;
  readonly role: "full" | "read";
  /** RFC 3339; null: never. */
  readonly expires_at: string | null;
}

const toKey = (row: ApiKeyRow): Key => ({
  key_uuid: row.id,
  name: row.name,
  role: row.role,
  prefix: row.prefix,
  expires_at: row.expiresAt?.toISOString() ?? null,
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  revoked_at: row.revokedAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
});

/**
 * Issues a key. Only this response ever shows its secret.
 * @throws ServiceError not_found, conflict, quota_exceeded, invalid_request if it would have expired already
 */
const issueKey = async (
  context: ServiceContext,
  integrationId: Uuid,
  request: KeyRequest,
): Promise<IssuedKey> => {
  await requireUndeleted(context, integrationId);
  if (request.expires_at !== null && new Date(request.expires_at) <= context.now()) {
    const message = "Give a time in the future, or null for a key that never expires.";
    throw new ServiceError("invalid_request", `Correct expires_at: ${message}`, {
      issues: [{ path: ["expires_at"], message }],
    });
  }
  const key = newApiKey();
  const row: ApiKeyRow = {
    id: newUuid(),
    integrationId,
    name: request.name,
    role: request.role,
    digest: await apiKeyDigest(key),
    prefix: apiKeyPrefix(key),
    expiresAt: request.expires_at === null ? null : new Date(request.expires_at),
    lastUsedAt: null,
    revokedAt: null,
    createdAt: context.now(),
  };
  if (!(await insertKey(context.db, row))) {
    await refuseUsedUp(context, integrationId, ["keys"]);
    throw new ServiceError(
      "conflict",
      "Another key of this integration has just ended. Issue the key again.",
    );
  }
  return { ...toKey(row), api_key: key };
};

export const keysIssue = endpoint(
  {
    method: "post",
    path: "/integration/{integration_uuid}/key",
    operationId: "adminIssueKey",
    tag: "Operator: keys",
    summary: "Issue a key",
    description: "Only this answer ever shows the key.",
    request: {
      params: integrationParam,
      body: jsonBody(keyBody, { name: "Shop server", role: "full", expires_at: "2030-01-01T00:00:00Z" }),
    },
    success: { 201: json("The key.", issuedKeyView) },
    errors: ["quota_exceeded", "conflict"],
    access: "admin",
  },
  async (c, { params, body }) =>
    show(c, await issueKey(c.get("context"), params.integration_uuid, body), 201),
);

export const keysList = endpoint(
  {
    method: "get",
    path: "/integration/{integration_uuid}/key",
    operationId: "adminListKeys",
    tag: "Operator: keys",
    summary: "List an integration's keys, newest first",
    request: { params: integrationParam, query: pageQuery },
    success: { 200: json("The keys.", z.array(keyView), LINK) },
    access: "admin",
  },
  (c, { params, query }) =>
    listResponse(c, query, async (cursor, size) => {
      const [context, id] = [c.get("context"), params.integration_uuid];
      await requireIntegration(context, id);
      const rows = await listKeys(context.db, id, cursorUuid(cursor), size + 1);
      return pageOf(rows.map(toKey), size, (key) => key.key_uuid);
    }),
);

export const keysRevoke = endpoint(
  {
    method: "delete",
    path: "/integration/{integration_uuid}/key/{key_uuid}",
    operationId: "adminRevokeKey",
    tag: "Operator: keys",
    summary: "Revoke a key",
    description: "It is refused everywhere within five seconds.",
    request: { params: keyParam },
    success: { 200: json("The key as it is now.", keyView) },
    access: "admin",
  },
  async (c, { params }) => {
    const { db, now } = c.get("context");
    const row = await revokeKey(db, params.integration_uuid, params.key_uuid, now());
    if (!row) throw new ServiceError("not_found", "This integration has no such key. Check its key_uuid.");
    forgetKey(params.key_uuid);
    return show(c, toKey(row));
  },
);
