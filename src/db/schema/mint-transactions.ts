import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { collections } from "./collections.ts";
import { uuid } from "./columns.ts";

/**
 * Which transactions minted the tokens of collections that have a page, as the release before kept it, a row a mint. Such
 * rows are read and stay for good; what was minted since is in `minted_hundreds`. The migration makes the table WITHOUT
 * ROWID.
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
