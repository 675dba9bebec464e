import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, instant, uuid } from "./columns.ts";
import { integrations } from "./integrations.ts";

/** An Idempotency-Key that an integration used, and the operation or response that it stands for. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    key: text("key").notNull(),
    /** SHA-256 over method, path and body; for multipart over part names, file names and digests. Null: unknown (recovery). */
    fingerprint: bytes("fingerprint"),
    /** The operation that it stands for; null: a response. */
    operationId: uuid("operation_id"),
    /** Status of the response; null: an operation has it. */
    status: integer("status"),
    /** The response's body, as JSON; above 64 kB `r2:<key>`. Null: none, or an operation has it. */
    body: text("body"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** Bytes of the body in R2; null where the row has it. */
    bodyBytes: integer("body_bytes"),
  },
  (table) => [
    primaryKey({ columns: [table.integrationId, table.key] }),
    index("idempotency_keys_expiry").on(table.expiresAt),
  ],
);
