import { z } from "@hono/zod-openapi";
import { show } from "../../http/answered.ts";
import { forgetKey } from "../../http/known-keys.ts";
import { listResponse } from "../../http/list-response.ts";
import { issueKey, listKeys, revokeKey } from "../../integrations/keys.ts";
import { issuedKeyView, keyView } from "../../resources/key.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";
import { integrationParam, keyParam } from "../schemas/parameters.ts";
import { keyBody } from "./schemas.ts";

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
    listResponse(c, query, (cursor, size) =>
      listKeys(c.get("context"), params.integration_uuid, cursor, size),
    ),
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
    const key = await revokeKey(c.get("context"), params.integration_uuid, params.key_uuid);
    forgetKey(params.key_uuid);
    return show(c, key);
  },
);
