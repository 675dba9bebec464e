import { primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { bytes, uuid } from "./columns.ts";

/**
 * Which mints and updates brought a file to a collection by URL. A failed one has the collection give its files up that
 * none of the others brought.
 */
export const broughtFiles = sqliteTable(
  "brought_files",
  {
    collectionId: uuid("collection_id").notNull(),
    sha256: bytes("sha256").notNull(),
    operationId: uuid("operation_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.sha256, table.operationId] })],
);
