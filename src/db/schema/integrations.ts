import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Limits } from "../../domain/quota.ts";
import type { WalletSeen } from "../../domain/wallet-watch.ts";
import { bytes, instant, timestamps, uuid } from "./columns.ts";

/**
 * An integration: the owner of keys, contracts, drafts and collections, and its wallet.
 * The wallet's key lives in its Durable Object; the encrypted copy here is what an operator restores from.
 */
export const integrations = sqliteTable(
  "integrations",
  {
    id: uuid("id").primaryKey(),
    name: text("name").notNull(),
    /** Account id of the integration wallet; null until its object has made the key. */
    walletAccountId: text("wallet_account_id"),
    /** ed25519 public key of the wallet's full-access key, 32 bytes. */
    walletPublicKey: bytes("wallet_public_key"),
    /** AES-256-GCM of the key seed: 12 bytes of nonce, then ciphertext and tag. */
    walletSecret: bytes("wallet_secret"),
    /** Version of the encryption secret that `wallet_secret` was sealed under. */
    walletSecretVersion: integer("wallet_secret_version"),
    /** `new`: no account yet; `creating`: the account is being made; `ready`. */
    walletState: text("wallet_state", { enum: ["new", "creating", "ready"] }).notNull(),
    /** Limits that the operator has set; for others the defaults hold (src/domain/quota.ts). */
    limits: text("limits", { mode: "json" }).$type<Partial<Limits>>(),
    /** What its wallet may spend in a day (UTC), yoctoNEAR as a decimal string; null: all that it has. */
    spendingPerDay: text("spending_per_day"),
    /** Since when its keys are refused; null: it isn't suspended. */
    suspendedAt: instant("suspended_at"),
    /** When the operator deleted it; null: it is there. Its wallet's sealed key stays for good. */
    deletedAt: instant("deleted_at"),
    /** Bytes of the files that its assets and collections refer to, each as often as it is referred to. */
    storedBytes: integer("stored_bytes").notNull().default(0),
    /** Bytes that its drafts, assets, kept answers, quotes and failed operations take here, about. */
    databaseBytes: integer("database_bytes").notNull().default(0),
    /** Account that the wallet's money is paid out to, set by the operator alone; null: none. */
    payoutAccount: text("payout_account"),
    /** What its wallet earned of mint fees and hasn't paid out, in whole nanoNEAR: an integer of SQLite has 64 bits. */
    unpaidSales: integer("unpaid_sales").notNull().default(0),
    /** What the wallet had when the scheduled job last looked, of which events are told; null: never. */
    walletSeen: text("wallet_seen", { mode: "json" }).$type<WalletSeen>(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("integrations_wallet_account").on(table.walletAccountId),
    index("integrations_name").on(table.name, table.id),
    index("integrations_deleted").on(table.id).where(sql`deleted_at IS NOT NULL`),
    // Pages of those that have a wallet, however many never got one.
    index("integrations_with_wallet").on(table.id).where(sql`wallet_account_id IS NOT NULL`),
    index("integrations_ready").on(table.id).where(sql`wallet_state = 'ready' AND deleted_at IS NULL`),
  ],
);

/** An integration's key. The key itself is shown once, when it is issued, and kept nowhere. */
export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    name: text("name").notNull(),
    role: text("role", { enum: ["full", "read"] }).notNull(),
    /** SHA-256 of the whole key. */
    digest: bytes("digest").notNull(),
    /** The first characters, so that a person can tell keys apart. */
    prefix: text("prefix").notNull(),
    expiresAt: instant("expires_at"),
    lastUsedAt: instant("last_used_at"),
    revokedAt: instant("revoked_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("api_keys_digest").on(table.digest),
    index("api_keys_integration").on(table.integrationId),
    index("api_keys_working").on(table.integrationId, table.expiresAt).where(sql`revoked_at IS NULL`),
  ],
);

/** How far a round of the scheduled job over something large has come, so that each run does a bounded part of it. */
export const sweeps = sqliteTable("sweeps", {
  name: text("name").primaryKey(),
  /** Where the next run goes on; null: from the beginning. */
  cursor: text("cursor"),
  updatedAt: instant("updated_at").notNull(),
});
