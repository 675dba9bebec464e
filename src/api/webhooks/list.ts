import { listWebhooks } from "../../events/webhooks/webhooks.ts";
import { list } from "../endpoint.ts";
import { webhookView } from "../resources/event.ts";

export const webhooksList = list(
  {
    path: "/webhook",
    operationId: "listWebhooks",
    scope: "read",
    tag: "Webhooks",
    summary: "List webhooks, newest first",
    entries: ["The webhooks.", webhookView],
  },
  ({ context, caller }, cursor, size) => listWebhooks(context, caller, cursor, size),
);
