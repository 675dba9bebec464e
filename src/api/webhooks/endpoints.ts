import { z } from "@hono/zod-openapi";
import type { ServiceContext } from "../../context.ts";
import { EVENT_TYPES } from "../../domain/events.ts";
import type { Uuid } from "../../domain/ids.ts";
import { MOST_TESTS } from "../../domain/webhooks.ts";
import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  readWebhook,
  replayWebhook,
  rotateSecret,
  testWebhook,
  updateWebhook,
} from "../../events/webhooks/webhooks.ts";
import { listResponse } from "../../http/list-response.ts";
import { beyondLimit, countRequest } from "../../http/rate-limit.ts";
import { show, showNothing, showSecret } from "../../http/typed-response.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { deliveryView, webhookSecretView, webhookView } from "../resources/webhook.ts";
import { textField, uuidField } from "../schemas/fields.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";

const webhookParam = z.object({ webhook_uuid: uuidField });

const url = textField(2048).min(1).openapi({
  description:
    "https on port 443, at a public name. A service that `npm start` runs also takes http to localhost.",
  example: "https://shop.example.com/mintage",
});

const types = z
  .array(z.enum(EVENT_TYPES, `Give some of ${EVENT_TYPES.join(", ")}.`))
  .min(1)
  .max(EVENT_TYPES.length)
  .transform((names) => [...new Set(names)])
  .nullish()
  .openapi({ description: "Types of the events to send; absent or null: all." });

const description = textField(256).nullish();

const webhookCreate = z.strictObject({ url, types, description }).openapi("WebhookInput");

const webhookUpdate = z
  .strictObject({
    url: url.optional(),
    types,
    description,
    enabled: z.boolean().optional().openapi({ description: "true sends again, from where it stopped." }),
  })
  .openapi("WebhookChanges");

const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const webhookReplay = z
  .strictObject({
    after: seq.openapi({ description: "Events with a higher seq are sent again." }),
    before: seq
      .nullish()
      .openapi({ description: "Only events with a lower seq; absent or null: up to the last." }),
    only_failed: z
      .boolean()
      .optional()
      .openapi({ description: "Only those that were given up; default: false." }),
  })
  .openapi("WebhookReplay");

const tag = "Webhooks";

export const webhooksCreate = endpoint(
  {
    method: "post",
    path: "/webhook",
    operationId: "createWebhook",
    tag,
    summary: "Have events sent to an address",
    description:
      "Events from now on are sent as Standard Webhooks (standardwebhooks.com): signed, in order of their first " +
      "attempts, each until it was answered with 2xx. Only this answer shows the secret.",
    request: {
      body: jsonBody(webhookCreate, { url: "https://shop.example.com/mintage", types: ["nft.minted"] }),
    },
    success: { 201: json("The webhook with its secret.", webhookSecretView) },
    errors: ["conflict"],
  },
  async (c, { body }) => showSecret(c, await createWebhook(c.get("context"), c.get("caller"), body), 201),
);

export const webhooksList = endpoint(
  {
    method: "get",
    path: "/webhook",
    operationId: "listWebhooks",
    tag,
    summary: "List webhooks, newest first",
    request: { query: pageQuery },
    success: { 200: json("The webhooks.", z.array(webhookView), LINK) },
  },
  (c, { query }) =>
    listResponse(c, query, (cursor, size) => listWebhooks(c.get("context"), c.get("caller"), cursor, size)),
);

export const webhooksRead = endpoint(
  {
    method: "get",
    path: "/webhook/{webhook_uuid}",
    operationId: "getWebhook",
    tag,
    summary: "Read a webhook",
    request: { params: webhookParam },
    success: { 200: json("The webhook.", webhookView) },
  },
  async (c, { params }) => show(c, await readWebhook(c.get("context"), c.get("caller"), params.webhook_uuid)),
);

export const webhooksUpdate = endpoint(
  {
    method: "put",
    path: "/webhook/{webhook_uuid}",
    operationId: "updateWebhook",
    tag,
    summary: "Change a webhook, disable or enable it",
    request: { params: webhookParam, body: jsonBody(webhookUpdate, { description: "Order fulfilment" }) },
    success: { 200: json("The webhook.", webhookView) },
  },
  async (c, { params, body }) =>
    show(c, await updateWebhook(c.get("context"), c.get("caller"), params.webhook_uuid, body)),
);

export const webhooksDelete = endpoint(
  {
    method: "delete",
    path: "/webhook/{webhook_uuid}",
    operationId: "deleteWebhook",
    tag,
    summary: "Delete a webhook",
    request: { params: webhookParam },
    success: { 204: { description: "The webhook was deleted." } },
  },
  async (c, { params }) => {
    await deleteWebhook(c.get("context"), c.get("caller"), params.webhook_uuid);
    return showNothing(c);
  },
);

export const webhooksRotate = endpoint(
  {
    method: "post",
    path: "/webhook/{webhook_uuid}/rotate",
    operationId: "rotateWebhookSecret",
    tag,
    summary: "Replace a webhook's secret",
    description: "The old secret signs as well for 24 hours. Only this response shows the new one.",
    request: { params: webhookParam },
    success: { 200: json("The webhook with its new secret.", webhookSecretView) },
    errors: ["conflict"],
  },
  async (c, { params }) => {
    return showSecret(c, await rotateSecret(c.get("context"), c.get("caller"), params.webhook_uuid));
  },
);

/** Counts a test among all of its integration everywhere. @throws ServiceError rate_limited */
const admitTest = async (context: ServiceContext, integrationId: Uuid): Promise<void> => {
  const verdict = await countRequest(context, { id: `webhook-test:${integrationId}`, requests: MOST_TESTS });
  if (!verdict.allowed) throw beyondLimit(verdict, "To test webhooks, an integration may send");
};

export const webhooksTest = endpoint(
  {
    method: "post",
    path: "/webhook/{webhook_uuid}/test",
    operationId: "testWebhook",
    tag,
    summary: "Send a test now",
    description:
      "Sends an event of the type `webhook.test` and returns the result. One test of a webhook is sent at a time, " +
      `and ${MOST_TESTS} of an integration in 10 seconds; others are answered 429.`,
    request: { params: webhookParam },
    success: { 200: json("The attempt.", deliveryView) },
  },
  async (c, { params }) => {
    const [context, caller] = [c.get("context"), c.get("caller")];
    const admit = () => admitTest(context, caller.integrationId);
    return show(c, await testWebhook(context, caller, params.webhook_uuid, admit));
  },
);

export const webhooksReplay = endpoint(
  {
    method: "post",
    path: "/webhook/{webhook_uuid}/replay",
    operationId: "replayWebhook",
    tag,
    summary: "Have events sent again",
    request: { params: webhookParam, body: jsonBody(webhookReplay, { after: 41, before: 43 }) },
    success: { 204: { description: "They are sent as soon as possible." } },
    errors: ["conflict"],
  },
  async (c, { params, body: { after, before = null, only_failed: onlyFailed = false } }) => {
    await replayWebhook(c.get("context"), c.get("caller"), params.webhook_uuid, {
      after,
      before,
      onlyFailed,
    });
    return showNothing(c);
  },
);

export const webhookDeliveries = endpoint(
  {
    method: "get",
    path: "/webhook/{webhook_uuid}/delivery",
    operationId: "listDeliveries",
    tag,
    summary: "List a webhook's attempts, newest first",
    description: "The last thousand are kept.",
    request: { params: webhookParam, query: pageQuery },
    success: { 200: json("The attempts.", z.array(deliveryView), LINK) },
  },
  (c, { params, query }) =>
    listResponse(c, query, (cursor, size) =>
      listDeliveries(c.get("context"), c.get("caller"), params.webhook_uuid, { cursor, size }),
    ),
);
