import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, instant, uuid } from "./columns.ts";
import { integrations } from "./integrations.ts";

/** What a write to the chain was said to cost at most, until its time is over. */
export const quotes = sqliteTable(
  "quotes",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    method: text("method").notNull(),
    /** Below the prefix of the API. */
    path: text("path").notNull(),
    /** SHA-256 of the body's canonical JSON. */
    bodyDigest: bytes("body_digest").notNull(),
    /** yoctoNEAR. */
    expected: text("expected").notNull(),
    most: text("most").notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("quotes_expiry").on(table.expiresAt)],
);
