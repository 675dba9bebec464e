import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MintNotes } from "../../domain/mint-notes.ts";
import { collections } from "./collections.ts";
import { uuid } from "./columns.ts";

/**
 * Which transactions minted the tokens of collections that have a page, a row for each hundred numbers: mints of their
 * integrations and claims, once `collections.recent_mints` is full, and mints from wallets that a page has followed to their
 * end. Nothing but the pages needs it, and rows stay for good: what was minted before the collection had its page is in
 * none. The migration makes the table WITHOUT ROWID.
 */
export const mintedHundreds = sqliteTable(
  "minted_hundreds",
  {
    collectionId: uuid("collection_id")
      .notNull()
      .references(() => collections.id),
    /** Number of its first token divided by a hundred. */
    hundred: integer("hundred").notNull(),
    transactions: text("transactions", { mode: "json" }).$type<MintNotes>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.hundred] })],
);
