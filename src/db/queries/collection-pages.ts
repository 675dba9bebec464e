import { and, asc, eq, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { blobs, collectionPages, collections, contracts, draftAssets } from "../schema/index.ts";
import { violated } from "../statements.ts";
import { type KeyWithResponse, keepWithEffect, runKeyedBatch } from "./idempotency.ts";

/** A row of the pages. */
export type CollectionPageRow = typeof collectionPages.$inferSelect;

/** What a PUT says of a page; undefined stays. */
export type PageChanges = Pick<CollectionPageRow, "collectionId" | "slug" | "enabled"> &
  Partial<Pick<CollectionPageRow, "coverAssetId" | "theme" | "links">>;

/** The page of an integration's collection, null if it has none; undefined: there is no such collection. */
export const findPage = async (
  db: Database,
  integrationId: Uuid,
  collectionId: Uuid,
): Promise<CollectionPageRow | null | undefined> => {
  const row = await db
    .select({ page: collectionPages })
    .from(collections)
    .leftJoin(collectionPages, eq(collectionPages.collectionId, collections.id))
    .where(and(eq(collections.id, collectionId), eq(collections.integrationId, integrationId)))
    .get();
  return row?.page;
};

/** A page as it was read, null where there was none, and the answer to keep, which shows it with the changes. */
interface PageAsRead {
  readonly read: CollectionPageRow | null;
  readonly answered: KeyWithResponse;
}

/**
 * Stores or changes the page of an integration's collection. Nothing is stored where the named cover is no asset of the
 * collection, or where the page isn't as it was read.
 * @param asRead null: the page may be as it is, and no answer is kept
 * @returns whether there is such a collection, and the page as it is then; undefined: it was not stored
 * @throws ServiceError idempotency_key_in_flight
 */
export const keepPage = async (
  db: Database,
  integrationId: Uuid,
  { collectionId, now, ...changes }: PageChanges & { readonly now: Date },
  asRead: PageAsRead | null,
): Promise<{ readonly isThere: boolean; readonly page: CollectionPageRow | undefined }> => {
  const { slug, enabled, coverAssetId = null, theme = null, links = [] } = changes;
  const id = uuidToBytes(collectionId);
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const own = sql`id = ${id} AND integration_id = ${uuidToBytes(integrationId)}`;
  const cover = coverAssetId && uuidToBytes(coverAssetId);
  const isAsset = sql`EXISTS (SELECT 1 FROM draft_assets WHERE id = ${cover}
    AND draft_id = (SELECT draft_id FROM collections WHERE id = ${id}))`;
  const page = sql`FROM collection_pages WHERE collection_id = ${id}`;
  const isAsRead = asRead?.read
    ? sql`EXISTS (SELECT 1 ${page} AND updated_at = ${asRead.read.updatedAt.getTime()})`
    : sql`NOT EXISTS (SELECT 1 ${page})`;
  const where = sql`FROM collections WHERE ${own} AND ${cover === null ? sql`true` : isAsset}
    AND ${asRead === null ? sql`true` : isAsRead}`;
  const find = db.select({ id: collections.id }).from(collections).where(own);
  const keep = db
    .insert(collectionPages)
    .select(sql`
      SELECT ${id}, ${slug}, ${cover}, ${json(theme)}, ${json(links)}, ${Number(enabled)}, ${FROM_START},
        ${now.getTime()}, ${now.getTime()} ${where}`)
    .onConflictDoUpdate({
      target: collectionPages.collectionId,
      // Each change has a distinct time, whatever the clock says: it shows whether a page has changed since it was read.
      set: { ...changes, updatedAt: sql`max(${now.getTime()}, collection_pages.updated_at + 1)` },
    })
    .returning();
  const answered = asRead?.answered ?? null;
  const condition = sql`EXISTS (SELECT 1 ${where})`;
  const results = await runKeyedBatch(db, [find, ...keepWithEffect(db, answered, condition), keep]);
  const [stored] = results.at(-1) as Awaited<typeof keep>;
  return { isThere: results[0].length > 0, page: stored };
};

/** Whether a page could not be stored because another one has its slug. */
export const isSlugTaken = (error: unknown): boolean => violated(error, "UNIQUE", "collection_pages.slug");

/** An enabled page with its collection and the contract's account, by its slug. */
export const findEnabledPage = (db: Database, slug: string) =>
  db
    .select({ page: collectionPages, collection: collections, contractAccountId: contracts.accountId })
    .from(collectionPages)
    .innerJoin(collections, eq(collections.id, collectionPages.collectionId))
    .innerJoin(contracts, eq(contracts.id, collections.contractId))
    .where(and(eq(collectionPages.slug, slug), eq(collectionPages.enabled, true)))
    .get();

/** What `findEnabledPage` finds. */
export type EnabledPage = NonNullable<Awaited<ReturnType<typeof findEnabledPage>>>;

/** The file of a collection's cover: the named asset, or the first. */
export const coverOf = (db: Database, draftId: Uuid, assetId: Uuid | null) =>
  db
    .select({ sha256: blobs.sha256, rootSha256: blobs.rootSha256, mediaType: blobs.mediaType })
    .from(draftAssets)
    .innerJoin(blobs, eq(blobs.sha256, draftAssets.sha256))
    .where(and(eq(draftAssets.draftId, draftId), assetId === null ? undefined : eq(draftAssets.id, assetId)))
    .orderBy(asc(draftAssets.position))
    .limit(1)
    .get();

/** Media types of files by the lower-case hexadecimal of their SHA-256. */
export const mediaTypesOf = async (
  db: Database,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = await db
    .select({ digest: sql<string>`lower(hex(${blobs.sha256}))`, mediaType: blobs.mediaType })
    .from(blobs)
    .where(sql`${blobs.sha256} IN (SELECT unhex(value) FROM json_each(${JSON.stringify(digests)}))`)
    .all();
  return new Map(rows.map(({ digest, mediaType }) => [digest, mediaType]));
};

/** Value of a page's `traits_cursor` before any reference file is read. Pages that are done have null. */
export const FROM_START = -1;
