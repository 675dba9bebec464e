import { listDeliveries } from "../../events/webhooks/webhooks.ts";
import { list } from "../endpoint.ts";
import { deliveryView } from "../resources/event.ts";
import { webhookParam } from "../schemas/parameters.ts";

export const deliveriesList = list(
  {
    path: "/webhook/{webhook_uuid}/delivery",
    operationId: "listDeliveries",
    scope: "read",
    tag: "Webhooks",
    summary: "List a webhook's attempts, newest first",
    description: "The last thousand are kept.",
    params: webhookParam,
    entries: ["The attempts.", deliveryView],
  },
  ({ context, caller, params }, cursor, size) =>
    listDeliveries(context, caller, params.webhook_uuid, { cursor, size }),
);
