import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { collections, contracts, draftAssets, drafts } from "../schema/index.ts";
import { failedOn, type Statement, withFields } from "../statements.ts";
import { type AssetRow, changedAt, pageOfAssets } from "./assets.ts";
import { type ContractRow, isReady } from "./contracts.ts";
import { type KeyWithResponse, keepWithEffect, runKeyedBatch, runWithResponse } from "./idempotency.ts";
import { assetsWeight, both, draftWeight, hasRoom, weigh, weighed } from "./usage.ts";

/** A draft with the collection that it became. */
export interface DraftRow {
  readonly draft: typeof drafts.$inferSelect;
  readonly collectionId: Uuid | null;
}

const owned = (integrationId: Uuid, id: Uuid): SQL =>
  and(eq(drafts.id, id), eq(drafts.integrationId, integrationId)) as SQL;

const open = (integrationId: Uuid, id: Uuid): SQL =>
  and(owned(integrationId, id), eq(drafts.state, "draft")) as SQL;

/** A distinct name: D1 returns a batch's rows by column names, and a draft has an `id` too. */
const collectionId = sql`${collections.id}`.mapWith(collections.id).as("collection_id");

const select = (db: Database) =>
  db
    .select({ draft: drafts, collectionId })
    .from(drafts)
    .leftJoin(collections, eq(collections.draftId, drafts.id));

export const ownDraft = (db: Database, integrationId: Uuid, id: Uuid) =>
  select(db).where(owned(integrationId, id));

/** A draft of an integration; undefined if there is none. */
export const findDraft = (db: Database, integrationId: Uuid, id: Uuid): Promise<DraftRow | undefined> =>
  ownDraft(db, integrationId, id).get();

/** A draft with the data that its finalization checks before it is accepted. */
export interface DraftToFinalize extends DraftRow {
  /** The integration's contract that it goes to. */
  readonly contract: ContractRow | undefined;
  /** Its first assets; empty unless it is open. */
  readonly assets: readonly AssetRow[];
}

/** Reads a draft with at most `limit` assets for its finalization, in one trip; undefined: there is none. */
export const findToFinalize = async (
  db: Database,
  integrationId: Uuid,
  id: Uuid,
  limit: number,
): Promise<DraftToFinalize | undefined> => {
  const own = owned(integrationId, id);
  const of = (column: SQL, condition: SQL) => sql`(SELECT ${column} FROM ${drafts} WHERE ${condition})`;
  const [[row], [contract], assets] = await db.batch([
    ownDraft(db, integrationId, id),
    db
      .select()
      .from(contracts)
      .where(and(eq(contracts.id, of(sql`contract_id`, own)), eq(contracts.integrationId, integrationId))),
    pageOfAssets(db, of(sql`id`, open(integrationId, id)), -1, limit),
  ]);
  return row && { ...row, contract, assets };
};

interface DraftChanges {
  readonly changes: Readonly<Record<string, unknown>>;
  readonly contractId: Uuid | undefined;
  /** The draft as read, which must be unchanged, and the response to store for the caller's key; null: unconditional. */
  readonly asRead: { readonly read: DraftRow; readonly answered: KeyWithResponse | null } | null;
}

/**
 * Changes fields of an open draft in one statement, so that concurrent changes of different fields are all kept. Changes
 * nothing if the draft isn't open, lacks room in the database, has changed since `asRead`, or the contract isn't ready.
 * @returns whether it was changed, and its row; undefined: there is none @throws ServiceError idempotency_key_in_flight
 */
export const changeDraft = async (
  db: Database,
  { integrationId, id }: { readonly integrationId: Uuid; readonly id: Uuid },
  { changes, contractId, asRead }: DraftChanges,
  now: Date,
): Promise<{ readonly isChanged: boolean; readonly row: DraftRow | undefined }> => {
  const settings = withFields(sql`${drafts.settings}`, changes);
  const fits = sql`(octet_length(${settings}) <= octet_length(${drafts.settings})
    OR ${hasRoom(integrationId, sql`octet_length(${settings})`)})`;
  const which = and(
    open(integrationId, id),
    settings ? fits : undefined,
    contractId === undefined ? undefined : isReady(integrationId, contractId),
    asRead === null ? undefined : eq(drafts.updatedAt, asRead.read.draft.updatedAt),
  );
  const change = db
    .update(drafts)
    .set({
      updatedAt: changedAt(now),
      contractId,
      ...(settings && { settings }),
    })
    .where(which)
    .returning({ id: drafts.id });
  const read = ownDraft(db, integrationId, id);
  const weight = draftWeight(integrationId, id);
  const kept = keepWithEffect(
    db,
    asRead?.answered ?? null,
    sql`EXISTS (SELECT 1 FROM drafts WHERE ${which})`,
  );
  const results = await runKeyedBatch(db, [...weighed(db, integrationId, weight, [...kept, change]), read]);
  const [changed, , [row]] = results.slice(-3) as [Awaited<typeof change>, unknown, Awaited<typeof read>];
  return { isChanged: changed.length > 0, row };
};

/** Sets what the NFTs of a draft's collection show until a reveal. The batch fails (`isPlaceholderLocked`) unless it is open. */
export const setPlaceholder = (
  db: Database,
  { integrationId, id }: { readonly integrationId: Uuid; readonly id: Uuid },
  sha256: string,
  now: Date,
): Statement[] =>
  weighed(db, integrationId, draftWeight(integrationId, id), [
    db
      .update(drafts)
      .set({
        placeholderSha256: sql`unhex(${sha256})`,
        // The column must not be null.
        settings: sql`CASE state WHEN 'draft' THEN settings END`,
        updatedAt: changedAt(now),
      })
      .where(owned(integrationId, id)),
  ]);

/** Whether a batch failed because the draft is no longer open. */
export const isPlaceholderLocked = (error: unknown): boolean => failedOn(error, "drafts.settings");

/** Deletes an open draft and its assets; false: none is open. @throws ServiceError idempotency_key_in_flight */
export const removeDraft = async (
  db: Database,
  integrationId: Uuid,
  id: Uuid,
  answered: KeyWithResponse | null = null,
): Promise<boolean> => {
  const stillOpen = sql`(SELECT id FROM drafts WHERE ${open(integrationId, id)})`;
  const weight = both(draftWeight(integrationId, id), assetsWeight(integrationId, id));
  const removal = db.delete(drafts).where(open(integrationId, id)).returning({ id: drafts.id });
  const deleted = await runWithResponse(db, { answered, condition: sql`EXISTS ${stillOpen}` }, removal, [
    weigh(db, integrationId, weight, -1),
    db.delete(draftAssets).where(sql`${draftAssets.draftId} = ${stillOpen}`),
  ]);
  return deleted.length > 0;
};
