import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DraftSettings } from "../../domain/settings.ts";
import { blobs } from "./blobs.ts";
import { bytes, instant, timestamps, uuid, uuidOf } from "./columns.ts";
import { contracts } from "./contracts.ts";
import { integrations } from "./integrations.ts";

/** A collection before it is on-chain. `draft` → `finalizing` → `finalized`; back to `draft` if nothing was sent. */
export const drafts = sqliteTable(
  "drafts",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuidOf("integration_id", () => integrations.id),
    contractId: uuidOf("contract_id", () => contracts.id),
    settings: text("settings", { mode: "json" }).$type<DraftSettings>().notNull(),
    state: text("state", { enum: ["draft", "finalizing", "finalized"] }).notNull(),
    /** The finalization, from the moment it was accepted. */
    operationId: uuid("operation_id"),
    /** Uuid of its collection to be. The contract keeps it, so the chain shows from which draft a collection comes. */
    plannedCollectionId: uuid("planned_collection_id").notNull(),
    /** What tokens show until a reveal. */
    placeholderSha256: bytes("placeholder_sha256").references(() => blobs.sha256),
    ...timestamps(),
  },
  (table) => [
    index("drafts_integration").on(table.integrationId, table.id),
    index("drafts_finalizing").on(table.id).where(sql`state = 'finalizing'`),
    index("drafts_open").on(table.integrationId).where(sql`state <> 'finalized'`),
    index("drafts_placeholder").on(table.placeholderSha256).where(sql`placeholder_sha256 IS NOT NULL`),
    index("drafts_planned_collection").on(table.plannedCollectionId),
  ],
);

/** One asset detail of a draft with the files it names. */
export const draftAssets = sqliteTable(
  "draft_assets",
  {
    id: uuid("id").primaryKey(),
    draftId: uuidOf("draft_id", () => drafts.id),
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
