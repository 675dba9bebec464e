import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { type Database, runBatch } from "../client.ts";
import { apiKeys, drafts, integrations, ledgers, webhooks } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { recordChange } from "./audit.ts";

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

/** Deletes a suspended integration, whose ledger has no open operations, with its keys, and stops its webhooks; clean-up deletes these and its drafts. */
export const deleteIntegration = async (context: ServiceContext, id: Uuid): Promise<boolean> => {
  const { db } = context;
  const now = context.now();
  const isDeleted = sql`EXISTS (SELECT 1 FROM integrations WHERE id = ${uuidToBytes(id)} AND deleted_at IS NOT NULL)`;
  const mayGo = and(
    eq(integrations.id, id),
    isNotNull(integrations.suspendedAt),
    isNull(integrations.deletedAt),
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
    db
      .update(webhooks)
      .set({ state: "disabled", disabledReason: null, updatedAt: now })
      .where(and(eq(webhooks.integrationId, id), isDeleted)),
  ]);
  const [gone] = results.slice(-3) as [readonly object[]];
  return gone.length > 0;
};

export const webhooksOf = (db: Database, integrationIds: readonly Uuid[], limit: number) =>
  db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(inArray(webhooks.integrationId, [...integrationIds]))
    .limit(limit);

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
export const findPayoutAccount = async (db: Database, id: Uuid): Promise<string | null> => {
  const own = eq(integrations.id, id);
  const row = await db.select({ account: integrations.payoutAccount }).from(integrations).where(own).get();
  return row?.account ?? null;
};

/** Condition of ledgers with open operations, as their index has it. */
export const IS_OPEN = sql`open_since IS NOT NULL`;

/** Condition of integrations whose wallet signs and accepts nothing, as their index has it. */
export const IS_INACTIVE = sql`wallet_inactive_since IS NOT NULL`;

/** An id before all others. */
export const FIRST = "00000000-0000-0000-0000-000000000000" as Uuid;

/** Integrations with operations that are unknown, or are pending and began before `since`, or with an inactive wallet, by their ids. */
export const withSomethingStuck = async (
  db: Database,
  since: Date,
  after: Uuid | null,
  limit: number,
): Promise<Uuid[]> => {
  const first = after ?? FIRST;
  const isOld = or(gt(ledgers.unknown, 0), lt(ledgers.openSince, since));
  const found = await db.batch([
    db
      .select({ id: ledgers.id })
      .from(ledgers)
      .where(and(IS_OPEN, isOld, gt(ledgers.id, first)))
      .orderBy(asc(ledgers.id))
      .limit(limit),
    db
      .select({ id: integrations.id })
      .from(integrations)
      .where(and(IS_INACTIVE, gt(integrations.id, first)))
      .orderBy(asc(integrations.id))
      .limit(limit),
  ]);
  return [...new Set(found.flat().map(({ id }) => id))].toSorted().slice(0, limit);
};

/** Records since when an integration's wallet is inactive, or that it works. */
export const setInactive = (db: Database, id: Uuid, walletInactiveSince: Date | null): Statement =>
  db
    .update(integrations)
    .set({ walletInactiveSince })
    .where(
      and(
        eq(integrations.id, id),
        walletInactiveSince === null ? IS_INACTIVE : isNull(integrations.walletInactiveSince),
      ),
    );

/** Integrations with a ledger, some at a time: those with open operations, then up to `others` of the others by their ids. */
export async function* ledgersByOpen(db: Database, atOnce: number, others: number): AsyncGenerator<Uuid[]> {
  const open = await db.select({ id: ledgers.id }).from(ledgers).where(IS_OPEN).limit(1_000);
  for (let at = 0; at < open.length; at += atOnce) yield open.slice(at, at + atOnce).map(({ id }) => id);
  for (let after = FIRST, left = others; left > 0; left -= atOnce) {
    const page: { id: Uuid }[] = await db
      .select({ id: ledgers.id })
      .from(ledgers)
      .where(gt(ledgers.id, after))
      .orderBy(asc(ledgers.id))
      .limit(atOnce);
    if (page.length > 0) yield page.map(({ id }) => id);
    if (page.length < atOnce) return;
    after = page.at(-1)!.id;
  }
}

/** Integrations whose ledgers have operations that have been open since before a time, the longest first. */
export const staleLedgers = async (db: Database, before: Date, limit: number): Promise<Uuid[]> => {
  const rows = await db
    .select({ id: ledgers.id })
    .from(ledgers)
    .where(and(IS_OPEN, lt(ledgers.openSince, before)))
    .orderBy(asc(ledgers.openSince))
    .limit(limit);
  return rows.map(({ id }) => id);
};
