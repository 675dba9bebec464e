import { and, asc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { MAX_COPIES } from "../../domain/quota.ts";
import type { Database } from "../client.ts";
import { jsonRows } from "../json-rows.ts";
import { blobs, draftAssets, drafts } from "../schema/index.ts";
import { failedOn, type Statement, violated } from "../statements.ts";
import { idsIn } from "./collections.ts";
import { type KeyWithResponse, runWithResponse } from "./idempotency.ts";
import { assetsWeight, weigh } from "./usage.ts";

/** An asset to attach, with the SHA-256 of its files in lower-case hexadecimal. */
export interface NewAsset {
  readonly id: Uuid;
  readonly filename: string;
  readonly sha256: string;
  readonly referenceFilename: string | null;
  readonly referenceSha256: string | null;
  readonly subtitle: string | null;
  readonly copies: number;
}

export type PlacedAsset = NewAsset & { readonly position: number };

/**
 * The time of a draft's change, of its assets too. Each change has a distinct one, whatever the clock says: it identifies
 * the draft that a finalization or a quote has read.
 */
export const changedAt = (now: Date): SQL => sql`max(${now.getTime()}, ${drafts.updatedAt} + 1)`;

/**
 * Attaches assets to an open draft from position `first` on. The batch fails if the draft isn't open (`isLocked`), another
 * request has taken a position (`isTaken`), or there would be too many copies (`isTooMany`).
 */
export const attachAssets = (
  db: Database,
  draftId: Uuid,
  assets: readonly NewAsset[],
  { first, now }: { readonly first: number; readonly now: Date },
): Statement[] => {
  const id = uuidToBytes(draftId);
  const draft = sql`(SELECT id FROM drafts WHERE id = ${id} AND state = 'draft')`;
  const refuseTooMany = db
    .update(draftAssets)
    .set({ copies: sql`NULL` })
    .where(sql`draft_id = ${id} AND position = ${first} AND ${copiesOf(id)} > ${MAX_COPIES}`);
  const touch = db
    .update(drafts)
    .set({ updatedAt: changedAt(now) })
    .where(eq(drafts.id, draftId));
  return [...insertAssets(db, draft, assets, { at: now, first }), refuseTooMany, touch];
};

const copiesOf = (draft: Uint8Array): SQL =>
  sql`(SELECT coalesce(sum(copies), 0) FROM draft_assets WHERE draft_id = ${draft})`;

/** Inserts assets of a draft, if `where` holds: each at its position, or from `first` on. @param draft selects its id */
export const insertAssets = (
  db: Database,
  draft: SQL,
  assets: Iterable<NewAsset | PlacedAsset>,
  { at, first = 0, where = sql`true` }: { readonly at: Date; readonly first?: number; readonly where?: SQL },
): Statement[] =>
  Array.from(jsonRows(assetRows(assets, first)), (rows) =>
    db.insert(draftAssets).select(sql`
      SELECT unhex(value ->> 0), ${draft}, value ->> 4,
        value ->> 1, unhex(value ->> 2), value ->> 5, unhex(value ->> 6), value ->> 7, value ->> 3, ${at.getTime()}
      FROM json_each(${rows}) WHERE ${where}`),
  );

function* assetRows(assets: Iterable<NewAsset | PlacedAsset>, first: number): Generator<readonly unknown[]> {
  let next = first;
  for (const asset of assets) {
    const { id, filename, sha256, referenceFilename, referenceSha256, subtitle, copies } = asset;
    const position = "position" in asset ? asset.position : next++;
    const row = [id.replaceAll("-", ""), filename, sha256, copies, position];
    // Fields that most assets lack come last and may be omitted (NULL).
    if (referenceFilename === null && subtitle === null) yield row;
    else yield [...row, referenceFilename, referenceSha256, subtitle];
  }
}

/** Whether a batch failed because the draft is no longer open. */
export const isLocked = (error: unknown): boolean => failedOn(error, "draft_assets.draft_id");

/** Whether a batch failed because another request has taken a position. */
export const isTaken = (error: unknown): boolean => violated(error, "UNIQUE", "draft_assets.draft_id");

/** Whether a batch failed because the draft's assets would have too many copies. */
export const isTooMany = (error: unknown): boolean => failedOn(error, "draft_assets.copies");

export interface DraftPosition {
  readonly isOpen: boolean;
  readonly nextPosition: number;
}

/** A draft with the position of its next asset; undefined if the integration has no such draft. */
export const findDraftPosition = (
  db: Database,
  integrationId: Uuid,
  draftId: Uuid,
): Promise<DraftPosition | undefined> =>
  db
    .select({
      isOpen: sql<boolean>`${drafts.state} = 'draft'`.mapWith(Boolean),
      nextPosition: sql<number>`(SELECT coalesce(max(position), -1) + 1 FROM draft_assets WHERE draft_id = ${uuidToBytes(draftId)})`,
    })
    .from(drafts)
    .where(and(eq(drafts.id, draftId), eq(drafts.integrationId, integrationId)))
    .get();

interface DraftTotals {
  readonly assets: number;
  /** Of all assets together, and of the one that has the most. */
  readonly copies: number;
  readonly mostCopies: number;
}

/** Number and copies of all assets of a draft. */
export async function draftTotals(db: Database, draftId: Uuid): Promise<DraftTotals> {
  const [totals] = await db
    .select({
      assets: sql<number>`COUNT(*)`,
      copies: sql<number>`COALESCE(SUM(${draftAssets.copies}), 0)`,
      mostCopies: sql<number>`COALESCE(MAX(${draftAssets.copies}), 0)`,
    })
    .from(draftAssets)
    .where(eq(draftAssets.draftId, draftId));
  return totals ?? { assets: 0, copies: 0, mostCopies: 0 };
}

export type AssetRow = Awaited<ReturnType<typeof pageOfAssets>>[number];

/** Assets of a draft in order, after a position. @param draftId or a subquery that has it */
export function pageOfAssets(db: Database, draftId: Uuid | SQL, after: number, limit: number) {
  const references = alias(blobs, "reference_blobs");
  return db
    .select({
      id: draftAssets.id,
      position: draftAssets.position,
      filename: draftAssets.filename,
      sha256: draftAssets.sha256,
      size: blobs.size,
      mediaType: blobs.mediaType,
      rootSha256: blobs.rootSha256,
      referenceFilename: draftAssets.referenceFilename,
      referenceSha256: draftAssets.referenceSha256,
      // A distinct name: D1 returns a batch's rows by column names.
      referenceSize: sql<number | null>`${references.size}`.as("reference_size"),
      subtitle: draftAssets.subtitle,
      copies: draftAssets.copies,
      createdAt: draftAssets.createdAt,
    })
    .from(draftAssets)
    .innerJoin(blobs, eq(blobs.sha256, draftAssets.sha256))
    .leftJoin(references, eq(references.sha256, draftAssets.referenceSha256))
    .where(and(eq(draftAssets.draftId, draftId), gt(draftAssets.position, after)))
    .orderBy(asc(draftAssets.position))
    .limit(limit);
}

/** What NFTs show of some assets of a draft. */
export const shownOf = (db: Database, draftId: Uuid, ids: readonly Uuid[]) =>
  db
    .select({
      id: draftAssets.id,
      sha256: draftAssets.sha256,
      rootSha256: blobs.rootSha256,
      reference: draftAssets.referenceSha256,
      subtitle: draftAssets.subtitle,
    })
    .from(draftAssets)
    .innerJoin(blobs, eq(blobs.sha256, draftAssets.sha256))
    // The sign keeps SQLite from reading the whole draft.
    .where(and(inArray(draftAssets.id, idsIn(ids)), sql`+${draftAssets.draftId} = ${uuidToBytes(draftId)}`));

/** Condition: assets at or after a position. */
export const behind = (first: number): SQL => sql`position >= ${first}`;

/** Deletes an asset of an open draft; false: there is none. @throws ServiceError idempotency_key_in_flight */
export const deleteAsset = async (
  db: Database,
  integrationId: Uuid,
  { draftId, id, now }: { readonly draftId: Uuid; readonly id: Uuid; readonly now: Date },
  answered: KeyWithResponse | null,
): Promise<boolean> => {
  const which = sql`draft_assets.id = ${uuidToBytes(id)}
    AND draft_assets.draft_id = (SELECT drafts.id FROM drafts WHERE drafts.id = ${uuidToBytes(draftId)}
      AND drafts.integration_id = ${uuidToBytes(integrationId)} AND drafts.state = 'draft')`;
  const removal = db.delete(draftAssets).where(which).returning({ id: draftAssets.id });
  const weight = assetsWeight(integrationId, draftId, sql`draft_assets.id = ${uuidToBytes(id)}`);
  const condition = sql`EXISTS (SELECT 1 FROM draft_assets WHERE ${which})`;
  const deleted = await runWithResponse(db, { answered, condition }, removal, [
    weigh(db, integrationId, weight, -1),
    db
      .update(drafts)
      .set({ updatedAt: changedAt(now) })
      .where(and(eq(drafts.id, draftId), condition)),
  ]);
  return deleted.length > 0;
};

/**
 * The index of a collection's asset among its draft's, from 0, which is the one on the chain unless the assets were hidden
 * (`isShuffled`); null: the collection has no such asset.
 */
export const assetIndexOf = async (
  db: Database,
  collectionId: Uuid,
  id: Uuid,
): Promise<{ readonly place: number; readonly isShuffled: boolean } | null> => {
  const row = await db.get<{ place: number; shuffled: number } | undefined>(sql`
    SELECT (SELECT count(*) FROM draft_assets AS before
      WHERE before.draft_id = draft_assets.draft_id AND before.position < draft_assets.position) AS place,
      collections.reveal IS NOT NULL AS shuffled
    FROM draft_assets JOIN collections ON collections.draft_id = draft_assets.draft_id
    WHERE draft_assets.id = ${uuidToBytes(id)} AND collections.id = ${uuidToBytes(collectionId)}`);
  return row ? { place: row.place, isShuffled: row.shuffled === 1 } : null;
};
