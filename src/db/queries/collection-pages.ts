import { and, asc, eq, getTableColumns, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { blobs, collectionPages, collections, draftAssets } from "../schema/index.ts";
import type { BlobRow } from "./blobs.ts";
import { COLLECTION_ROW } from "./collections.ts";

const { creatorPicture, ...columns } = getTableColumns(collectionPages);

/** All of a page but its creator's picture, which is large. */
export const PAGE = columns;
export type CollectionPageRow = Omit<typeof collectionPages.$inferSelect, "creatorPicture">;

/** What a PUT says of a page; undefined stays. */
export type PageChanges = Pick<CollectionPageRow, "collectionId" | "slug" | "enabled"> &
  Partial<Pick<CollectionPageRow, "coverAssetId" | "theme" | "links" | "about">> & {
    /** What changes of the creator, null: there is none any more. In it null clears. */
    readonly creator?:
      | { readonly name: string; readonly url?: string | null; readonly picture?: string | null }
      | null
      | undefined;
    readonly creatorPicture?: Uint8Array | null | undefined;
  };

/** The picture of an enabled page's creator, if it is still the one with this digest. */
export const creatorPictureOf = async (
  db: Database,
  slug: string,
  digest: string,
): Promise<Uint8Array | null> => {
  const row = await db
    .select({ picture: creatorPicture })
    .from(collectionPages)
    .where(
      and(
        eq(collectionPages.slug, slug),
        eq(collectionPages.enabled, true),
        sql`${collectionPages.creator} ->> 'picture' = ${digest}`,
      ),
    )
    .get();
  return row?.picture ?? null;
};

/** An enabled page with its collection and the contract's account, by its slug. */
export const findEnabledPage = (db: Database, slug: string) =>
  db
    .select({ page: PAGE, ...COLLECTION_ROW })
    .from(collectionPages)
    .innerJoin(collections, eq(collections.id, collectionPages.collectionId))
    .where(and(eq(collectionPages.slug, slug), eq(collectionPages.enabled, true)))
    .get();

export type EnabledPage = NonNullable<Awaited<ReturnType<typeof findEnabledPage>>>;

/** The file of a collection's cover: the named asset, or the first. */
export const coverOf = (db: Database, draftId: Uuid, assetId: Uuid | null) =>
  db
    .select({
      sha256: blobs.sha256,
      rootSha256: blobs.rootSha256,
      mediaType: blobs.mediaType,
      ground: blobs.ground,
    })
    .from(draftAssets)
    .innerJoin(blobs, eq(blobs.sha256, draftAssets.sha256))
    .where(and(eq(draftAssets.draftId, draftId), assetId === null ? undefined : eq(draftAssets.id, assetId)))
    .orderBy(asc(draftAssets.position))
    .limit(1)
    .get();

/** What pages show of a file before it is loaded. */
type ShownFile = Pick<BlobRow, "mediaType" | "ground">;

/** Files by the lower-case hexadecimal of their SHA-256. */
export const shownFilesOf = async (
  db: Database,
  digests: readonly string[],
): Promise<ReadonlyMap<string, ShownFile>> => {
  const rows = await db
    .select({
      digest: sql<string>`lower(hex(${blobs.sha256}))`,
      mediaType: blobs.mediaType,
      ground: blobs.ground,
    })
    .from(blobs)
    .where(sql`${blobs.sha256} IN (SELECT unhex(value) FROM json_each(${JSON.stringify(digests)}))`);
  return new Map(rows.map(({ digest, ...file }) => [digest, file]));
};

/** Value of a page's `traits_cursor` before any reference file is read. Pages that are done have null. */
export const FROM_START = -1;
