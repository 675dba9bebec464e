import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EventType } from "../../domain/events.ts";
import { bytes, instant, timestamps, uuid } from "./columns.ts";
import { integrations } from "./integrations.ts";

/** An endpoint that events are sent to. What was sent is in its Durable Object. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    url: text("url").notNull(),
    /** Null: all types. */
    types: text("types", { mode: "json" }).$type<readonly EventType[]>(),
    description: text("description"),
    state: text("state", { enum: ["enabled", "disabled"] }).notNull(),
    /** Why the service disabled it, for the integrator; null: it didn't. */
    disabledReason: text("disabled_reason"),
    /** AES-256-GCM of the secret that signs. */
    secret: bytes("secret").notNull(),
    /** The secret before it, sealed in the same way, which signs as well until a time; null: none. */
    oldSecret: bytes("old_secret"),
    oldSecretUntil: instant("old_secret_until"),
    /** Version of the service's secret that both are sealed under. */
    secretVersion: integer("secret_version").notNull(),
    /** The number behind which its events begin. */
    fromSeq: integer("from_seq").notNull(),
    /** The number of the last event that the scheduled job has told its object of. */
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
