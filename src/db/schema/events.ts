import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EventRun, EventType, NumberRun } from "../../domain/events.ts";
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

/**
 * What happened to an integration, a row for each batch of effects: all events that the batch tells of, however many.
 * The migration makes the table WITHOUT ROWID, so that a row is one write.
 */
export const events = sqliteTable(
  "events",
  {
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    /** Number of its last event; that of the row before is the number before its first. */
    seq: integer("seq").notNull(),
    /** Events that it stands for. */
    count: integer("count").notNull(),
    /** From which each event's uuid is made (src/domain/events.ts). */
    id: uuid("id").notNull(),
    /** What it tells of, in order. */
    runs: text("runs", { mode: "json" }).$type<readonly EventRun[]>().notNull(),
    /** Whether one more event follows them: the collection that it acted on was sold out by it. */
    soldOut: integer("sold_out", { mode: "boolean" }).notNull(),
    /** The operation that ended, of whose answer its events are read; null: none did. */
    operationId: uuid("operation_id"),
    /** The collection that it tells tokens of, or that sold out; null: neither. */
    collectionId: uuid("collection_id"),
    /** Numbers of the collection's tokens that it tells of, as runs of first and last; null: none. */
    minted: text("minted", { mode: "json" }).$type<readonly NumberRun[]>(),
    /** What its first run shows, as JSON, where no answer of an operation has it: a resource, or a list of tokens. */
    data: text("data", { mode: "json" }),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.integrationId, table.seq] })],
);
