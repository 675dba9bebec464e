import { asc, eq, gte, inArray, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidFromBytes, uuidToBytes } from "../../domain/ids.ts";
import { type Database, holds } from "../client.ts";
import { behindWallets, operations } from "../schema/index.ts";
import { wasAccepted } from "./operations.ts";
import type { WalletName } from "./recovery.ts";

/** Notes that a wallet's journal has an operation that the database lacks. */
export const noteBehind = async (db: Database, wallet: WalletName, missing: Uuid, now: Date) => {
  await db.insert(behindWallets).values({ wallet, missing, noticedAt: now }).onConflictDoNothing();
};

/** The database is as new as these wallets. */
export const forgetBehind = async (db: Database, wallets: readonly WalletName[]): Promise<void> => {
  const names = sql`(SELECT value FROM json_each(${JSON.stringify(wallets)}))`;
  await db.delete(behindWallets).where(inArray(behindWallets.wallet, names));
};

/** A wallet that the database is known to be older than, as a statement for a batch. */
export const selectBehind = (db: Database) =>
  db.select({ wallet: behindWallets.wallet }).from(behindWallets).limit(1);

/** Whether the database is known to be older than any wallet. */
export const isBehind = async (db: Database): Promise<boolean> => (await selectBehind(db)).length > 0;

/** Wallets that the database is older than, from one on, with an operation of each that it lacks. Null: from the first. */
export const behindFrom = async (db: Database, from: Uuid | null, limit: number) => {
  const rows = await db
    .select({ wallet: behindWallets.wallet, missing: behindWallets.missing })
    .from(behindWallets)
    .where(from === null ? undefined : gte(behindWallets.wallet, from))
    // The platform's comes first.
    .orderBy(sql`${behindWallets.wallet} <> 'platform'`, asc(behindWallets.wallet))
    .limit(limit)
    .all();
  return new Map(rows.map(({ wallet, missing }) => [wallet as WalletName, missing]));
};

/** How many other operations are read with one: more than come to a wallet out of their turn. */
const RECENT = 32;

/** Where an operation stands among others of its integration, and which Idempotency-Keys stand for it. */
export interface Acceptance {
  /** Whatever was accepted later has a higher one. */
  readonly rowNumber: number;
  /** The latest others that the database had when this was read. */
  readonly recent: readonly Uuid[];
  /** What the integration's wallet may spend in a day, yoctoNEAR; null: all that it has. */
  readonly spendingPerDay: string | null;
  readonly keys: readonly {
    readonly key: string;
    /** Lower-case hexadecimal. */
    readonly fingerprint: string | null;
    /** Milliseconds since the epoch. */
    readonly expiresAt: number;
  }[];
}

/** A row as `acceptance` reads it; `acceptanceFrom` makes sense of it. */
export interface AcceptanceRow {
  readonly rowNumber: number;
  readonly recent: string;
  readonly spendingPerDay: string | null;
  readonly keys: string;
}

/**
 * Reads the acceptance of an operation; a statement of the batch that accepts it, or of its own.
 * @param key the Idempotency-Key that it was accepted with; undefined: any that stands for it, which takes longer
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

/** The acceptance that a row says. */
export const acceptanceFrom = ({ rowNumber, recent, spendingPerDay, keys }: AcceptanceRow): Acceptance => ({
  rowNumber,
  spendingPerDay,
  recent: (JSON.parse(recent) as string[]).map((hex) => uuidFromBytes(Buffer.from(hex, "hex"))),
  keys: (JSON.parse(keys) as [string, string, number][]).map(([key, fingerprint, expiresAt]) => ({
    key,
    fingerprint: fingerprint === "" ? null : fingerprint,
    expiresAt,
  })),
});

/** Whether the database has an operation. */
export const hasOperation = (db: Database, id: Uuid): Promise<boolean> => holds(db, wasAccepted(id));
