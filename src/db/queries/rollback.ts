import { asc, eq, gte, inArray, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidFromBytes, uuidToBytes } from "../../domain/ids.ts";
import type { Budget } from "../../domain/key-rights.ts";
import { type Database, holds } from "../client.ts";
import { behindWallets, operations } from "../schema/index.ts";
import { budgetsFrom, budgetsOfKey } from "./api-keys.ts";
import { wasAccepted } from "./operations.ts";
import type { WalletName } from "./recovery.ts";

/** Records that a wallet's journal has an operation that the database lacks. */
export const noteBehind = async (db: Database, wallet: WalletName, missing: Uuid, now: Date) => {
  await db.insert(behindWallets).values({ wallet, missing, noticedAt: now }).onConflictDoNothing();
};

/** Removes the records of wallets whose operations the database has again. */
export const forgetBehind = async (db: Database, wallets: readonly WalletName[]): Promise<void> => {
  const names = sql`(SELECT value FROM json_each(${JSON.stringify(wallets)}))`;
  await db.delete(behindWallets).where(inArray(behindWallets.wallet, names));
};

export const selectBehind = (db: Database) =>
  db.select({ wallet: behindWallets.wallet }).from(behindWallets).limit(1);

/** Whether the database is known to lack operations of any wallet. */
export const isBehind = async (db: Database): Promise<boolean> => (await selectBehind(db)).length > 0;

/** Wallets with operations that the database lacks, and one such operation each, from a wallet on. Null: from the first. */
export const behindFrom = async (db: Database, from: Uuid | null, limit: number) => {
  const rows = await db
    .select({ wallet: behindWallets.wallet, missing: behindWallets.missing })
    .from(behindWallets)
    .where(from === null ? undefined : gte(behindWallets.wallet, from))
    // The platform's comes first.
    .orderBy(sql`${behindWallets.wallet} <> 'platform'`, asc(behindWallets.wallet))
    .limit(limit);
  return new Map(rows.map(({ wallet, missing }) => [wallet as WalletName, missing]));
};

/** Number of other operations that are read with one: more than reach a wallet out of order. */
const RECENT = 32;

/** The position of an operation among those of its integration, and its Idempotency-Keys. */
export interface Acceptance {
  /** Ascends in the order of acceptance. */
  readonly rowNumber: number;
  /** The latest other operations in the database. */
  readonly recent: readonly Uuid[];
  /** Spending limit of the integration's wallet for a day, yoctoNEAR; null: none. */
  readonly spendingPerDay: string | null;
  /** Budgets of the API key that it was accepted for, and of the keys that this one was made by. */
  readonly budgets: readonly Budget[];
  readonly keys: readonly {
    readonly key: string;
    /** Lower-case hexadecimal. */
    readonly fingerprint: string | null;
    /** Milliseconds since the epoch. */
    readonly expiresAt: number;
  }[];
}

/** A row of `acceptance`; `acceptanceFrom` converts it. */
export interface AcceptanceRow {
  readonly rowNumber: number;
  readonly recent: string;
  readonly spendingPerDay: string | null;
  readonly budgets: string | null;
  readonly keys: string;
}

/**
 * Reads the acceptance of an operation; also a statement of the batch that accepts it.
 * @param key its Idempotency-Key, null if it has none; undefined: all keys, which takes longer
 */
export const acceptance = (
  db: Database,
  { id, integrationId }: { readonly id: Uuid; readonly integrationId: Uuid },
  key?: string | null,
) => {
  const integration = uuidToBytes(integrationId);
  return db
    .select({
      rowNumber: sql<number>`operations.rowid`,
      recent: sql<string>`(SELECT json_group_array(lower(hex(id))) FROM (
        SELECT id FROM operations WHERE integration_id = ${integration} AND id <> ${uuidToBytes(id)}
        ORDER BY id DESC LIMIT ${RECENT}))`,
      spendingPerDay: sql<
        string | null
      >`(SELECT spending_per_day FROM integrations WHERE id = ${integration})`,
      budgets: budgetsOfKey(sql`operations.key_id`),
      keys: key === null ? sql<string>`'[]'` : keysOf(integration, uuidToBytes(id), key),
    })
    .from(operations)
    .where(eq(operations.id, id));
};

const keysOf = (integration: Uint8Array, operation: Uint8Array, key: string | undefined): SQL<string> => {
  const named = key === undefined ? sql`` : sql`AND key = ${key}`;
  return sql<string>`(SELECT json_group_array(json_array(key, lower(hex(fingerprint)), expires_at))
    FROM idempotency_keys WHERE integration_id = ${integration} ${named} AND operation_id = ${operation})`;
};

export const acceptanceFrom = ({
  rowNumber,
  recent,
  spendingPerDay,
  budgets,
  keys,
}: AcceptanceRow): Acceptance => ({
  rowNumber,
  spendingPerDay,
  budgets: budgetsFrom(budgets),
  recent: (JSON.parse(recent) as string[]).map((hex) => uuidFromBytes(Buffer.from(hex, "hex"))),
  keys: (JSON.parse(keys) as [string, string, number][]).map(([key, fingerprint, expiresAt]) => ({
    key,
    fingerprint: fingerprint === "" ? null : fingerprint,
    expiresAt,
  })),
});

export const hasOperation = (db: Database, id: Uuid): Promise<boolean> => holds(db, wasAccepted(id));
