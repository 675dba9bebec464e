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
import { beyondLimit, countRequest } from "../../http/rate-limit.ts";
import { endpoint, json, jsonBody, list } from "../endpoint.ts";
import { deliveryView, webhookSecretView, webhookView } from "../resources/event.ts";
import { textField, uuidField } from "../schemas/fields.ts";

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

/** Counts a test among all of its integration everywhere. @throws ServiceError rate_limited */
const admitTest = async (context: ServiceContext, integrationId: Uuid): Promise<void> => {
  const verdict = await countRequest(context, { id: `webhook-test:${integrationId}`, requests: MOST_TESTS });
  if (!verdict.allowed) throw beyondLimit(verdict, "To test webhooks, an integration may send");
};

const tag = "Webhooks";
const ONE = "/webhook/{webhook_uuid}";

export const webhookEndpoints = [
  endpoint(
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
    ({ context, caller, body }) => createWebhook(context, caller, body),
  ),
  list(
    {
      path: "/webhook",
      operationId: "listWebhooks",
      tag,
      summary: "List webhooks, newest first",
      entries: ["The webhooks.", webhookView],
    },
    ({ context, caller }, cursor, size) => listWebhooks(context, caller, cursor, size),
  ),
  endpoint(
    {
      method: "get",
      path: ONE,
      operationId: "getWebhook",
      tag,
      summary: "Read a webhook",
      request: { params: webhookParam },
      success: { 200: json("The webhook.", webhookView) },
    },
    ({ context, caller, params }) => readWebhook(context, caller, params.webhook_uuid),
  ),
  endpoint(
    {
      method: "put",
      path: ONE,
      operationId: "updateWebhook",
      tag,
      summary: "Change a webhook, disable or enable it",
      request: { params: webhookParam, body: jsonBody(webhookUpdate, { description: "Order fulfilment" }) },
      success: { 200: json("The webhook.", webhookView) },
    },
    ({ context, caller, params, body }) => updateWebhook(context, caller, params.webhook_uuid, body),
  ),
  endpoint(
    {
      method: "delete",
      path: ONE,
      operationId: "deleteWebhook",
      tag,
      summary: "Delete a webhook",
      request: { params: webhookParam },
      success: { 204: { description: "The webhook was deleted." } },
    },
    ({ context, caller, params }) => deleteWebhook(context, caller, params.webhook_uuid),
  ),
  endpoint(
    {
      method: "post",
      path: `${ONE}/rotate`,
      operationId: "rotateWebhookSecret",
      tag,
      summary: "Replace a webhook's secret",
      description: "The old secret signs as well for 24 hours. Only this response shows the new one.",
      request: { params: webhookParam },
      success: { 200: json("The webhook with its new secret.", webhookSecretView) },
      errors: ["conflict"],
    },
    ({ context, caller, params }) => rotateSecret(context, caller, params.webhook_uuid),
  ),
  endpoint(
    {
      method: "post",
      path: `${ONE}/test`,
      operationId: "testWebhook",
      tag,
      summary: "Send a test now",
      description:
        "Sends an event of the type `webhook.test` and returns the result. One test of a webhook is sent at a time, " +
        `and ${MOST_TESTS} of an integration in 10 seconds; others are answered 429.`,
      request: { params: webhookParam },
      success: { 200: json("The attempt.", deliveryView) },
    },
    ({ context, caller, params }) => {
      const admit = () => admitTest(context, caller.integrationId);
      return testWebhook(context, caller, params.webhook_uuid, admit);
    },
  ),
  endpoint(
    {
      method: "post",
      path: `${ONE}/replay`,
      operationId: "replayWebhook",
      tag,
      summary: "Have events sent again",
      request: { params: webhookParam, body: jsonBody(webhookReplay, { after: 41, before: 43 }) },
      success: { 204: { description: "They are sent as soon as possible." } },
      errors: ["conflict"],
    },
    ({ context, caller, params, body: { after, before = null, only_failed: onlyFailed = false } }) =>
      replayWebhook(context, caller, params.webhook_uuid, { after, before, onlyFailed }),
  ),
  list(
    {
      path: `${ONE}/delivery`,
      operationId: "listDeliveries",
      tag,
      summary: "List a webhook's attempts, newest first",
      description: "The last thousand are kept.",
      params: webhookParam,
      entries: ["The attempts.", deliveryView],
    },
    ({ context, caller, params }, cursor, size) =>
      listDeliveries(context, caller, params.webhook_uuid, { cursor, size }),
  ),
];
