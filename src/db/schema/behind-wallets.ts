import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, uuid } from "./columns.ts";

/**
 * Wallets whose journal has an operation that this database lacks, because it was rolled back. The objects themselves
 * know it for certain; these rows show it without asking all of them.
 */
export const behindWallets = sqliteTable("behind_wallets", {
  /** The integration's uuid, or `platform`. */
  wallet: text("wallet").primaryKey(),
  /** The operation that is missing. */
  witness: uuid("witness").notNull(),
  noticedAt: instant("noticed_at").notNull(),
});
