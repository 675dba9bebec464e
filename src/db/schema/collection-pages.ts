import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { PageLink, PageTheme } from "../../domain/collector-pages.ts";
import { collections } from "./collections.ts";
import { timestamps, uuid } from "./columns.ts";
import { draftAssets } from "./draft-assets.ts";

/** How a collection is shown to collectors at /m/{slug} and /g/{slug}. Without a row, or disabled, nowhere. */
export const collectionPages = sqliteTable(
  "collection_pages",
  {
    collectionId: uuid("collection_id")
      .primaryKey()
      .references(() => collections.id),
    slug: text("slug").notNull(),
    /** The asset whose picture stands for the collection; null: its first. */
    coverAssetId: uuid("cover_asset_id").references(() => draftAssets.id),
    theme: text("theme", { mode: "json" }).$type<PageTheme>(),
    links: text("links", { mode: "json" }).$type<readonly PageLink[]>().notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    /** Position of the last asset whose reference file was read for its traits; null: all were, and ranks are known. */
    traitsCursor: integer("traits_cursor").default(-1),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("collection_pages_slug").on(table.slug),
    index("collection_pages_traits").on(table.traitsCursor),
    // Deleting an asset asks which pages refer to it.
    index("collection_pages_cover").on(table.coverAssetId),
  ],
);
