import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { CodeState } from "../../api/resources/contract.ts";
import type { PageCreator, PageLink, PageTheme } from "../../domain/collector-pages.ts";
import type { LockRecord } from "../../domain/locks.ts";
import type { MintNotes } from "../../domain/mint-notes.ts";
import type { RevealRecord } from "../../domain/reveal.ts";
import type { CollectionSettings, PhaseCounts } from "../../domain/settings.ts";
import type { Trait } from "../../domain/traits.ts";
import { blobs } from "./blobs.ts";
import { bytes, instant, timestamps, uuid } from "./columns.ts";
import { draftAssets } from "./drafts.ts";

/**
 * A finalized collection. Its ledger has the row; D1 has a copy of it that lags (src/wallet/outbox.ts). The draft's unique index
 * is what makes one draft one collection.
 */
export const collections = sqliteTable(
  "collections",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id").notNull(),
    contractId: uuid("contract_id").notNull(),
    /** Account of its contract. */
    contractAccountId: text("contract_account_id").notNull(),
    /** What may become of its contract's code. */
    codeState: text("code_state", { mode: "json" }).$type<CodeState>().notNull(),
    draftId: uuid("draft_id").notNull(),
    onChainId: integer("on_chain_id").notNull(),
    settings: text("settings", { mode: "json" }).$type<CollectionSettings>().notNull(),
    /** Sum of copies over the assets. */
    total: integer("total").notNull(),
    assets: integer("assets").notNull(),
    /** Tokens minted, as last read from the chain. */
    minted: integer("minted").notNull().default(0),
    /**
     * Mint fees paid to the contract's owners, whoever they were, as last read from the chain: yoctoNEAR as a decimal string.
     * "0": nothing was sold, as of a new collection that wasn't read yet. A number: its next increase is unpaid sales of the
     * integration if `earned_own` holds then and now. Null: no increase is known from here on, so that the next reading
     * counts nothing: the contract is of a release that doesn't count fees, or the earnings were forgotten, by the
     * acceptance of the contract's ownership or by a payout that could not read the contract.
     */
    earned: text("earned"),
    /** Whether the integration's wallet was the contract's owner when `earned` was read; false once that was forgotten. */
    earnedOwn: integer("earned_own", { mode: "boolean" }).notNull().default(true),
    /** Number of the last token up to which all are reported as events. */
    eventsReportedTo: integer("events_reported_to").notNull().default(0),
    /** The integration's events up to this number report no token above `events_reported_to`. */
    scannedSeq: integer("scanned_seq").notNull().default(0),
    /** Height of the latest block with an effect of the service's operations: a node below it lags. */
    height: integer("height").notNull().default(0),
    /** SHA-256 of the root block of the collection's UnixFS directory. */
    ipfsRoot: bytes("ipfs_root").notNull(),
    /** State of pinning at the Kubo node; null: none is configured. */
    pinState: text("pin_state", { enum: ["pending", "pinned", "failed"] }),
    /** Position of the next asset to send in a CAR; null: all were sent; -1: the root is pinned. */
    pinCursor: integer("pin_cursor").default(0),
    /** Consecutive failed attempts, and when the next one is due. */
    pinAttempts: integer("pin_attempts").notNull().default(0),
    pinRetryAt: instant("pin_retry_at"),
    ...timestamps(),
    /** Of a collection that was made with hidden assets. */
    reveal: text("reveal", { mode: "json" }).$type<RevealRecord>(),
    /** Its locks by their names, as last read from the chain. Nobody can take one back. */
    locks: text("locks", { mode: "json" }).$type<LockRecord>().notNull().default(sql`'{}'`),
    /** When the schedule reveals what is hidden; null: it doesn't, or all is revealed. */
    revealAt: instant("reveal_at"),
    /** What was minted in each phase, and accounts on its list, as last read from the chain. */
    phaseCounts: text("phase_counts", { mode: "json" }).$type<PhaseCounts>(),
    /** Whether it has had a page, which shows transactions of mints and transfers. */
    hasPage: integer("has_page", { mode: "boolean" }).notNull().default(false),
    /** The ledger's version of the row; in D1 the one that was written last. */
    ledgerVersion: integer("ledger_version").notNull().default(0),
  },
  (table) => [
    uniqueIndex("collections_draft").on(table.draftId),
    uniqueIndex("collections_on_chain").on(table.contractId, table.onChainId),
    index("collections_integration").on(table.integrationId, table.id),
    index("collections_pin").on(table.pinState),
    index("collections_hidden")
      .on(sql`reveal ->> '$.order.secretVersion'`, table.id)
      .where(sql`reveal IS NOT NULL`),
    index("collections_reveal_at").on(table.revealAt, table.id).where(sql`reveal_at IS NOT NULL`),
    index("collections_version").on(table.ledgerVersion),
  ],
);

/**
 * Blobs of a collection other than its draft's assets: blocks of its directory, and files that mints and updates added by
 * URL. Clean-up deletes blobs that neither this table nor an asset refers to.
 */
export const collectionBlobs = sqliteTable(
  "collection_blobs",
  {
    collectionId: uuid("collection_id").notNull(),
    sha256: bytes("sha256")
      .notNull()
      .references(() => blobs.sha256),
    /** Pinning of a file by URL: `due` once its mint or update has succeeded. Null before, and for files of the directory. */
    pinState: text("pin_state", { enum: ["due", "pinned"] }),
  },
  (table) => [
    primaryKey({ columns: [table.collectionId, table.sha256] }),
    index("collection_blobs_sha256").on(table.sha256),
    index("collection_blobs_due").on(table.collectionId).where(sql`pin_state = 'due'`),
  ],
);

/** The pages of a collection for collectors at /m/{slug} and /g/{slug}. Without an enabled row there are none. */
export const collectionPages = sqliteTable(
  "collection_pages",
  {
    collectionId: uuid("collection_id").primaryKey(),
    slug: text("slug").notNull(),
    /** The asset whose picture is the collection's cover; null: the first asset. */
    coverAssetId: uuid("cover_asset_id").references(() => draftAssets.id),
    theme: text("theme", { mode: "json" }).$type<PageTheme>(),
    links: text("links", { mode: "json" }).$type<readonly PageLink[]>().notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    /** Position of the last asset whose reference file was read for traits; null: all were read, and ranks are known. */
    traitsCursor: integer("traits_cursor").default(-1),
    ...timestamps(),
    creator: text("creator", { mode: "json" }).$type<PageCreator>(),
    /** What the creator says of the collection, in Markdown. */
    about: text("about"),
    /** PNG, JPEG or WebP, which nothing but the picture's own address reads. */
    creatorPicture: bytes("creator_picture"),
  },
  (table) => [
    uniqueIndex("collection_pages_slug").on(table.slug),
    index("collection_pages_traits").on(table.traitsCursor),
    // To delete an asset, pages that refer to it are looked up.
    index("collection_pages_cover").on(table.coverAssetId),
  ],
);

/**
 * Transactions that minted the tokens of collections with a page, one row for each hundred
 * numbers. Kept forever; mints from before the page are missing. The migration makes it WITHOUT ROWID.
 */
export const mintedHundreds = sqliteTable(
  "minted_hundreds",
  {
    collectionId: uuid("collection_id").notNull(),
    /** Number of its first token divided by a hundred. */
    hundred: integer("hundred").notNull(),
    transactions: text("transactions", { mode: "json" }).$type<MintNotes>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.hundred] })],
);

/**
 * Transfers of tokens by the service, of collections with a page: those between wallets don't pass through it. Kept forever.
 * The migration makes it WITHOUT ROWID.
 */
export const tokenTransfers = sqliteTable(
  "token_transfers",
  {
    collectionId: uuid("collection_id").notNull(),
    number: integer("number").notNull(),
    /** Time of the transaction's block. */
    at: instant("at").notNull(),
    receiverId: text("receiver_id").notNull(),
    /** base58. */
    hash: text("hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.number, table.at] })],
);

/** Traits in the reference files of a collection's assets. Tokens are matched by `reference_hash`. */
export const referenceTraits = sqliteTable(
  "reference_traits",
  {
    collectionId: uuid("collection_id").notNull(),
    referenceSha256: bytes("reference_sha256").notNull(),
    traits: text("traits", { mode: "json" }).$type<readonly Trait[]>().notNull(),
    /** Copies of all assets that have this reference file. */
    copies: integer("copies").notNull(),
    /** 1 is the rarest; null until all reference files were read. */
    rank: integer("rank"),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.referenceSha256] })],
);

/** Which mints and updates added a file to a collection by URL: it drops files of those that failed. */
export const broughtFiles = sqliteTable(
  "brought_files",
  {
    collectionId: uuid("collection_id").notNull(),
    sha256: bytes("sha256").notNull(),
    operationId: uuid("operation_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.collectionId, table.sha256, table.operationId] }),
    // For those of operations that were never accepted.
    index("brought_files_operation").on(table.operationId),
  ],
);
