import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, lt, not, or, type SQL, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { type Database, runBatch } from "../client.ts";
import { apiKeys, drafts, integrations, operations, webhooks } from "../schema/index.ts";
import { recordChange } from "./audit.ts";
import { OPEN } from "./operations.ts";

export type IntegrationRow = typeof integrations.$inferSelect;

/** An integration; undefined if there is none. */
export const findIntegration = (db: Database, id: Uuid): Promise<IntegrationRow | undefined> =>
  db.select().from(integrations).where(eq(integrations.id, id)).get();

/** Condition: there is such an integration. */
export const isThere = (id: Uuid): SQL =>
  sql`EXISTS (SELECT 1 FROM integrations WHERE id = ${uuidToBytes(id)})`;

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
    .limit(limit);
  return rows.map(({ id }) => id);
};

/** Condition: an integration has an operation that has not ended. */
export const hasOpenOperations = (id: Uuid): SQL =>
  sql`EXISTS (SELECT 1 FROM operations WHERE integration_id = ${uuidToBytes(id)} AND ${OPEN})`;

/** Deletes a suspended integration without open operations, with its keys and webhooks; clean-up deletes its drafts. */
export const deleteIntegration = async (context: ServiceContext, id: Uuid): Promise<boolean> => {
  const { db } = context;
  const now = context.now();
  const isDeleted = sql`EXISTS (SELECT 1 FROM integrations WHERE id = ${uuidToBytes(id)} AND deleted_at IS NOT NULL)`;
  const mayGo = and(
    eq(integrations.id, id),
    isNotNull(integrations.suspendedAt),
    isNull(integrations.deletedAt),
    not(hasOpenOperations(id)),
  );
  const change = { action: "integration.deleted" } as const;
  const results = await runBatch(db, [
    ...recordChange(context, id, change, sql`EXISTS (SELECT 1 FROM integrations WHERE ${mayGo})`),
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
  const [gone] = results.slice(-3) as [readonly object[]];
  return gone.length > 0;
};

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
    .limit(limit);

/** The account that an integration's money is paid out to; null: none. */
export const payoutAccount = (id: Uuid): SQL =>
  sql`(SELECT payout_account FROM integrations WHERE id = ${uuidToBytes(id)})`;

/** The same, read. */
export const findPayoutAccount = async (db: Database, id: Uuid): Promise<string | null> =>
  (await db.get<{ account: string | null }>(sql`SELECT ${payoutAccount(id)} AS account`)).account;

/** Condition: an integration has an account that its money is paid out to. */
export const hasPayoutAccount = (id: Uuid): SQL => sql`${payoutAccount(id)} IS NOT NULL`;

/** Integrations with operations that are unknown, or are pending and began before `since`, by their ids. */
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
    .limit(limit);
  return rows.map(({ id }) => id);
};
