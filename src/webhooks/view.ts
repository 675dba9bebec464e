import type { WebhookRow } from "../db/queries/webhooks.ts";
import type { Webhook } from "../resources/webhook.ts";

/** What of an endpoint's row its callers see. */
type ShownRow = Omit<
  WebhookRow,
  "integrationId" | "secret" | "oldSecret" | "secretVersion" | "fromSeq" | "wokenSeq"
>;

/** An endpoint as callers see it. */
export const toWebhook = (row: ShownRow, now: Date): Webhook => ({
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
