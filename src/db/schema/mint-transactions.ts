import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { collections } from "./collections.ts";
import { uuid } from "./columns.ts";

/**
 * Which transactions minted a collection's tokens: claims, and mints from wallets that a page has followed to their end.
 * An integration's own mints have no row, since they are many, and it has their transactions. Nothing but the pages needs
 * it. The migration makes the table WITHOUT ROWID.
 */
export const mintTransactions = sqliteTable(
  "mint_transactions",
  {
    collectionId: uuid("collection_id")
      .notNull()
      .references(() => collections.id),
    /** Numbers of its first and last token; those between are its own too. */
    first: integer("first").notNull(),
    last: integer("last").notNull(),
    /** base58. */
    hash: text("hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.first] })],
);
