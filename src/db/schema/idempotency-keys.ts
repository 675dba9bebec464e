import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, instant, uuid } from "./columns.ts";
import { integrations } from "./integrations.ts";

/** An Idempotency-Key that an integration used, and the answer that it stands for. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    key: text("key").notNull(),
    /**
     * 16 random bytes of the request that holds the claim: every later write to the key is bound to them. Null in rows
     * of the release before.
     */
    owner: bytes("owner"),
    /** SHA-256 over method, path and body; for multipart over part names, file names and digests; null until known. */
    fingerprint: bytes("fingerprint"),
    /** The operation behind it, where there is one. A key without frees itself after five minutes. */
    operationId: uuid("operation_id"),
    /** Null while in flight. */
    status: integer("status"),
    /** Headers worth replaying, as JSON (Location). */
    headers: text("headers", { mode: "json" }).$type<Record<string, string>>(),
    /** The body; above 64 kB `r2:<key>`. */
    body: text("body"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** Bytes of the body in R2; null where the row has it, and in rows of the release before. */
    bodyBytes: integer("body_bytes"),
  },
  (table) => [
    primaryKey({ columns: [table.integrationId, table.key] }),
    index("idempotency_keys_expiry").on(table.expiresAt),
  ],
);
