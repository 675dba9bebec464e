import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, instant } from "./columns.ts";

/**
 * A file that R2 holds at `blob/{sha256}`. A row here is what makes it visible; R2 alone shows nothing.
 * A row with `going_at` set is being collected: a batch that relies on it has to put the file again.
 */
export const blobs = sqliteTable(
  "blobs",
  {
    sha256: bytes("sha256").primaryKey(),
    /** Bytes. */
    size: integer("size").notNull(),
    /** What the bytes are, by themselves: a media type such as `image/png`, `application/json`. */
    mediaType: text("media_type").notNull(),
    /**
     * SHA-256 of the dag-pb root when the file is above one block of 1 MiB (profile unixfs-v1-2025);
     * null: the file is one raw block and its CID follows from `sha256`.
     */
    rootSha256: bytes("root_sha256"),
    goingAt: instant("going_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [index("blobs_going").on(table.goingAt), index("blobs_root").on(table.rootSha256)],
);
