import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blobs } from "./blobs.ts";
import { bytes, instant, uuid } from "./columns.ts";
import { drafts } from "./drafts.ts";

/** One asset detail of a draft with the files it names. */
export const draftAssets = sqliteTable(
  "draft_assets",
  {
    id: uuid("id").primaryKey(),
    draftId: uuid("draft_id")
      .notNull()
      .references(() => drafts.id),
    /** Order in which assets were attached; becomes the order on-chain. Gaps are left by deletions. */
    position: integer("position").notNull(),
    filename: text("filename").notNull(),
    sha256: bytes("sha256")
      .notNull()
      .references(() => blobs.sha256),
    referenceFilename: text("reference_filename"),
    referenceSha256: bytes("reference_sha256").references(() => blobs.sha256),
    subtitle: text("subtitle"),
    copies: integer("copies").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("draft_assets_position").on(table.draftId, table.position),
    index("draft_assets_sha256").on(table.sha256),
    index("draft_assets_reference").on(table.referenceSha256),
  ],
);
