import { readWebhook } from "../../events/webhooks/webhooks.ts";
import { endpoint, json } from "../endpoint.ts";
import { webhookView } from "../resources/event.ts";
import { webhookParam } from "../schemas/parameters.ts";

export const webhooksRead = endpoint(
  {
    method: "get",
    path: "/webhook/{webhook_uuid}",
    operationId: "getWebhook",
    scope: "read",
    tag: "Webhooks",
    summary: "Read a webhook",
    request: { params: webhookParam },
    success: { 200: json("The webhook.", webhookView) },
  },
  ({ context, caller, params }) => readWebhook(context, caller, params.webhook_uuid),
);
