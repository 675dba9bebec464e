import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Trait } from "../../domain/traits.ts";
import { collections } from "./collections.ts";
import { bytes, uuid } from "./columns.ts";

/** What the reference files of a collection's assets say of traits. A token is matched by its `reference_hash`. */
export const referenceTraits = sqliteTable(
  "reference_traits",
  {
    collectionId: uuid("collection_id")
      .notNull()
      .references(() => collections.id),
    referenceSha256: bytes("reference_sha256").notNull(),
    traits: text("traits", { mode: "json" }).$type<readonly Trait[]>().notNull(),
    /** Copies of all assets that have this reference file. */
    copies: integer("copies").notNull(),
    /** From 1, the rarest; null until all reference files were read. */
    rank: integer("rank"),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.referenceSha256] })],
);
