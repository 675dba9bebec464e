import { z } from "@hono/zod-openapi";
import { and, desc, eq, lt } from "drizzle-orm";
import { apiKeys } from "../../db/schema/index.ts";
import { cursorUuid, pageOf } from "../../domain/cursors.ts";
import { invalidField } from "../../domain/errors.ts";
import { issueKey, requireKey, revokeKey, toKey, wantedRights } from "../../operator/api-keys.ts";
import { requireIntegration, requireUndeleted } from "../../operator/integrations.ts";
import { endpoint, json, jsonBody, list } from "../endpoint.ts";
import { issuedKeyView, keyView } from "../resources/key.ts";
import { keyLimitFields, scopesField } from "../schemas/key.ts";
import { integrationParam, keyParam } from "../schemas/parameters.ts";

const keyBody = z
  .strictObject({
    ...keyLimitFields("Absent: null."),
    role: z
      .enum(["full", "read"])
      .nullish()
      .openapi({ description: "Short for this scope alone; without `scopes` the default is full." }),
    scopes: scopesField.nullish(),
  })
  .openapi("KeyInput");

/** No limits: what the operator may give. */
const UNLIMITED = { collections: null, spendingPerDay: null, confirmAbove: null, expiresAt: null };

const COMMON = { tag: "Operator: keys", scope: "operator" } as const;

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
    async ({ context, params: { integration_uuid: id }, body: { role, scopes, name, ...limits } }) => {
      if (role != null && scopes != null) throw invalidField(["role"], "Leave out role, or scopes.");
      await requireUndeleted(context, id);
      const rights = wantedRights({ ...limits, scopes: scopes ?? [role ?? "full"] }, UNLIMITED);
      if (rights.expiresAt !== null && rights.expiresAt <= context.now().getTime()) {
        throw invalidField(
          ["expires_at"],
          "Give a time in the future, or null for a key that never expires.",
        );
      }
      return issueKey(context, id, { ...rights, name, makerBudgets: [] });
    },
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
      const now = context.now();
      return pageOf(
        rows.map((row) => toKey(row, now)),
        size,
        (key) => key.key_uuid,
      );
    },
  ),
  endpoint(
    {
      ...COMMON,
      method: "delete",
      path: "/integration/{integration_uuid}/key/{key_uuid}",
      operationId: "adminRevokeKey",
      summary: "Revoke a key",
      description: "It is refused everywhere within five seconds. A second time changes nothing.",
      request: { params: keyParam },
      success: { 200: json("The key as it is now.", keyView) },
    },
    async ({ context, params: { integration_uuid: integrationId, key_uuid: id } }) => {
      await revokeKey(context, await requireKey(context, integrationId, id));
      return toKey(await requireKey(context, integrationId, id), context.now());
    },
  ),
];
