import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { collections } from "./collections.ts";
import { uuid } from "./columns.ts";

/**
 * Which operation relays the claim of a link: the last that was accepted. Where that one failed, the link may be
 * claimed again. Links that were claimed without the service have no row. The migration makes the table WITHOUT ROWID.
 */
export const claims = sqliteTable(
  "claims",
  {
    collectionId: uuid("collection_id")
      .notNull()
      .references(() => collections.id),
    /** The drop's number on its contract. */
    dropId: integer("drop_id").notNull(),
    link: integer("link").notNull(),
    operationId: uuid("operation_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.dropId, table.link] })],
);
