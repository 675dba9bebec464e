import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AuditActor } from "../../domain/audit.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { Budget, KeyScope } from "../../domain/key-rights.ts";
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
    /** Approximate bytes of its drafts, assets and stored responses in this database. */
    databaseBytes: integer("database_bytes").notNull().default(0),
    /** Account for payouts, which only the operator sets; null: none. */
    payoutAccount: text("payout_account"),
    /** The wallet's balance when the scheduled job last read it, for events about changes; null: never read. */
    walletSeen: text("wallet_seen", { mode: "json" }).$type<WalletSeen>(),
    /** Since when its wallet is known to sign and accept nothing, because it was lost or lacks its key; null: it works. */
    walletInactiveSince: instant("wallet_inactive_since"),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("integrations_wallet_account").on(table.walletAccountId),
    index("integrations_name").on(table.name, table.id),
    index("integrations_deleted").on(table.id).where(sql`deleted_at IS NOT NULL`),
    // For pages of integrations with a wallet.
    index("integrations_with_wallet").on(table.id).where(sql`wallet_account_id IS NOT NULL`),
    index("integrations_inactive").on(table.id).where(sql`wallet_inactive_since IS NOT NULL`),
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
    scopes: text("scopes", { mode: "json" }).$type<readonly KeyScope[]>().notNull(),
    /** Collections that it is limited to; null: none. */
    collections: text("collections", { mode: "json" }).$type<readonly Uuid[]>(),
    /** Spending limit for a day (UTC), yoctoNEAR as a decimal string; null: none. */
    spendingPerDay: text("spending_per_day"),
    /** Budgets of the keys that it was made by, which count its spending too. */
    makerBudgets: text("maker_budgets", { mode: "json" }).$type<readonly Budget[]>().notNull(),
    /** yoctoNEAR above which a person confirms a write of an agent; null: never. */
    confirmAbove: text("confirm_above"),
    digest: bytes("digest").notNull(),
    /** The first characters, which identify a key to people. */
    prefix: text("prefix").notNull(),
    /** The digest before the last rotation, which is valid until a time; null: none. */
    oldDigest: bytes("old_digest"),
    oldDigestUntil: instant("old_digest_until"),
    expiresAt: instant("expires_at"),
    lastUsedAt: instant("last_used_at"),
    revokedAt: instant("revoked_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("api_keys_digest").on(table.digest),
    uniqueIndex("api_keys_old_digest").on(table.oldDigest).where(sql`old_digest IS NOT NULL`),
    index("api_keys_integration").on(table.integrationId),
    index("api_keys_working").on(table.integrationId, table.expiresAt).where(sql`revoked_at IS NULL`),
  ],
);

/** Who changed what of an integration. Rows are only ever added, and deleted when they are 400 days old. WITHOUT ROWID. */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    integrationId: uuidOf("integration_id", () => integrations.id),
    /** Its number, counted for each integration. */
    seq: integer("seq").notNull(),
    action: text("action").notNull(),
    /** The changed resource; null: the integration. */
    subjectId: uuid("subject_id"),
    /** The values that were set, without secrets. */
    changes: text("changes", { mode: "json" }).notNull(),
    actor: text("actor", { mode: "json" }).$type<AuditActor>().notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.integrationId, table.seq] })],
);

/** Cursors of the scheduled job's rounds over large sets, of which each run processes a bounded batch. */
export const sweeps = sqliteTable("sweeps", {
  name: text("name").primaryKey(),
  /** Cursor for the next run; null: the beginning. */
  cursor: text("cursor"),
  updatedAt: instant("updated_at").notNull(),
});
