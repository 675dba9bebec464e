import { sql } from "drizzle-orm";
import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { blobs } from "./blobs.ts";
import { collections } from "./collections.ts";
import { bytes, uuid } from "./columns.ts";

/**
 * Blobs that a collection keeps beyond its draft's assets: blocks of its UnixFS directory, and files that mints and
 * updates brought by URL. A blob that neither this table nor a draft's asset names is collected.
 */
export const collectionBlobs = sqliteTable(
  "collection_blobs",
  {
    collectionId: uuid("collection_id")
      .notNull()
      .references(() => collections.id),
    sha256: bytes("sha256")
      .notNull()
      .references(() => blobs.sha256),
    /**
     * Pinning of a file by URL at a configured Kubo node: `due` once its mint or update has succeeded. Null before, and
     * where the file is pinned with the directory.
     */
    pinState: text("pin_state", { enum: ["due", "pinned"] }),
  },
  (table) => [
    primaryKey({ columns: [table.collectionId, table.sha256] }),
    index("collection_blobs_sha256").on(table.sha256),
    index("collection_blobs_due").on(table.collectionId).where(sql`pin_state = 'due'`),
  ],
);
