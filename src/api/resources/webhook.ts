import { z } from "@hono/zod-openapi";
import { EVENT_TYPES } from "../../domain/events.ts";
import type { Shown } from "./samples.ts";

const fields = {
  webhook_uuid: z.uuid(),
  url: z.string().openapi({ example: "https://shop.example.com/mintage" }),
  types: z
    .array(z.enum(EVENT_TYPES))
    .nullable()
    .openapi({ description: "Types of the events that are sent; null: all.", example: ["nft.minted"] }),
  description: z.string().nullable(),
  enabled: z.boolean(),
  disabled_reason: z
    .string()
    .nullable()
    .openapi({ description: "Why the service disabled it; null: it didn't." }),
  old_secret_until: z.iso
    .datetime()
    .nullable()
    .openapi({ description: "Until when the secret before the last rotation signs as well." }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

/** An endpoint that events are sent to. */
export const webhookView = z.object(fields).openapi("Webhook");

/** An endpoint, as callers see it. */
export type Webhook = Shown<typeof webhookView>;

/** An endpoint with its new secret, which only this response shows. */
export const webhookSecretView = z
  .object({
    ...fields,
    secret: z.string().openapi({ description: "`whsec_` and base64 of 32 bytes. No other answer shows it." }),
  })
  .openapi("WebhookWithSecret");

export type WebhookWithSecret = Shown<typeof webhookSecretView>;

/** An attempt to deliver an event. */
export const deliveryView = z
  .object({
    event_uuid: z.uuid(),
    seq: z.int().openapi({ description: "0: a test." }),
    type: z.string().openapi({ example: "nft.minted" }),
    attempt: z.int().openapi({ description: "From 1.", example: 1 }),
    at: z.iso.datetime(),
    status: z.int().nullable().openapi({ description: "What the endpoint answered; null: nothing in time." }),
    duration_ms: z.int(),
    response: z.string().openapi({ description: "The first 256 bytes of the answer, or why there is none." }),
    next_attempt_at: z.iso.datetime().nullable(),
  })
  .openapi("Delivery");

/** An attempt, as callers see it. */
export type Delivery = Shown<typeof deliveryView>;
