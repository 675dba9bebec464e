import { z } from "@hono/zod-openapi";
import { EVENT_TYPES } from "../../domain/events.ts";
import { createWebhook } from "../../events/webhooks/webhooks.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { webhookSecretView } from "../resources/event.ts";
import { textField } from "../schemas/fields.ts";

/** Fields of new and changed webhooks. */
export const webhookFields = {
  url: textField(2048).min(1).openapi({
    description:
      "https on port 443, at a public name. A service that `npm start` runs also takes http to localhost.",
    example: "https://shop.example.com/mintage",
  }),
  types: z
    .array(z.enum(EVENT_TYPES, `Give some of ${EVENT_TYPES.join(", ")}.`))
    .min(1)
    .max(EVENT_TYPES.length)
    .transform((names) => [...new Set(names)])
    .nullish()
    .openapi({ description: "Types of the events to send; absent or null: all." }),
  description: textField(256).nullish(),
};

const webhookCreate = z.strictObject(webhookFields).openapi("WebhookInput");

export const webhooksCreate = endpoint(
  {
    method: "post",
    path: "/webhook",
    operationId: "createWebhook",
    scope: "webhooks",
    tag: "Webhooks",
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
);
