import { z } from "@hono/zod-openapi";
import { EVENT_TYPES, type EventType } from "../../domain/events.ts";
import { type Shown, text, whole } from "./samples.ts";

export const eventView = z
  .object({
    seq: whole("The event's number, counted for each integration without gaps.", 42),
    event_uuid: z.uuid(),
    type: z.enum(EVENT_TYPES).openapi({ example: "nft.minted" }),
    timestamp: z.iso.datetime(),
    data: z.looseObject({}).openapi({
      description:
        "The resource as the API shows it; `nft.minted` also has a `source`, `api` or `wallet`. `nft.*` and `collection.*` also " +
        "have `operation_uuid` and `reference` of the write whose effect they are; null where there was none. `claim.redeemed` has " +
        "`collection_uuid`, `collection_id`, `contract_address`, `drop_id`, `link` (of a voucher its nonce), and the `quantity` of the drop, which a voucher may stay below. " +
        "Above 20 kB it has only the small fields, and `see` is the address of the whole resource.",
    }),
  })
  .openapi("Event");
export type Event = Shown<typeof eventView>;

/** What `POST …/test` sends, which is no event. */
export const testEventView = z
  .object({
    seq: z.literal(0),
    event_uuid: z.uuid(),
    type: z.literal("webhook.test"),
    timestamp: z.iso.datetime(),
    data: z.object({ webhook_uuid: z.uuid() }),
  })
  .openapi("TestEvent");

/** What each type of event tells. */
export const EVENT_MEANINGS: Readonly<Record<EventType, string>> = {
  "operation.succeeded": "A write to the chain has succeeded.",
  "operation.failed": "A write to the chain has failed.",
  "operation.unknown": "The nodes can't prove whether a write took effect; the operator settles it.",
  "collection.finalized": "A draft has become a collection.",
  "collection.updated": "A collection's settings have changed.",
  "collection.sold_out": "A collection's last copy was minted.",
  "collection.locked":
    "Something of a collection was locked for ever, by a write or by its owner alone; data has these `locks` and `asset_uuids`.",
  "collection.revealed":
    "Hidden assets of a collection were shown, all of them or some, by a write or by its owner alone.",
  "nft.minted": "An NFT was minted, by the API or from a wallet.",
  "nft.updated": "An NFT's metadata has changed, or was locked for ever.",
  "nft.transferred": "An NFT of the integration's wallet was transferred by the API.",
  "nft.burned": "An NFT of the integration's wallet was burnt by the API.",
  "claim.redeemed": "A claim link was redeemed.",
  "wallet.low": "The integration's wallet runs low.",
  "wallet.topped_up": "The integration's wallet has received NEAR.",
  "database.filling": "The database is filling up; for the operator's integration.",
  "webhook.disabled": "The service has disabled a webhook whose endpoint kept failing.",
  "key.created": "A key was made, by a key or by the operator.",
  "key.rotated": "A key's text was replaced.",
};

const fields = {
  webhook_uuid: z.uuid(),
  url: z.string().openapi({ example: "https://shop.example.com/mintage" }),
  types: z
    .array(z.enum(EVENT_TYPES))
    .nullable()
    .openapi({ description: "Types of the events that are sent; null: all.", example: ["nft.minted"] }),
  description: z.string().nullable(),
  enabled: z.boolean(),
  disabled_reason: text("Why the service disabled it; null: it didn't.").nullable(),
  old_secret_until: z.iso
    .datetime()
    .nullable()
    .openapi({ description: "Until when the secret before the last rotation signs as well." }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

export const webhookView = z.object(fields).openapi("Webhook");
export type Webhook = Shown<typeof webhookView>;

export const webhookSecretView = z
  .object({
    ...fields,
    secret: text("`whsec_` and base64 of 32 bytes. No other answer shows it."),
  })
  .openapi("WebhookWithSecret");
export type WebhookWithSecret = Shown<typeof webhookSecretView>;

export const deliveryView = z
  .object({
    event_uuid: z.uuid(),
    seq: whole("0: a test."),
    type: z.string().openapi({ example: "nft.minted" }),
    attempt: whole("From 1.", 1),
    at: z.iso.datetime(),
    status: whole("What the endpoint answered; null: nothing in time.").nullable(),
    duration_ms: z.int(),
    response: text("The first 256 bytes of the answer, or why there is none."),
    next_attempt_at: z.iso.datetime().nullable(),
  })
  .openapi("Delivery");
export type Delivery = Shown<typeof deliveryView>;
