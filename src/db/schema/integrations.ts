import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Limits } from "../../domain/quota.ts";
import type { WalletSeen } from "../../domain/wallet-watch.ts";
import { bytes, instant, timestamps, uuid, uuidOf } from "./columns.ts";

/** An integration and its wallet, whose key is in its Durable Object; an operator restores it from the sealed copy. */
export const integrations = sqliteTable(
  "integrations",
  {
    id: uuid("id").primaryKey(),
    name: text("name").notNull(),
    walletAccountId: text("wallet_account_id"),
    /** ed25519 public key of the wallet's full-access key, 32 bytes. */
    walletPublicKey: bytes("wallet_public_key"),
    /** AES-256-GCM of the key seed: 12 bytes of nonce, then ciphertext and tag. */
    walletSecret: bytes("wallet_secret"),
    walletSecretVersion: integer("wallet_secret_version"),
    /** `new`: no account yet; `creating`: the account is being made; `ready`. */
    walletState: text("wallet_state", { enum: ["new", "creating", "ready"] }).notNull(),
    /** Limits that the operator has set; others have defaults (src/domain/quota.ts). */
    limits: text("limits", { mode: "json" }).$type<Partial<Limits>>(),
    /** Spending limit of its wallet for a day (UTC), yoctoNEAR as a decimal string; null: none. */
    spendingPerDay: text("spending_per_day"),
    /** Since when its keys are rejected; null: not suspended. */
    suspendedAt: instant("suspended_at"),
    /** When the operator deleted it; null: not deleted. Its wallet's sealed key is kept forever. */
    deletedAt: instant("deleted_at"),
    /** Bytes of the files that its assets and collections refer to, counted once for each reference. */
    storedBytes: integer("stored_bytes").notNull().default(0),
    /** Approximate bytes of its drafts, assets, stored responses, quotes and failed operations in this database. */
    databaseBytes: integer("database_bytes").notNull().default(0),
    /** Account for payouts, which only the operator sets; null: none. */
    payoutAccount: text("payout_account"),
    /** Mint fees that its wallet earned and hasn't paid out, nanoNEAR: integers of SQLite have 64 bits. */
    unpaidSales: integer("unpaid_sales").notNull().default(0),
    /** The wallet's balance when the scheduled job last read it, for events about changes; null: never read. */
    walletSeen: text("wallet_seen", { mode: "json" }).$type<WalletSeen>(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("integrations_wallet_account").on(table.walletAccountId),
    index("integrations_name").on(table.name, table.id),
    index("integrations_deleted").on(table.id).where(sql`deleted_at IS NOT NULL`),
    // For pages of integrations with a wallet.
    index("integrations_with_wallet").on(table.id).where(sql`wallet_account_id IS NOT NULL`),
    index("integrations_ready").on(table.id).where(sql`wallet_state = 'ready' AND deleted_at IS NULL`),
  ],
);

/** An integration's API key. The key itself is shown once, when it is issued, and never stored. */
export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuidOf("integration_id", () => integrations.id),
    name: text("name").notNull(),
    role: text("role", { enum: ["full", "read"] }).notNull(),
    digest: bytes("digest").notNull(),
    /** The first characters, which identify a key to people. */
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

/** Cursors of the scheduled job's rounds over large sets, of which each run processes a bounded batch. */
export const sweeps = sqliteTable("sweeps", {
  name: text("name").primaryKey(),
  /** Cursor for the next run; null: the beginning. */
  cursor: text("cursor"),
  updatedAt: instant("updated_at").notNull(),
});
