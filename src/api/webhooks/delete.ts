import { deleteWebhook } from "../../events/webhooks/webhooks.ts";
import { endpoint } from "../endpoint.ts";
import { webhookParam } from "../schemas/parameters.ts";

export const webhooksDelete = endpoint(
  {
    method: "delete",
    path: "/webhook/{webhook_uuid}",
    operationId: "deleteWebhook",
    scope: "webhooks",
    tag: "Webhooks",
    summary: "Delete a webhook",
    request: { params: webhookParam },
    success: { 204: { description: "The webhook was deleted." } },
  },
  ({ context, caller, params }) => deleteWebhook(context, caller, params.webhook_uuid),
);
