import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, uuid } from "./columns.ts";

/** An operation, with its Idempotency-Key, if it has one, and that key's fingerprint. Bytes are hexadecimal. */
type UnshippedOperation = readonly [operation: string, key: string | null, fingerprint: string | null];

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
    /** The latest operations that R2 didn't have yet: what a loss takes along. And those that a loss has taken along. */
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
