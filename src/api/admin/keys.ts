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
import { invalidField, ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { forgetKey } from "../../http/authentication.ts";
import { requireIntegration, requireUndeleted } from "../../operator/integrations.ts";
import { endpoint, json, jsonBody, list } from "../endpoint.ts";
import { type Shown, text } from "../resources/samples.ts";
import { instantField, nameField } from "../schemas/fields.ts";
import { integrationParam, keyParam } from "../schemas/parameters.ts";

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

/** Revokes a key of an integration; a second time changes nothing. @throws ServiceError not_found */
const revokeKey = async ({ db, now }: ServiceContext, integrationId: Uuid, id: Uuid): Promise<ApiKeyRow> => {
  const own = and(eq(apiKeys.integrationId, integrationId), eq(apiKeys.id, id));
  await db
    .update(apiKeys)
    .set({ revokedAt: now() })
    .where(and(own, isNull(apiKeys.revokedAt)));
  const row = await db.select().from(apiKeys).where(own).get();
  if (!row) throw new ServiceError("not_found", "This integration has no such key. Check its key_uuid.");
  forgetKey(id);
  return row;
};

const keyView = z
  .object({
    key_uuid: z.uuid(),
    name: z.string().openapi({ example: "Shop server" }),
    role: z.enum(["full", "read"]),
    prefix: text("The key's first characters, to distinguish keys.", "mk_live_4CQb"),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .openapi("Key");

const issuedKeyView = z
  .object({
    ...keyView.shape,
    api_key: text("Shown here and never again.", "mk_live_…"),
  })
  .openapi("IssuedKey");

const keyBody = z
  .strictObject({
    name: nameField,
    role: z.enum(["full", "read"]).nullish(),
    expires_at: instantField.nullish().openapi({ description: "Absent or null: never." }),
  })
  .openapi("KeyInput");

const toKey = (row: ApiKeyRow): Shown<typeof keyView> => ({
  key_uuid: row.id,
  name: row.name,
  role: row.role,
  prefix: row.prefix,
  expires_at: row.expiresAt?.toISOString() ?? null,
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  revoked_at: row.revokedAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
});

/** Issues a key. @throws ServiceError not_found, conflict, quota_exceeded, invalid_request if it would have expired already */
const issueKey = async (
  context: ServiceContext,
  integrationId: Uuid,
  { name, role, expires_at: expires }: z.output<typeof keyBody>,
): Promise<Shown<typeof issuedKeyView>> => {
  await requireUndeleted(context, integrationId);
  const expiresAt = expires == null ? null : new Date(expires);
  if (expiresAt !== null && expiresAt <= context.now()) {
    throw invalidField(["expires_at"], "Give a time in the future, or null for a key that never expires.");
  }
  const key = newApiKey();
  const row: ApiKeyRow = {
    id: newUuid(),
    integrationId,
    name,
    role: role ?? "full",
    digest: await apiKeyDigest(key),
    prefix: apiKeyPrefix(key),
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
    createdAt: context.now(),
  };
  if (await insertKey(context.db, row)) return { ...toKey(row), api_key: key };
  await refuseUsedUp(context, integrationId, ["keys"]);
  throw new ServiceError("conflict", "Another key of this integration has just ended. Issue the key again.");
};

const COMMON = { tag: "Operator: keys", access: "admin" } as const;

export const keyEndpoints = [
  endpoint(
    {
      ...COMMON,
      method: "post",
      path: "/integration/{integration_uuid}/key",
      operationId: "adminIssueKey",
      summary: "Issue a key",
      description: "Only this answer ever shows the key.",
      request: {
        params: integrationParam,
        body: jsonBody(keyBody, { name: "Shop server", role: "full", expires_at: "2030-01-01T00:00:00Z" }),
      },
      success: { 201: json("The key.", issuedKeyView) },
      errors: ["quota_exceeded", "conflict"],
    },
    ({ context, params, body }) => issueKey(context, params.integration_uuid, body),
  ),
  list(
    {
      ...COMMON,
      path: "/integration/{integration_uuid}/key",
      operationId: "adminListKeys",
      summary: "List an integration's keys, newest first",
      params: integrationParam,
      entries: ["The keys.", keyView],
    },
    async ({ context, params: { integration_uuid: id } }, cursor, size) => {
      await requireIntegration(context, id);
      const after = cursorUuid(cursor);
      const rows = await context.db
        .select()
        .from(apiKeys)
        .where(and(eq(apiKeys.integrationId, id), after ? lt(apiKeys.id, after) : undefined))
        .orderBy(desc(apiKeys.id))
        .limit(size + 1);
      return pageOf(rows.map(toKey), size, (key) => key.key_uuid);
    },
  ),
  endpoint(
    {
      ...COMMON,
      method: "delete",
      path: "/integration/{integration_uuid}/key/{key_uuid}",
      operationId: "adminRevokeKey",
      summary: "Revoke a key",
      description: "It is refused everywhere within five seconds.",
      request: { params: keyParam },
      success: { 200: json("The key as it is now.", keyView) },
    },
    async ({ context, params }) => toKey(await revokeKey(context, params.integration_uuid, params.key_uuid)),
  ),
];
