import type { WebhookRow } from "../db/queries/webhooks.ts";
import type { Webhook } from "../resources/webhook.ts";

/** An endpoint as callers see it. */
export const toWebhook = (row: WebhookRow, now: Date): Webhook => ({
  webhook_uuid: row.id,
  url: row.url,
  types: row.types,
  description: row.description,
  enabled: row.state === "enabled",
  disabled_reason: row.disabledReason,
  old_secret_until:
    row.oldSecretUntil !== null && row.oldSecretUntil > now ? row.oldSecretUntil.toISOString() : null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});
