import { MOST_TESTS } from "../../domain/webhooks.ts";
import { testWebhook } from "../../events/webhooks/webhooks.ts";
import { beyondLimit, countRequest } from "../../http/rate-limit.ts";
import { endpoint, json } from "../endpoint.ts";
import { deliveryView } from "../resources/event.ts";
import { webhookParam } from "../schemas/parameters.ts";

export const webhooksSendTest = endpoint(
  {
    method: "post",
    path: "/webhook/{webhook_uuid}/test",
    operationId: "testWebhook",
    scope: "webhooks",
    tag: "Webhooks",
    summary: "Send a test now",
    description:
      "Sends an event of the type `webhook.test` and returns the result. One test of a webhook is sent at a time, " +
      `and ${MOST_TESTS} of an integration in 10 seconds; others are answered 429.`,
    request: { params: webhookParam },
    success: { 200: json("The attempt.", deliveryView) },
  },
  ({ context, caller, params }) =>
    testWebhook(context, caller, params.webhook_uuid, async () => {
      const counted = { id: `webhook-test:${caller.integrationId}`, requests: MOST_TESTS };
      const verdict = await countRequest(context, counted);
      if (!verdict.allowed) throw beyondLimit(verdict, "To test webhooks, an integration may send");
    }),
);
