import { asc, gte, inArray, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { behindWallets } from "../schema/index.ts";
import type { WalletName } from "./recovery.ts";

/** Notes that a wallet's journal has an operation that the database lacks. */
export const noteBehind = async (db: Database, wallet: WalletName, witness: Uuid, now: Date) => {
  await db.insert(behindWallets).values({ wallet, witness, noticedAt: now }).onConflictDoNothing();
};

/** The database is as new as these wallets. */
export const forgetBehind = async (db: Database, wallets: readonly WalletName[]): Promise<void> => {
  const names = sql`(SELECT value FROM json_each(${JSON.stringify(wallets)}))`;
  await db.delete(behindWallets).where(inArray(behindWallets.wallet, names));
};

/** Whether the database is known to be older than any wallet. */
export const isBehind = async (db: Database): Promise<boolean> => {
  const row = await db.select({ wallet: behindWallets.wallet }).from(behindWallets).limit(1).get();
  return row !== undefined;
};

/** Wallets that the database is older than, from one on, with an operation of each that it lacks. Null: from the first. */
export const behindFrom = async (db: Database, from: Uuid | null, limit: number) => {
  const rows = await db
    .select({ wallet: behindWallets.wallet, witness: behindWallets.witness })
    .from(behindWallets)
    .where(from === null ? undefined : gte(behindWallets.wallet, from))
    // The platform's comes first.
    .orderBy(sql`${behindWallets.wallet} <> 'platform'`, asc(behindWallets.wallet))
    .limit(limit)
    .all();
  return new Map(rows.map(({ wallet, witness }) => [wallet as WalletName, witness]));
};
