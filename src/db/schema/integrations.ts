import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bytes, timestamps, uuid } from "./columns.ts";

/**
 * An integration: the tenant that keys, contracts, drafts and collections belong to, and its wallet.
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
    ...timestamps(),
  },
  (table) => [uniqueIndex("integrations_wallet_account").on(table.walletAccountId)],
);
