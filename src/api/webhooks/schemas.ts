// api/webhooks/: endpoints of the integration that events are sent to.

import { z } from "@hono/zod-openapi";
import { EVENT_TYPES } from "../../domain/events.ts";
import { textField, uuidField } from "../schemas/fields.ts";

export const webhookParam = z.object({ webhook_uuid: uuidField });

const url = textField(2048).min(1).openapi({
  description:
    "https on port 443, at a public name. A service that `npm start` runs also takes http to localhost.",
  example: "https://shop.example.com/mintage",
});

const types = z
  .array(z.enum(EVENT_TYPES, `Give some of ${EVENT_TYPES.join(", ")}.`))
  .min(1)
  .max(EVENT_TYPES.length)
  .transform((names) => [...new Set(names)])
  .nullish()
  .openapi({ description: "Types of the events to send; absent or null: all." });

const description = textField(256).nullish();

export const webhookCreate = z.strictObject({ url, types, description }).openapi("WebhookInput");

export const webhookUpdate = z
  .strictObject({
    url: url.optional(),
    types,
    description,
    enabled: z.boolean().optional().openapi({ description: "true sends again, from where it stopped." }),
  })
  .openapi("WebhookChanges");

const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const webhookReplay = z
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
