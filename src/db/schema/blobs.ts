import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PictureGround } from "../../domain/thumbnails.ts";
import { bytes, instant } from "./columns.ts";

/**
 * A file in R2. It is visible while `going` is null. Deletion (docs/storage.md): `marked` when nothing refers to it; a batch
 * that does removes the mark. `deleting` just before R2 deletes it. `deleted`: a tombstone that outlives every upload. A batch
 * that refers to a file that is `deleting`, or was `deleted` since its upload began, fails.
 */
export const blobs = sqliteTable(
  "blobs",
  {
    sha256: bytes("sha256").primaryKey(),
    /** Bytes. */
    size: integer("size").notNull(),
    /** Media type by the content, such as `image/png`. */
    mediaType: text("media_type").notNull(),
    /** SHA-256 of the dag-pb root of a file above 1 MiB; null: it is one raw block, whose CID is its `sha256`. */
    rootSha256: bytes("root_sha256"),
    /** Key in R2 of a file above one block, whose digest is known only after the upload; null: `blob/{sha256}`. */
    objectKey: text("object_key"),
    going: text("going", { enum: ["marked", "deleting", "deleted"] }),
    goingAt: instant("going_at"),
    createdAt: instant("created_at").notNull(),
    /** Of an opaque picture that has a thumbnail: what stands in its place while it loads. Null: not known. */
    ground: text("ground", { mode: "json" }).$type<PictureGround>(),
  },
  (table) => [
    index("blobs_going").on(table.going, table.goingAt),
    index("blobs_root").on(table.rootSha256),
    index("blobs_object").on(table.objectKey),
  ],
);

/** The 1 MiB leaves of a file above one block, in order: its root is derived from them, and each is served as a range of it. */
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
