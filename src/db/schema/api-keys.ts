import { sql } from "drizzle-orm";
import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bytes, instant, uuid } from "./columns.ts";
import { integrations } from "./integrations.ts";

/** An integration's key. The key itself is shown once, when it is issued, and kept nowhere. */
export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    name: text("name").notNull(),
    role: text("role", { enum: ["full", "read"] }).notNull(),
    /** SHA-256 of the whole key. */
    digest: bytes("digest").notNull(),
    /** The first characters, so that a person can tell keys apart. */
    prefix: text("prefix").notNull(),
    expiresAt: instant("expires_at"),
    lastUsedAt: instant("last_used_at"),
    revokedAt: instant("revoked_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("api_keys_digest").on(table.digest),
    index("api_keys_integration").on(table.integrationId),
    index("api_keys_working").on(table.integrationId, table.expiresAt).where(sql`revoked_at IS NULL`),
  ],
);
