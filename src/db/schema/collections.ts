import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { MintNotes } from "../../domain/mint-notes.ts";
import type { CollectionSettings } from "../../domain/settings.ts";
import { bytes, instant, timestamps, uuid } from "./columns.ts";
import { contracts } from "./contracts.ts";
import { drafts } from "./drafts.ts";
import { integrations } from "./integrations.ts";

/** A finalized collection. The draft's unique index is what makes one draft one collection. */
export const collections = sqliteTable(
  "collections",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    contractId: uuid("contract_id")
      .notNull()
      .references(() => contracts.id),
    draftId: uuid("draft_id")
      .notNull()
      .references(() => drafts.id),
    onChainId: integer("on_chain_id").notNull(),
    settings: text("settings", { mode: "json" }).$type<CollectionSettings>().notNull(),
    /** Sum of copies over the assets. */
    total: integer("total").notNull(),
    /** Number of assets. */
    assets: integer("assets").notNull(),
    /** Tokens minted, as last read from the chain. */
    minted: integer("minted").notNull().default(0),
    /**
     * What the contract's owners were paid of its mint fees, as last read from the chain: yoctoNEAR as a decimal string. Null:
     * what was earned so far isn't the wallet's, or the contract doesn't count it.
     */
    earned: text("earned"),
    /** Events have told of all tokens up to this number. */
    told: integer("told").notNull().default(0),
    /** Events up to this number tell of no token above `told`. */
    toldSeq: integer("told_seq").notNull().default(0),
    /** Height of the latest block that an operation of ours had an effect in: a node below it lags. */
    height: integer("height").notNull().default(0),
    /** SHA-256 of the root block of the collection's UnixFS directory. */
    ipfsRoot: bytes("ipfs_root").notNull(),
    /** Pinning at a configured Kubo node: null if none is configured. */
    pinState: text("pin_state", { enum: ["pending", "pinned", "failed"] }),
    /** Why the last attempt failed, for the integrator; null once it went on. */
    pinError: text("pin_error"),
    /** Position from which the next CAR takes the draft's assets; null: all files were sent; -1: the root is pinned. */
    pinCursor: integer("pin_cursor").default(0),
    /** Attempts that failed in a row, and when the next one is due. */
    pinAttempts: integer("pin_attempts").notNull().default(0),
    pinRetryAt: instant("pin_retry_at"),
    ...timestamps(),
    /**
     * Which transactions minted its last tokens, where it has a page; null: none since it has one. A mint that finds it
     * full moves it to `minted_hundreds`.
     */
    recentMints: text("recent_mints", { mode: "json" }).$type<MintNotes>(),
  },
  (table) => [
    uniqueIndex("collections_draft").on(table.draftId),
    uniqueIndex("collections_on_chain").on(table.contractId, table.onChainId),
    index("collections_integration").on(table.integrationId, table.id),
    index("collections_pin").on(table.pinState),
  ],
);
