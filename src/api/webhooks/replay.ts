import { z } from "@hono/zod-openapi";
import { replayWebhook } from "../../events/webhooks/webhooks.ts";
import { endpoint, jsonBody } from "../endpoint.ts";
import { webhookParam } from "../schemas/parameters.ts";

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

export const webhooksReplay = endpoint(
  {
    method: "post",
    path: "/webhook/{webhook_uuid}/replay",
    operationId: "replayWebhook",
    scope: "webhooks",
    tag: "Webhooks",
    summary: "Have events sent again",
    request: { params: webhookParam, body: jsonBody(webhookReplay, { after: 41, before: 43 }) },
    success: { 204: { description: "They are sent as soon as possible." } },
    errors: ["conflict"],
  },
  ({ context, caller, params, body: { after, before = null, only_failed: onlyFailed = false } }) =>
    replayWebhook(context, caller, params.webhook_uuid, { after, before, onlyFailed }),
);
