import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EventType } from "../../domain/events.ts";
import { bytes, instant, timestamps, uuid, uuidOf } from "./columns.ts";
import { integrations } from "./integrations.ts";

/** An endpoint that receives events. Its Durable Object has the deliveries. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuidOf("integration_id", () => integrations.id),
    url: text("url").notNull(),
    types: text("types", { mode: "json" }).$type<readonly EventType[]>(),
    description: text("description"),
    state: text("state", { enum: ["enabled", "disabled"] }).notNull(),
    /** Why the service disabled it, for the integrator; null: the service did not. */
    disabledReason: text("disabled_reason"),
    /** The signing secret, sealed by AES-256-GCM. */
    secret: bytes("secret").notNull(),
    /** The previous secret, sealed likewise, which also signs until a time; null: none. */
    oldSecret: bytes("old_secret"),
    oldSecretUntil: instant("old_secret_until"),
    /** Version of the service's secret that sealed both. */
    secretVersion: integer("secret_version").notNull(),
    /** Its events begin after this number. */
    fromSeq: integer("from_seq").notNull(),
    /** Number of the last event for which the scheduled job has woken its object. */
    wokenSeq: integer("woken_seq").notNull(),
    ...timestamps(),
  },
  (table) => [
    index("webhooks_integration").on(table.integrationId, table.id),
    index("webhooks_secret").on(table.secretVersion, table.id),
    index("webhooks_enabled").on(table.id).where(sql`state = 'enabled'`),
    index("webhooks_disabled").on(table.id).where(sql`disabled_reason IS NOT NULL`),
  ],
);

/** Events of changes in D1, each inserted with its change and deleted once the integration's ledger has it. */
export const untoldEvents = sqliteTable("untold_events", {
  id: uuid("id").primaryKey(),
  integrationId: uuid("integration_id").notNull(),
  type: text("type").$type<EventType>().notNull(),
  data: text("data", { mode: "json" }).$type<object>().notNull(),
  at: instant("at").notNull(),
});

export type UntoldEvent = typeof untoldEvents.$inferSelect;

export type WebhookRow = typeof webhooks.$inferSelect;
