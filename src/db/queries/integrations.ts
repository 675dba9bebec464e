import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, lt, not, or, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { WalletSeen } from "../../domain/wallet-watch.ts";
import type { Database } from "../client.ts";
import { apiKeys, drafts, integrations, operations, webhooks } from "../schema/index.ts";
import { OPEN } from "./operations.ts";

/** A row of the integrations. */
export type IntegrationRow = typeof integrations.$inferSelect;

/** An integration; undefined if there is none. */
export const findIntegration = (db: Database, id: Uuid): Promise<IntegrationRow | undefined> =>
  db.select().from(integrations).where(eq(integrations.id, id)).get();

/** Condition of integrations that have a wallet, and of deleted ones, as their partial indexes have it. */
export const HAS_WALLET = sql`wallet_account_id IS NOT NULL`;
export const IS_DELETED = sql`deleted_at IS NOT NULL`;

/** Ids of integrations in ascending order. */
export const integrationIds = async (
  db: Database,
  { which, after, from }: { readonly which?: SQL; readonly after?: Uuid | null; readonly from?: Uuid | null },
  limit: number,
): Promise<Uuid[]> => {
  const rows = await db
    .select({ id: integrations.id })
    .from(integrations)
    .where(
      and(
        which,
        after ? gt(integrations.id, after) : undefined,
        from ? gte(integrations.id, from) : undefined,
      ),
    )
    .orderBy(asc(integrations.id))
    .limit(limit)
    .all();
  return rows.map(({ id }) => id);
};

/** Stores a new integration without a wallet. */
export const insertIntegration = async (db: Database, id: Uuid, name: string, now: Date): Promise<void> => {
  await db.insert(integrations).values({ id, name, walletState: "new", createdAt: now, updatedAt: now });
};

/** Condition: an integration has an operation that has not ended. */
export const hasOpenOperations = (id: Uuid): SQL =>
  sql`EXISTS (SELECT 1 FROM operations WHERE integration_id = ${uuidToBytes(id)} AND ${OPEN})`;

/**
 * Deletes an integration that is suspended and has no open operation: its keys and webhooks go in the same batch, its
 * drafts by and by. Whether it was.
 */
export const deleteIntegration = async (db: Database, id: Uuid, now: Date): Promise<boolean> => {
  const isDeleted = sql`EXISTS (SELECT 1 FROM integrations WHERE id = ${uuidToBytes(id)} AND deleted_at IS NOT NULL)`;
  const mayGo = and(
    eq(integrations.id, id),
    isNotNull(integrations.suspendedAt),
    isNull(integrations.deletedAt),
    not(hasOpenOperations(id)),
  );
  const [gone] = await db.batch([
    db
      .update(integrations)
      .set({ deletedAt: now, updatedAt: now })
      .where(mayGo)
      .returning({ id: integrations.id }),
    db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.integrationId, id), isNull(apiKeys.revokedAt), isDeleted)),
    db.delete(webhooks).where(and(eq(webhooks.integrationId, id), isDeleted)),
  ]);
  return gone.length > 0;
};

/** Some open drafts of integrations. */
export const openDraftsOf = (db: Database, integrationIds: readonly Uuid[], limit: number) =>
  db
    .select({ id: drafts.id, integrationId: drafts.integrationId })
    .from(drafts)
    .where(
      and(
        inArray(drafts.integrationId, [...integrationIds]),
        sql`${drafts.state} <> 'finalized'`,
        eq(drafts.state, "draft"),
      ),
    )
    .limit(limit)
    .all();

/** Condition: an integration's key is sealed under an older version. */
export const isSealedBefore = (version: number): SQL =>
  sql`wallet_secret IS NOT NULL AND wallet_secret_version < ${version}`;

/** Number of integrations that meet a condition. */
export const countIntegrations = async (db: Database, which: SQL): Promise<number> =>
  (await db.get<{ count: number }>(sql`SELECT count(*) AS count FROM integrations WHERE ${which}`)).count;

/** Replaces the copy of a wallet's key by one that is sealed under a newer version. */
export const storeSealed = async (
  db: Database,
  id: Uuid,
  { sealed, secretVersion }: { readonly sealed: Uint8Array; readonly secretVersion: number },
  now: Date,
): Promise<void> => {
  await db
    .update(integrations)
    .set({ walletSecret: sealed, walletSecretVersion: secretVersion, updatedAt: now })
    .where(eq(integrations.id, id));
};

/** The account that an integration's money is paid out to; null: none. */
export const payoutAccount = (id: Uuid): SQL =>
  sql`(SELECT payout_account FROM integrations WHERE id = ${uuidToBytes(id)})`;

/** The same, read. */
export const findPayoutAccount = async (db: Database, id: Uuid): Promise<string | null> =>
  (await db.get<{ account: string | null }>(sql`SELECT ${payoutAccount(id)} AS account`)).account;

/** Condition: an integration has an account that its money is paid out to. */
export const hasPayoutAccount = (id: Uuid): SQL => sql`${payoutAccount(id)} IS NOT NULL`;

/**
 * Integrations with operations that are unknown, or are open and began before `since`, in the order of their ids: what
 * is unknown waits for the operator from the start.
 */
export const withOldOperations = async (db: Database, since: Date, after: Uuid | null, limit: number) => {
  const rows = await db
    .selectDistinct({ id: operations.integrationId })
    .from(operations)
    .where(
      and(
        or(
          eq(operations.state, "unknown"),
          and(eq(operations.state, "pending"), lt(operations.createdAt, since)),
        ),
        OPEN,
        after ? gt(operations.integrationId, after) : undefined,
      ),
    )
    .orderBy(asc(operations.integrationId))
    .limit(limit)
    .all();
  return rows.map(({ id }) => id);
};

/** Integrations with a wallet, after the id `after`, and the wallet's last known balance. */
export const readyWallets = (db: Database, after: Uuid | null, limit: number) =>
  db
    .select({ id: integrations.id, seen: integrations.walletSeen })
    .from(integrations)
    .where(
      and(
        // As the index says it.
        sql`wallet_state = 'ready' AND deleted_at IS NULL`,
        after === null ? undefined : gt(integrations.id, after),
      ),
    )
    .orderBy(asc(integrations.id))
    .limit(limit)
    .all();

/** True while the last look at a wallet is this one. */
export const wasSeen = (id: Uuid, seen: WalletSeen | null): SQL => sql`EXISTS (
  SELECT 1 FROM integrations WHERE id = ${uuidToBytes(id)}
  AND wallet_seen IS ${seen === null ? null : JSON.stringify(seen)})`;

/** Notes a look at a wallet, unless another came between. */
export const sawWallet = (db: Database, id: Uuid, before: WalletSeen | null, seen: WalletSeen) =>
  db
    .update(integrations)
    .set({ walletSeen: seen })
    .where(and(eq(integrations.id, id), wasSeen(id, before)));
