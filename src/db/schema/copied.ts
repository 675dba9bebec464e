import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { OperationKind } from "../../domain/operations.ts";
import { bytes, instant, uuid } from "./columns.ts";

/** Tables that D1 and each ledger have. */

/** An Idempotency-Key that an integration used, with its operation or its stored response. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    integrationId: uuid("integration_id").notNull(),
    key: text("key").notNull(),
    /** SHA-256 of method, path and body; for multipart of part names, file names and digests. Null: unknown. */
    fingerprint: bytes("fingerprint"),
    operationId: uuid("operation_id"),
    /** Status of the response; null: the operation has it. */
    status: integer("status"),
    /** Body of the response, as JSON; above 64 kB `r2:<key>`. Null: none, or the operation has it. */
    body: text("body"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** Bytes of the body in R2; null: the row has it. */
    bodyBytes: integer("body_bytes"),
  },
  (table) => [
    primaryKey({ columns: [table.integrationId, table.key] }),
    index("idempotency_keys_expiry").on(table.expiresAt),
  ],
);

/** Operations that ended on a day, counted by their ledger; D1 has a copy. */
export const operationCounts = sqliteTable(
  "operation_counts",
  {
    integrationId: uuid("integration_id").notNull(),
    /** Days since the Unix epoch (UTC); 0: the sum of all older days. */
    day: integer("day").notNull(),
    kind: text("kind").$type<OperationKind>().notNull(),
    state: text("state", { enum: ["succeeded", "failed"] }).notNull(),
    /** From acceptance to the end, as an index of `DURATION_BOUNDS` (src/domain/operation-counts.ts). */
    bucket: integer("bucket").notNull(),
    count: integer("count").notNull(),
    /** The ledger's version of the row; in D1 the one that was written last. */
    ledgerVersion: integer("ledger_version").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.day, table.kind, table.state, table.bucket, table.integrationId] }),
  ],
);
