import { z } from "@hono/zod-openapi";
import { updateWebhook } from "../../events/webhooks/webhooks.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { webhookView } from "../resources/event.ts";
import { webhookParam } from "../schemas/parameters.ts";
import { webhookFields } from "./create.ts";

const webhookUpdate = z
  .strictObject({
    ...webhookFields,
    url: webhookFields.url.optional(),
    enabled: z.boolean().optional().openapi({ description: "true sends again, from where it stopped." }),
  })
  .openapi("WebhookChanges");

export const webhooksUpdate = endpoint(
  {
    method: "put",
    path: "/webhook/{webhook_uuid}",
    operationId: "updateWebhook",
    scope: "webhooks",
    needsNoRoom: true,
    tag: "Webhooks",
    summary: "Change a webhook, disable or enable it",
    request: { params: webhookParam, body: jsonBody(webhookUpdate, { description: "Order fulfilment" }) },
    success: { 200: json("The webhook.", webhookView) },
  },
  ({ context, caller, params, body }) => updateWebhook(context, caller, params.webhook_uuid, body),
);
