import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, uuid } from "./columns.ts";

/** An operation, with its Idempotency-Key, if it has one, and that key's fingerprint. Bytes are hexadecimal. */
export type UnshippedOperation = readonly [operation: string, key: string | null, fingerprint: string | null];

/** How far D1 has followed each ledger, and counts of it. Only the ledger's outbox writes it (src/wallet/d1-row.ts). */
export const ledgers = sqliteTable(
  "ledgers",
  {
    /** The integration. */
    id: uuid("id").primaryKey(),
    /** The last outbox entry that was applied: each is applied once, in order. */
    entry: integer("entry").notNull(),
    version: integer("version").notNull(),
    /** Number of the ledger's last call, and its random tag: each call is a compare-and-set on them, and changes nothing unless it follows the one before. */
    flush: integer("flush").notNull(),
    flushTag: text("flush_tag").notNull(),
    eventsSeq: integer("events_seq").notNull(),
    /** Operations in progress, and those that the operator settles. */
    pending: integer("pending").notNull(),
    unknown: integer("unknown").notNull(),
    /** When the oldest of them was accepted; null: there are none. */
    openSince: instant("open_since"),
    unpaidSales: integer("unpaid_sales").notNull(),
    /** Operations that R2 didn't have yet, which a loss would take along; others are in `unshipped_operations`. */
    unshipped: text("unshipped", { mode: "json" }).$type<readonly UnshippedOperation[]>().notNull(),
    /** Effects and copies of rows that D1 has refused, which are tried again each hour. */
    refused: integer("refused").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    index("ledgers_open").on(table.openSince).where(sql`open_since IS NOT NULL`),
    index("ledgers_refused").on(table.id).where(sql`refused > 0`),
    index("ledgers_working").on(table.id).where(sql`open_since IS NOT NULL`),
  ],
);

/**
 * Operations that R2 didn't have yet, beyond those of the ledger's row, and operations that a loss has taken along: up to 1,000 a row.
 * Only the ledger's outbox writes it.
 */
export const unshippedOperations = sqliteTable(
  "unshipped_operations",
  {
    ledgerId: uuid("ledger_id").notNull(),
    /** The latest of them. */
    lastId: uuid("last_id").notNull(),
    /** Of lost operations: until then their keys answer that the outcome is unknown. Null: until R2 has them. A column behind
     * a large one is read with all pages of that one, so it comes first. */
    expiresAt: instant("expires_at"),
    operations: text("operations", { mode: "json" }).$type<readonly UnshippedOperation[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.ledgerId, table.lastId] })],
);
