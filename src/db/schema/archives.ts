import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, uuid } from "./columns.ts";
import { integrations } from "./integrations.ts";

/**
 * Files in R2 that hold operations which ended long ago, with their transactions (src/archive/). A file has operations of
 * one integration that were accepted on one day (UTC) and recorded on one. What a row here names isn't in `operations`.
 */
export const archives = sqliteTable(
  "archives",
  {
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    /** The least and the greatest id of its operations. */
    firstId: uuid("first_id").notNull(),
    lastId: uuid("last_id").notNull(),
    /** When the first and the last of its transactions were recorded; null: it has none. */
    firstAt: instant("first_at"),
    lastAt: instant("last_at"),
    /** Key in R2, of this row alone. */
    objectKey: text("object_key").notNull(),
    operations: integer("operations").notNull(),
    /** Size in R2. */
    bytes: integer("bytes").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.integrationId, table.lastId] }),
    index("archives_transactions").on(table.integrationId, table.lastAt),
    // Which objects no row names (clean-up).
    index("archives_object").on(table.objectKey),
  ],
);
