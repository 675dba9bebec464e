import { index, integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { blobs } from "./blobs.ts";
import { bytes } from "./columns.ts";

/**
 * The 1 MiB leaves of a file above one block, in order. The dag-pb root is derived from them, and a leaf that is asked
 * for by its own CID is found through them as a range of the file.
 */
export const blobLeaves = sqliteTable(
  "blob_leaves",
  {
    blobSha256: bytes("blob_sha256")
      .notNull()
      .references(() => blobs.sha256),
    /** From 0; the leaf begins at `position` MiB. */
    position: integer("position").notNull(),
    sha256: bytes("sha256").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.blobSha256, table.position] }),
    index("blob_leaves_sha256").on(table.sha256),
  ],
);
