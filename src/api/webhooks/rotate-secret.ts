import { rotateSecret } from "../../events/webhooks/webhooks.ts";
import { endpoint, json } from "../endpoint.ts";
import { webhookSecretView } from "../resources/event.ts";
import { webhookParam } from "../schemas/parameters.ts";

export const webhooksRotateSecret = endpoint(
  {
    method: "post",
    path: "/webhook/{webhook_uuid}/rotate",
    operationId: "rotateWebhookSecret",
    scope: "webhooks",
    needsNoRoom: true,
    tag: "Webhooks",
    summary: "Replace a webhook's secret",
    description: "The old secret signs as well for 24 hours. Only this response shows the new one.",
    request: { params: webhookParam },
    success: { 200: json("The webhook with its new secret.", webhookSecretView) },
    errors: ["conflict"],
  },
  ({ context, caller, params }) => rotateSecret(context, caller, params.webhook_uuid),
);
